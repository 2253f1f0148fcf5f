/** @jsxImportSource react */
import { ChevronRight } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { t } from "../../shared/strings";
import { isObject } from "../store/changes";
import { object, text } from "../store/document";
import { valueAt } from "../store/optimism";
import { pathOf } from "../store/paths";
import type { Json, JsonObject } from "../store/wire";
import { Combo } from "./Combo";
import { Fields } from "./Fields";
import { useAsked } from "./FormFields";
import { AddButton, freeKey, KeyBox, movedKey, Order, RemoveButton, renamedKey, retyped, withoutKey } from "./parts";
import { Problems, type InputProps } from "./Row";
import { Compact, problemsAt, setting, useScope, useWord, type Steps } from "./scope";

/** The shape that a model must answer in, as deep as it is. */
export function AnswerShape(props: InputProps): ReactNode {
  const { value, set, readOnly, field } = props;
  if (!isObject(value)) {
    return readOnly ? (
      <p className="ed-help">{t("panel.none")}</p>
    ) : (
      <AddButton words={t("panel.addWhat", { what: field.label.toLowerCase() })} onAdd={() => set({ type: "object", properties: {} })} />
    );
  }
  return (
    <div className="ed-shape">
      <Compact>
        <ShapeBody path={props.path} />
      </Compact>
      {readOnly ? null : <RemoveButton words={t("panel.removeWhat", { what: field.label.toLowerCase() })} onRemove={() => set(undefined)} />}
    </div>
  );
}

/** What a change of type makes of a shape: a list says its entries, an object its properties. */
function asType(fields: Parameters<typeof retyped>[0], value: Json | undefined, type: string): JsonObject {
  const next = retyped(fields, value, type);
  if (type === "object" && next.properties === undefined) return { ...next, properties: {} };
  return type === "list" && next.items === undefined ? { ...next, items: { type: "string" } } : next;
}

/** One shape: its type, what it means, its limits, and the shapes inside it. bare: the type stands elsewhere. */
function ShapeBody({ path, bare = false }: { path: Steps; bare?: boolean }): ReactNode {
  const { language } = useScope();
  const word = useWord();
  const value = object(valueAt(word.value, path));
  const plain = language.schema.filter((field) => field.widget !== "schema" && field.key !== "type" && field.key !== "required");
  return (
    <>
      {bare ? null : <TypeOf path={path} />}
      <Fields fields={plain} under={path} />
      {value.type === "object" || value.properties !== undefined ? <Properties path={path} /> : null}
      {value.type === "list" || value.items !== undefined ? <Items path={[...path, "items"]} /> : null}
    </>
  );
}

function TypeOf({ path, name = "" }: { path: Steps; name?: string }): ReactNode {
  const scope = useScope();
  const word = useWord();
  const id = useId();
  const value = object(valueAt(word.value, path));
  const field = scope.language.schema.find((each) => each.key === "type");
  const at = pathOf([...word.base, ...path, "type"]);
  const found = problemsAt(scope.problems, at, true);
  const combo = (
    <Combo
      id={id}
      value={text(value.type)}
      options={(field?.choices ?? []).map((one) => ({ value: one.value }))}
      onChoose={(next) => void scope.edit(t("panel.change", { what: t("panel.shape"), of: word.name }), [setting(word, path, asType(scope.language.schema, value, next))])}
      name={name ? t("panel.typeOf", { name }) : (field?.label ?? "")}
      bad={found.length > 0}
      readOnly={scope.readOnly}
    />
  );
  if (name) return combo;
  return (
    <div className="ed-field" data-path={at}>
      <div className="ed-label">
        <label htmlFor={id}>{field?.label}</label>
      </div>
      {combo}
      {found.map((one, index) => (
        <Problems key={index} problem={one} />
      ))}
    </div>
  );
}

function Items({ path }: { path: Steps }): ReactNode {
  return (
    <div className="ed-shape-items">
      <p className="ed-label">{t("panel.shape.entry")}</p>
      <ShapeBody path={path} />
    </div>
  );
}

function Properties({ path }: { path: Steps }): ReactNode {
  const scope = useScope();
  const word = useWord();
  const whole = object(valueAt(word.value, path));
  const map = object(whole.properties);
  const needed = Array.isArray(whole.required) ? whole.required : [];
  const names = Object.keys(map);
  const [opened, setOpened] = useState<string | null>(null);
  const put = (properties: JsonObject, required: Json[] = needed) => {
    const next: JsonObject = { ...whole, properties };
    const rest = required.length ? { ...next, required } : withoutKey(next, "required");
    void scope.edit(t("panel.change", { what: t("panel.shape"), of: word.name }), [setting(word, path, rest)]);
  };
  const found = problemsAt(scope.problems, pathOf([...word.base, ...path]), false).concat(
    problemsAt(scope.problems, pathOf([...word.base, ...path, "required"]), true),
  );
  return (
    <div className="ed-rows" data-path={pathOf([...word.base, ...path, "properties"])}>
      <p className="ed-label">{t("panel.shape.properties")}</p>
      {names.map((name, at) => (
        <Property
          key={name}
          path={[...path, "properties", name]}
          name={name}
          taken={(next) => next in map}
          needed={needed.includes(name)}
          open={opened === name}
          onOpen={() => setOpened(opened === name ? null : name)}
          first={at === 0}
          last={at === names.length - 1}
          onRename={(to) => put(renamedKey(map, name, to), needed.map((each) => (each === name ? to : each)))}
          onNeed={() => put(map, needed.includes(name) ? needed.filter((each) => each !== name) : [...needed, name])}
          onMove={(by) => put(movedKey(map, name, by))}
          onRemove={() => put(withoutKey(map, name), needed.filter((each) => each !== name))}
        />
      ))}
      {found.map((one, index) => (
        <Problems key={index} problem={one} />
      ))}
      {scope.readOnly ? null : (
        <AddButton
          words={t("panel.shape.add")}
          onAdd={() => {
            const name = freeKey(map, t("panel.shape.new"));
            put({ ...map, [name]: { type: "string" } }, [...needed, name]);
            setOpened(name);
          }}
        />
      )}
    </div>
  );
}

interface PropertyProps {
  path: Steps;
  name: string;
  taken: (name: string) => boolean;
  needed: boolean;
  open: boolean;
  onOpen: () => void;
  first: boolean;
  last: boolean;
  onRename: (to: string) => void;
  onNeed: () => void;
  onMove: (by: number) => void;
  onRemove: () => void;
}

function Property(props: PropertyProps): ReactNode {
  const { path, name, taken, needed, open, onOpen, first, last, onRename, onNeed, onMove, onRemove } = props;
  const scope = useScope();
  const word = useWord();
  const at = pathOf([...word.base, ...path]);
  const bad = problemsAt(scope.problems, at, true).some((one) => one.level === "error");
  const asked = useAsked(at);
  const shown = open || asked;
  return (
    <div className="ed-row" data-path={at} data-open={shown} data-bad={bad || undefined}>
      <div className="ed-row-head">
        <button type="button" className="ed-icon" aria-expanded={shown} aria-label={t("panel.fields.more", { name })} onClick={onOpen}>
          <ChevronRight size={14} className="ed-turn" />
        </button>
        <KeyBox name={name} at={at} taken={taken} onRename={onRename} label={t("panel.nameOf", { name })} readOnly={scope.readOnly} />
        <TypeOf path={path} name={name} />
        {scope.readOnly ? null : <Order name={name} first={first} last={last} onMove={onMove} onRemove={onRemove} />}
      </div>
      {shown ? (
        <div className="ed-row-body">
          <label className="ed-switch">
            <input type="checkbox" role="switch" checked={needed} disabled={scope.readOnly} onChange={onNeed} />
            <span className="ed-switch-track" aria-hidden="true" />
            <span>{t("panel.shape.needed")}</span>
          </label>
          <ShapeBody path={path} bare />
        </div>
      ) : null}
    </div>
  );
}
