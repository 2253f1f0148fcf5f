/** @jsxImportSource react */
import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import type { Field } from "../../generated/language";
import { t } from "../../shared/strings";
import type { Json, JsonObject } from "../store/wire";
import { isObject } from "../store/changes";
import { Fields } from "./Fields";
import { Line } from "./Line";
import { AddButton, RemoveButton } from "./parts";
import type { InputProps } from "./Row";

const EMPTY: Partial<Record<Field["type"], Json>> = { text: "", list: [], map: {}, object: {}, boolean: false };

/** What a new one must say, still empty. */
export function blankOf(fields: readonly Field[]): JsonObject {
  const found: JsonObject = {};
  for (const field of fields) if (field.required) found[field.key] = EMPTY[field.type] ?? startOf(field);
  return found;
}

/** A number begins where it does something: twice, where once is what happens anyway. */
const startOf = (field: Field): number => Math.min((field.min ?? 0) + 1, field.max ?? Infinity);

/** One line for an object of which nothing but its name is said, and a sign that opens the rest. */
function Short({ short, ...props }: InputProps & { short: string }): ReactNode {
  const line = <Line {...props} field={{ ...props.field, type: "text" }} />;
  if (typeof props.value !== "string" || props.readOnly) return line;
  const words = t("panel.more", { name: props.name });
  return (
    <div className="ed-either">
      <div>{line}</div>
      <button type="button" className="ed-icon" title={words} aria-label={words} onClick={() => props.set({ [short]: props.value ?? "" })}>
        <Ellipsis size={13} />
      </button>
    </div>
  );
}

/** A group of fields: there at once, or added and removed as a whole where that means something. */
export function ObjectOf(props: InputProps): ReactNode {
  const { field, value, set, readOnly, path } = props;
  const fields = field.item ?? [];
  if (field.short && !isObject(value)) return <Short {...props} short={field.short} />;
  if (field.adds && !isObject(value)) {
    return readOnly ? (
      <p className="ed-help">{t("panel.none")}</p>
    ) : (
      <AddButton words={t("panel.addWhat", { what: field.label.toLowerCase() })} onAdd={() => set(blankOf(fields))} />
    );
  }
  return (
    <div className="ed-group">
      <Fields fields={fields} under={path} />
      {field.adds && !readOnly ? <RemoveButton words={t("panel.removeWhat", { what: field.label.toLowerCase() })} onRemove={() => set(undefined)} /> : null}
    </div>
  );
}
