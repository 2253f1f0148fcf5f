/** @jsxImportSource react */
import type { ReactNode } from "react";
import type { Field } from "../../generated/language";
import { t } from "../../shared/strings";
import { text } from "../store/document";
import { pathOf } from "../store/paths";
import type { Json } from "../store/wire";
import { Combo } from "./Combo";
import type { InputProps } from "./Row";
import { useScope, useWord } from "./scope";
import { PAUSE_MS, useTyping, WHOLE_MS, type Read, type Typing } from "./typing";

/** The key of what is typed into a place: of this flow, of this part of it by its name, and of the place in that. */
export function useKey(at: string): string {
  const { id } = useScope();
  const { on, base } = useWord();
  const above = pathOf(base);
  return `${id} ${JSON.stringify(on)} ${at.startsWith(above) ? at.slice(above.length) : at}`;
}

/** What an empty box means: the field is left out, unless it must be there. */
const words = (field: Field) => (typed: string): Read<Json | undefined> => ({ value: typed === "" && !field.required ? undefined : typed });

function numberIn(field: Field) {
  return (typed: string): Read<Json | undefined> => {
    const trimmed = typed.trim();
    if (!trimmed) return field.required ? { wrong: t("panel.number.empty") } : { value: undefined };
    const value = Number(trimmed.replace(",", "."));
    if (!Number.isFinite(value) || !/^[-+\d.,eE]+$/.test(trimmed)) return { wrong: t("panel.number.none", { typed: trimmed }) };
    if (field.type === "integer" && !Number.isInteger(value)) return { wrong: t("panel.number.whole") };
    return { value };
  };
}

export const shownText = (value: Json | undefined): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

function useInputTyping(props: InputProps, read: (typed: string) => Read<Json | undefined>): Typing {
  return useTyping(useKey(props.at), shownText(props.value), read, props.set, props.whole ? WHOLE_MS : PAUSE_MS);
}

function boxOf(props: InputProps, typing: Typing) {
  return {
    id: props.id,
    value: typing.text,
    readOnly: props.readOnly,
    "aria-invalid": props.bad || typing.wrong !== null || undefined,
    "aria-describedby": props.saidBy,
    "aria-label": props.name,
    placeholder: props.field.placeholder || undefined,
    onBlur: typing.settle,
    dir: "auto" as const,
  };
}

/** A name that other places say is changed as a whole: with Enter, or by going on. */
function useNameTyping(props: InputProps): Typing {
  return useTyping(useKey(props.at), shownText(props.value), words(props.field), props.set, WHOLE_MS);
}

export function Line(props: InputProps): ReactNode {
  const word = useWord();
  const renames = props.path.length === 1 && word.renames?.[props.field.key] !== undefined;
  // Half a function's name is another function, which has no code.
  return renames || props.field.unit ? <NameLine {...props} /> : <PlainLine {...props} />;
}

function PlainLine(props: InputProps): ReactNode {
  return <TypedLine props={props} typing={useInputTyping(props, words(props.field))} />;
}

function NameLine(props: InputProps): ReactNode {
  return <TypedLine props={props} typing={useNameTyping(props)} mono />;
}

function TypedLine({ props, typing, mono = false }: { props: InputProps; typing: Typing; mono?: boolean }): ReactNode {
  return (
    <>
      <input
        {...boxOf(props, typing)}
        className={`input ${mono || props.field.unit ? "input-mono" : ""}`}
        spellCheck={!mono && !props.field.unit}
        onChange={(event) => typing.type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") typing.settle();
        }}
      />
      <Wrong typing={typing} />
    </>
  );
}

/** Why what was typed is no value yet. */
export function Wrong({ typing }: { typing: Typing }): ReactNode {
  return typing.wrong === null ? null : (
    <p className="ed-wrong" role="status" data-unfinished>
      {typing.wrong}
    </p>
  );
}

const COLOR = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;
/** As the browser's own picker writes it. */
const sixDigits = (color: string): string => (color.length === 4 ? `#${[...color.slice(1)].map((each) => each + each).join("")}` : color.toLowerCase());

/** A colour, typed or chosen. */
export function Color(props: InputProps): ReactNode {
  const typing = useInputTyping(props, words(props.field));
  const known = COLOR.test(typing.text);
  return (
    <div className="ed-color">
      <input
        type="color"
        className="ed-color-swatch"
        data-empty={!known || undefined}
        value={known ? sixDigits(typing.text) : "#000000"}
        disabled={props.readOnly}
        aria-label={t("panel.color.choose", { name: props.name })}
        onChange={(event) => typing.type(event.target.value)}
        onBlur={typing.settle}
      />
      <input {...boxOf(props, typing)} className="input input-mono" placeholder="#3b5bdb" spellCheck={false} onChange={(event) => typing.type(event.target.value)} onKeyDown={(event) => event.key === "Enter" && typing.settle()} />
    </div>
  );
}

export function Text(props: InputProps): ReactNode {
  const typing = useInputTyping(props, words(props.field));
  return (
    <div className="ed-grow" data-text={`${typing.text} `}>
      <textarea {...boxOf(props, typing)} className="textarea" rows={2} onChange={(event) => typing.type(event.target.value)} />
    </div>
  );
}

export function Code(props: InputProps): ReactNode {
  const typing = useInputTyping(props, words(props.field));
  return <textarea {...boxOf(props, typing)} className="textarea input-mono" rows={6} spellCheck={false} onChange={(event) => typing.type(event.target.value)} />;
}

export function NumberBox(props: InputProps): ReactNode {
  const typing = useInputTyping(props, numberIn(props.field));
  const { min, max } = props.field;
  const range = min != null && max != null ? t("panel.number.range", { min, max }) : "";
  return (
    <>
      <input {...boxOf(props, typing)} className="input input-num" inputMode="decimal" placeholder={range || undefined} onChange={(event) => typing.type(event.target.value)} onKeyDown={(event) => event.key === "Enter" && typing.settle()} />
      <Wrong typing={typing} />
    </>
  );
}

export function Switch(props: InputProps): ReactNode {
  const on = props.value === true || (props.value === undefined && props.field.default === true);
  // Off is what it is when it is left out, unless it is on by itself.
  const off = props.field.default === true ? false : undefined;
  return (
    <label className="ed-switch">
      <input
        id={props.id}
        type="checkbox"
        role="switch"
        checked={on}
        disabled={props.readOnly}
        aria-describedby={props.saidBy}
        onChange={(event) => props.set(event.target.checked ? true : off)}
      />
      <span className="ed-switch-track" aria-hidden="true" />
      <span>{props.name}</span>
    </label>
  );
}

export function Choice(props: InputProps): ReactNode {
  const { field } = props;
  const usual = typeof field.default === "string" ? field.default : "";
  const offered = (field.choices ?? []).filter((one) => one.offered !== false || one.value === props.value);
  const options = offered.map((one) => ({ value: one.value, ...(one.help ? { help: one.help } : {}) }));
  return (
    <Combo
      id={props.id}
      value={text(props.value) || usual}
      options={options}
      onChoose={(next) => props.set(next === usual && !field.required ? undefined : next || undefined)}
      none={field.required || usual ? undefined : t("panel.none")}
      name={props.name}
      saidBy={props.saidBy}
      bad={props.bad}
      readOnly={props.readOnly}
    />
  );
}

/** What is read and never typed. */
export function Shown(props: InputProps): ReactNode {
  const usual = typeof props.field.default === "string" ? props.field.default : "";
  return (
    <output id={props.id} className="ed-shown mono" aria-label={props.name}>
      {shownText(props.value) || usual || t("panel.none")}
    </output>
  );
}
