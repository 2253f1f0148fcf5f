/** @jsxImportSource react */
import { X } from "lucide-react";
import { useEffect, useId, useState, type ReactNode } from "react";
import type { Field, Widget } from "../../generated/language";
import { t } from "../../shared/strings";
import { text } from "../store/document";
import type { Json } from "../store/wire";
import { Combo } from "./Combo";
import { creating, isChannelName, typeFor } from "./create";
import { INPUTS } from "./inputs";
import { isObject } from "../store/changes";
import { blankOf } from "./ObjectOf";
import { AddButton, movedItem, Order } from "./parts";
import { useChannels } from "./Pick";
import { Problems, type InputProps } from "./Row";
import { problemsAt, setting, useScope, useWord } from "./scope";

const entriesOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** A list: names of channels as chips, everything else a line each. */
export function ListOf(props: InputProps): ReactNode {
  return props.field.of?.widget === "channel" ? <Chips {...props} /> : <Entries {...props} />;
}

function Chips(props: InputProps): ReactNode {
  const scope = useScope();
  const word = useWord();
  const names = entriesOf(props.value).map(text);
  const options = useChannels(props.field.writes === true);
  const create = creating(scope, props.field, props.holder);
  const set = (next: string[]) => props.set(next.length || props.field.required || props.field.key === "inputs" ? next : undefined);
  const add = (name: string) => {
    if (name && !names.includes(name)) set([...names, name]);
  };
  return (
    <div className="ed-chips">
      {names.map((name, at) => (
        <span key={`${at} ${name}`} className="ed-chip" data-known={options.some((one) => one.value === name)}>
          <button
            type="button"
            className="ed-chip-name mono"
            title={t("panel.chip")}
            onClick={() => scope.open({ channel: name })}
            onKeyDown={(event) => {
              const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
              if (by && event.altKey && !props.readOnly) {
                event.preventDefault();
                set(movedItem(names, at, by));
              }
            }}
          >
            {name}
          </button>
          {props.readOnly ? null : (
            <button type="button" className="ed-chip-gone" aria-label={t("panel.removeOf", { name })} onClick={() => set(names.filter((_, index) => index !== at))}>
              <X size={11} />
            </button>
          )}
        </span>
      ))}
      {props.readOnly ? null : (
        <Combo
          id={props.id}
          value=""
          options={options.filter((one) => !names.includes(one.value))}
          onChoose={add}
          name={t("panel.addTo", { name: props.name })}
          placeholder={names.length ? t("panel.add") : t("panel.pick.channel")}
          saidBy={props.saidBy}
          mono
          create={(typed) =>
            isChannelName(typed)
              ? {
                  words: t("panel.create.channelOf", { name: typed, type: typeFor(scope, props.field, props.holder) }),
                  make: () => create(typed, setting(word, props.path, [...names, typed])),
                }
              : null
          }
        />
      )}
      {props.readOnly
        ? null
        : names
            .filter((name) => isChannelName(name) && !options.some((one) => one.value === name))
            .map((name) => <AddButton key={name} words={t("panel.create.channel", { name })} onAdd={() => create(name, null)} />)}
    </div>
  );
}

/** Entries that have fields of their own are added empty, and filled in where they stand. */
const HOLDS: ReadonlySet<Widget> = new Set(["object", "map", "list", "fields", "schema"]);
const blankEntry = (of: Field): Json => (of.widget === "object" ? blankOf(of.item ?? []) : of.type === "list" ? [] : {});

function Entries(props: InputProps): ReactNode {
  const scope = useScope();
  const word = useWord();
  const id = useId();
  const entries = entriesOf(props.value);
  const of = props.field.of ?? { ...props.field, widget: "json" as const };
  const Input = INPUTS[of.widget];
  const [added, setAdded] = useState(0);
  // Whoever adds with Enter goes on adding.
  useEffect(() => {
    if (added) document.getElementById(props.id)?.focus();
  }, [added, props.id]);
  const setAll = (next: Json[]) => props.set(next.length || props.field.required ? next : undefined);
  // One that a text may stand for is typed, and opened where more is to be said.
  const holds = HOLDS.has(of.widget) && !of.short;
  const full = props.field.max != null && entries.length >= props.field.max;
  return (
    <div className="ed-entries">
      {entries.map((entry, at) => {
        const name = t("panel.entry", { name: props.name, number: at + 1 });
        const path = `${props.at}[${at}]`;
        // Fields that are drawn say their own.
        const drawn = holds || (of.short && isObject(entry));
        const found = problemsAt(scope.problems, path, !drawn);
        return (
          <div key={`${at} ${entries.length}`} className="ed-entry" data-path={path} data-holds={drawn || undefined}>
            <Input
              field={{ ...of, required: true, adds: false }}
              value={entry}
              holder={props.holder}
              set={(value) => void scope.edit(t("panel.change", { what: props.name, of: word.name }), [setting(word, [...props.path, at], value ?? "")])}
              path={[...props.path, at]}
              at={path}
              id={`${id}-${at}`}
              saidBy={found.length ? `${id}-${at}-said` : undefined}
              bad={found.some((one) => one.level === "error")}
              readOnly={props.readOnly}
              name={name}
            />
            {props.readOnly ? null : (
              <Order
                name={name}
                first={at === 0}
                last={at === entries.length - 1}
                onMove={(by) => setAll(movedItem(entries, at, by))}
                onRemove={() => setAll(entries.filter((_, index) => index !== at))}
              />
            )}
            {found.length ? (
              <div id={`${id}-${at}-said`} className="ed-entry-said">
                {found.map((one, index) => (
                  <Problems key={index} problem={one} />
                ))}
              </div>
            ) : null}
          </div>
        );
      })}
      {props.readOnly || full ? null : holds ? (
        <AddButton words={t("panel.addTo", { name: props.name.toLowerCase() })} onAdd={() => setAll([...entries, blankEntry(of)])} />
      ) : (
        <Input
          key={`new ${entries.length} ${added}`}
          field={{ ...of, required: false, placeholder: props.field.placeholder || t("panel.add") }}
          value={undefined}
          holder={props.holder}
          set={(value) => {
            if (value === undefined || value === "") return;
            if (document.activeElement?.id === props.id) setAdded(added + 1);
            setAll([...entries, value]);
          }}
          path={[...props.path, entries.length]}
          at={`${props.at}[+]`}
          id={props.id}
          saidBy={props.saidBy}
          bad={false}
          readOnly={false}
          whole
          name={t("panel.addTo", { name: props.name })}
        />
      )}
      {full ? <p className="ed-help">{t("panel.full", { count: props.field.max ?? 0 })}</p> : null}
    </div>
  );
}
