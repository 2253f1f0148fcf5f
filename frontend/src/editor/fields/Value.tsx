/** @jsxImportSource react */
import { Braces, Type } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Field } from "../../generated/language";
import { t } from "../../shared/strings";
import { text } from "../store/document";
import type { Json } from "../store/wire";
import { Combo } from "./Combo";
import { Line, NumberBox, shownText, Text, useKey, Wrong } from "./Line";
import type { InputProps } from "./Row";
import { Template } from "./Template";
import { PAUSE_MS, useTyping, WHOLE_MS, type Read } from "./typing";

/** JSON as typed: a value, or why it is none. */
export function readJson(required: boolean) {
  return (typed: string): Read<Json | undefined> => {
    if (!typed.trim()) return required ? { wrong: t("panel.json.empty") } : { value: undefined };
    try {
      const value: Json = JSON.parse(typed);
      return { value };
    } catch (thrown) {
      return { wrong: t("panel.json.none", { why: thrown instanceof Error ? thrown.message : "" }) };
    }
  };
}

const written = (value: Json | undefined): string => (value === undefined ? "" : JSON.stringify(value, null, typeof value === "object" ? 1 : 0));

/** Free JSON, kept as it is typed until it can be read. */
export function JsonBox(props: InputProps): ReactNode {
  const typing = useTyping(useKey(props.at), written(props.value), readJson(props.field.required), props.set, props.whole ? WHOLE_MS : PAUSE_MS);
  return (
    <>
      <div className="ed-grow ed-grow-mono" data-text={`${typing.text} `}>
        <textarea
          id={props.id}
          className="textarea input-mono"
          rows={1}
          value={typing.text}
          readOnly={props.readOnly}
          spellCheck={false}
          aria-label={props.name}
          aria-describedby={props.saidBy}
          aria-invalid={props.bad || typing.wrong !== null || undefined}
          placeholder={props.field.placeholder || undefined}
          onChange={(event) => typing.type(event.target.value)}
          onBlur={typing.settle}
        />
      </div>
      <Wrong typing={typing} />
    </>
  );
}

const as = (field: Field, change: Partial<Field>): Field => ({ ...field, ...change });
const LISTS = new Set(["list", "object"]);

/** A value of any kind: drawn as what stands beside it says it is (`type`), else as text or JSON, as one likes. */
export function Value(props: InputProps): ReactNode {
  const type = text(props.holder.type);
  if (props.field.ref === "template") return <Filled {...props} type={type} />;
  if (type === "string" || type === "date") return <Line {...props} field={as(props.field, { type: "text", placeholder: type === "date" ? "2026-03-31" : props.field.placeholder })} />;
  if (type === "text") return <Text {...props} field={as(props.field, { type: "text" })} />;
  if (type === "number") return <NumberBox {...props} field={as(props.field, { type: "number" })} />;
  if (type === "boolean") return <YesNo {...props} />;
  if (LISTS.has(type)) return <JsonBox {...props} />;
  return <Either {...props} />;
}

function YesNo(props: InputProps): ReactNode {
  const options = [
    { value: "true", label: t("panel.yes") },
    { value: "false", label: t("panel.no") },
  ];
  const value = typeof props.value === "boolean" ? String(props.value) : "";
  return (
    <Combo
      id={props.id}
      value={value}
      options={options}
      onChoose={(next) => props.set(next === "" ? undefined : next === "true")}
      none={t("panel.none")}
      name={props.name}
      saidBy={props.saidBy}
      bad={props.bad}
      readOnly={props.readOnly}
    />
  );
}

/** Text or JSON: one of two boxes, and a sign that turns one into the other. */
function Either(props: InputProps): ReactNode {
  const [json, setJson] = useState(props.value !== undefined && typeof props.value !== "string");
  return (
    <div className="ed-either">
      <div>{json ? <JsonBox {...props} /> : <Line {...props} field={as(props.field, { type: "text" })} />}</div>
      <Turn json={json} onTurn={() => setJson(!json)} name={props.name} />
    </div>
  );
}

/** A value with templates in it. A number for a number stays one, and what begins as JSON where a list or an object is
 * wanted is read as that. */
function Filled({ type, ...props }: InputProps & { type: string }): ReactNode {
  const plain = props.value === undefined || typeof props.value === "string" || typeof props.value === type;
  const [json, setJson] = useState(!plain);
  const set = (value: Json | undefined) => props.set(typeof value === "string" ? meant(value, type) : value);
  return (
    <div className="ed-either">
      <div>{json ? <JsonBox {...props} /> : <Template {...props} value={shownText(props.value) || undefined} set={set} lines={1} />}</div>
      <Turn json={json} onTurn={() => setJson(!json)} name={props.name} />
    </div>
  );
}

function meant(typed: string, type: string): Json {
  if (type === "number" && /^-?\d+(\.\d+)?$/.test(typed.trim())) return Number(typed);
  if (type === "boolean" && (typed === "true" || typed === "false")) return typed === "true";
  return typed;
}

function Turn({ json, onTurn, name }: { json: boolean; onTurn: () => void; name: string }): ReactNode {
  const words = t(json ? "panel.asText" : "panel.asJson");
  return (
    <button type="button" className="ed-icon" title={words} aria-label={`${name}: ${words}`} aria-pressed={json} onClick={onTurn}>
      {json ? <Type size={13} /> : <Braces size={13} />}
    </button>
  );
}
