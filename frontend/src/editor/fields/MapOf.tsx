/** @jsxImportSource react */
import { useId, type ReactNode } from "react";
import type { Callee } from "../../generated/files";
import type { Field } from "../../generated/language";
import { t } from "../../shared/strings";
import { labelOf, object, text } from "../store/document";
import type { JsonObject } from "../store/wire";
import { calleeAt, useCallees } from "./callees";
import { Fields } from "./Fields";
import { INPUTS } from "./inputs";
import { UnitCard } from "../panel/UnitCard";
import { AddButton, freeKey, KeyBox, movedKey, Order, renamedKey, withoutKey } from "./parts";
import { Problems, type InputProps } from "./Row";
import { Compact, problemsAt, setting, useScope, useWord } from "./scope";
import { pathOf } from "../store/paths";
import { Template } from "./Template";

/** Named values, or one template that holds them all where the word allows it. */
export function MapOf(props: InputProps): ReactNode {
  const { field, value, set, readOnly } = props;
  if (!field.whole) return <Named {...props} />;
  const taken = typeof value === "string";
  const turn = (next: boolean) => {
    if (next !== taken) set(next ? "{{}}" : {});
  };
  return (
    <>
      <div className="segments" role="group" aria-label={t("panel.map.from")}>
        <button type="button" className="segment" aria-pressed={!taken} disabled={readOnly} onClick={() => turn(false)}>
          {t("panel.map.written")}
        </button>
        <button type="button" className="segment" aria-pressed={taken} disabled={readOnly} onClick={() => turn(true)}>
          {t("panel.map.taken")}
        </button>
      </div>
      {taken ? <Template {...props} lines={1} /> : <Named {...props} />}
    </>
  );
}

/** A name and its value each; where a tool or a flow is named beside it, what that takes or gives comes first. */
function Named(props: InputProps): ReactNode {
  const scope = useScope();
  const map = object(props.value);
  const { keys } = props.field;
  const callees = useCallees(keys === "flow");
  const named = keys ? text(props.holder[keys]) : "";
  const inputs = keys === "flow" ? valuesOf(calleeAt(callees, named), props.field.writes === true) : keys ? inputsOf(scope.flow, named) : {};
  const names = [...Object.keys(inputs), ...Object.keys(map).filter((name) => !(name in inputs))];
  const of: Field = props.field.of ?? { ...props.field, widget: "json" };
  const set = (next: JsonObject) => props.set(Object.keys(next).length || props.field.required ? next : undefined);
  const own = Object.keys(map);
  return (
    <div className="ed-map">
      {names.map((name) => {
        const declared = name in inputs;
        return (
          <div key={name} className="ed-map-entry" data-holds={of.widget === "object" || undefined}>
            <div className="ed-map-head">
              {declared ? (
                <span className="ed-map-name">
                  <span className="mono">{name}</span>
                  {object(inputs[name]).required === true ? <span className="ed-soft">{t("panel.required")}</span> : null}
                </span>
              ) : (
                <KeyBox
                  name={name}
                  at={pathOf([props.at, name])}
                  taken={(next) => next in map}
                  onRename={(to) => set(renamedKey(map, name, to))}
                  label={t("panel.nameOf", { name })}
                  readOnly={props.readOnly}
                />
              )}
              {declared || props.readOnly ? null : (
                <Order
                  name={name}
                  first={own[0] === name}
                  last={own[own.length - 1] === name}
                  onMove={(by) => set(movedKey(map, name, by))}
                  onRemove={() => set(withoutKey(map, name))}
                />
              )}
            </div>
            <Entry props={props} of={of} name={name} map={map} type={object(inputs[name]).type} set={set} />
          </div>
        );
      })}
      {props.readOnly ? null : (
        <AddButton
          words={t("panel.addTo", { name: props.name.toLowerCase() })}
          onAdd={() => set({ ...map, [freeKey(map, t("panel.newKey"))]: of.widget === "object" ? {} : "" })}
        />
      )}
    </div>
  );
}

interface EntryProps {
  props: InputProps;
  of: Field;
  name: string;
  map: JsonObject;
  type: unknown;
  set: (next: JsonObject) => void;
}

function Entry({ props, of, name, map, type, set }: EntryProps): ReactNode {
  const scope = useScope();
  const word = useWord();
  const id = useId();
  const path = [...props.path, name];
  const at = pathOf([...word.base, ...path]);
  const label = `${props.name}: ${labelOf(name)}`;
  if (of.widget === "object") {
    return (
      <Compact>
        <Fields fields={of.item ?? []} under={path} />
      </Compact>
    );
  }
  const Input = INPUTS[of.widget];
  const found = problemsAt(scope.problems, at, true);
  return (
    <div data-path={at}>
      <Input
        field={{ ...of, required: false }}
        value={map[name]}
        holder={typeof type === "string" ? { type } : {}}
        set={(value) => {
          // An empty argument of a tool is left out; an empty value that somebody named stays.
          if (value === undefined && props.field.keys) set(withoutKey(map, name));
          else void scope.edit(t("panel.change", { what: label, of: word.name }), [setting(word, path, value ?? "")]);
        }}
        path={path}
        at={at}
        id={id}
        saidBy={found.length ? `${id}-said` : undefined}
        bad={found.some((one) => one.level === "error")}
        readOnly={props.readOnly}
        name={label}
      />
      <div id={`${id}-said`}>
        {found.map((one, index) => (
          <Problems key={index} problem={one} />
        ))}
      </div>
      {of.unit ? <UnitCard kind={of.unit} name={name} /> : null}
    </div>
  );
}

const valuesOf = (callee: Callee | undefined, writes: boolean): JsonObject =>
  Object.fromEntries((callee ? (writes ? callee.outputs : callee.inputs) : []).map(({ name, type }) => [name, { type }]));

function inputsOf(flow: JsonObject, tool: string): JsonObject {
  const all = flow.tools;
  const servers = Object.values(object(object(flow.requires).mcp)).map((each) => object(each).tools);
  const found = [all, ...servers].flatMap((tools) => (Array.isArray(tools) ? tools.map(object) : [])).find((each) => each.name === tool);
  return object(found?.inputs);
}
