/** @jsxImportSource react */
import { ChevronRight } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { t } from "../../shared/strings";
import { isObject } from "../store/changes";
import { object, text } from "../store/document";
import { pathOf } from "../store/paths";
import type { JsonObject } from "../store/wire";
import { Combo } from "./Combo";
import { Fields } from "./Fields";
import { AddButton, freeKey, KeyBox, movedKey, Order, RemoveButton, renamedKey, retyped, withoutKey } from "./parts";
import { Problems, type InputProps } from "./Row";
import { Compact, problemsAt, setting, useScope, useWord } from "./scope";
import { Template } from "./Template";

/** Fields that people fill in: written out, or taken from a channel where the word allows a template. */
export function FormFields(props: InputProps): ReactNode {
  const { field, value, set, readOnly } = props;
  const taken = typeof value === "string";
  if (field.ref !== "template") return <Written {...props} />;
  const turn = (next: boolean) => {
    if (next !== taken) set(next ? "{{}}" : {});
  };
  return (
    <>
      <div className="segments" role="group" aria-label={t("panel.fields.from")}>
        <button type="button" className="segment" aria-pressed={!taken} disabled={readOnly} onClick={() => turn(false)}>
          {t("panel.fields.written")}
        </button>
        <button type="button" className="segment" aria-pressed={taken} disabled={readOnly} onClick={() => turn(true)}>
          {t("panel.fields.taken")}
        </button>
      </div>
      {taken ? <Template {...props} lines={1} /> : <Written {...props} />}
    </>
  );
}

function Written(props: InputProps): ReactNode {
  const { field, value, set, readOnly, path } = props;
  const scope = useScope();
  const map = object(value);
  const names = Object.keys(map);
  // The row of a list holds plain values only, and no rows again.
  const inRow = path.includes("of") || field.key === "of";
  const [opened, setOpened] = useState<string | null>(null);
  const found = problemsAt(scope.problems, props.at, false);
  if (field.adds && !isObject(value)) {
    return readOnly ? <p className="ed-help">{t("panel.none")}</p> : <AddButton words={t("panel.addWhat", { what: field.label.toLowerCase() })} onAdd={() => set({})} />;
  }
  return (
    <div className="ed-rows">
      {names.map((name, at) => (
        <FieldItem
          key={name}
          props={props}
          name={name}
          map={map}
          inRow={inRow}
          open={opened === name}
          onOpen={() => setOpened(opened === name ? null : name)}
          first={at === 0}
          last={at === names.length - 1}
        />
      ))}
      {names.length ? null : <p className="ed-help">{t(found.length ? "panel.fields.none" : "panel.fields.empty")}</p>}
      {readOnly ? null : (
        <div className="ed-acts">
          <AddButton
            words={t(inRow ? "panel.fields.addColumn" : "panel.fields.add")}
            onAdd={() => {
              const name = freeKey(map, t("panel.fields.new"));
              set({ ...map, [name]: { type: "string" } });
              setOpened(name);
            }}
          />
          {field.adds ? <RemoveButton words={t("panel.removeWhat", { what: field.label.toLowerCase() })} onRemove={() => set(undefined)} /> : null}
        </div>
      )}
    </div>
  );
}

interface ItemProps {
  props: InputProps;
  name: string;
  map: JsonObject;
  inRow: boolean;
  open: boolean;
  onOpen: () => void;
  first: boolean;
  last: boolean;
}

function FieldItem({ props, name, map, inRow, open, onOpen, first, last }: ItemProps): ReactNode {
  const scope = useScope();
  const word = useWord();
  const path = [...props.path, name];
  const at = pathOf([...word.base, ...path]);
  const fields = scope.language.formField;
  const type = fields.find((field) => field.key === "type");
  const value = object(map[name]);
  const own = problemsAt(scope.problems, at, false);
  const inside = problemsAt(scope.problems, at, true).some((one) => one.level === "error");
  const asked = useAsked(at);
  const shown = open || asked;
  return (
    <div className="ed-row" data-path={at} data-open={shown} data-bad={inside || undefined}>
      <div className="ed-row-head">
        <button type="button" className="ed-icon" aria-expanded={shown} aria-label={t("panel.fields.more", { name })} onClick={onOpen}>
          <ChevronRight size={14} className="ed-turn" />
        </button>
        <KeyBox
          name={name}
          at={at}
          taken={(next) => next in map}
          onRename={(to) => props.set(renamedKey(map, name, to))}
          label={t("panel.nameOf", { name })}
          readOnly={props.readOnly}
        />
        <Combo
          id={`${props.id}-${name}-type`}
          value={text(value.type)}
          options={(type?.choices ?? []).map((one) => ({ value: one.value, ...(one.help ? { help: one.help } : {}) }))}
          onChoose={(next) => void scope.edit(t("panel.change", { what: name, of: word.name }), [setting(word, path, retyped(fields, value, next))])}
          name={t("panel.typeOf", { name })}
          readOnly={props.readOnly}
        />
        {props.readOnly ? null : (
          <Order name={name} first={first} last={last} onMove={(by) => props.set(movedKey(map, name, by))} onRemove={() => props.set(withoutKey(map, name))} />
        )}
      </div>
      {own.map((one, index) => (
        <Problems key={index} problem={one} />
      ))}
      {shown ? (
        <div className="ed-row-body">
          <Compact>
            <Fields fields={fields.filter((field) => field.key !== "type" && !(inRow && field.widget === "fields"))} under={path} />
          </Compact>
        </div>
      ) : null}
    </div>
  );
}

/** Is a problem inside this place being jumped to? Then what is folded opens. */
export function useAsked(at: string): boolean {
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    const open = (event: Event) => {
      if (event instanceof CustomEvent && typeof event.detail === "string" && event.detail !== at && event.detail.startsWith(at)) setAsked(true);
    };
    addEventListener("lgstudio:reveal", open);
    return () => removeEventListener("lgstudio:reveal", open);
  }, [at]);
  return asked;
}
