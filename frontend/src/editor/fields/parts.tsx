/** @jsxImportSource react */
import { ArrowDown, ArrowUp, Plus, Trash2, X } from "lucide-react";
import { useId, type ReactNode } from "react";
import type { Field } from "../../generated/language";
import { t } from "../../shared/strings";
import { object } from "../store/document";
import type { Json, JsonObject } from "../store/wire";
import { useKey } from "./Line";
import { useTyping, WHOLE_MS } from "./typing";

/** The object with one key under another name, in its place. */
export function renamedKey(of: JsonObject, from: string, to: string): JsonObject {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key === from ? to : key, value]));
}

export function withoutKey(of: JsonObject, gone: string): JsonObject {
  return Object.fromEntries(Object.entries(of).filter(([key]) => key !== gone));
}

/** The object with one key a place earlier or later. */
export function movedKey(of: JsonObject, key: string, by: number): JsonObject {
  const entries = Object.entries(of);
  const at = entries.findIndex(([each]) => each === key);
  const moved = movedItem(entries, at, by);
  return Object.fromEntries(moved);
}

export function movedItem<T>(of: readonly T[], at: number, by: number): T[] {
  const list = [...of];
  const item = list[at];
  if (item === undefined || at + by < 0 || at + by >= list.length) return list;
  list.splice(at, 1);
  list.splice(at + by, 0, item);
  return list;
}

/** A name that the object does not have yet. */
export function freeKey(of: JsonObject, wanted: string): string {
  if (!(wanted in of)) return wanted;
  for (let number = 2; ; number += 1) if (!(`${wanted}_${number}` in of)) return `${wanted}_${number}`;
}

/** A word of another type, without what only the old type may have. */
export function retyped(fields: readonly Field[], value: Json | undefined, type: string): JsonObject {
  const kept = Object.entries(object(value)).filter(([key]) => {
    const types = fields.find((field) => field.key === key)?.belongs ?? [];
    return !types.length || types.includes(type);
  });
  const next = Object.fromEntries(kept);
  return "type" in next ? { ...next, type } : { type, ...next };
}

interface KeyBoxProps {
  name: string;
  at: string;
  taken: (name: string) => boolean;
  onRename: (to: string) => void;
  label: string;
  readOnly: boolean;
}

/** The name of an entry: changed as a whole, and never to one that another entry has. */
export function KeyBox({ name, at, taken, onRename, label, readOnly }: KeyBoxProps): ReactNode {
  const id = useId();
  const read = (typed: string) => {
    const next = typed.trim();
    if (!next) return { wrong: t("panel.name.empty") };
    return next !== name && taken(next) ? { wrong: t("panel.name.taken", { name: next }) } : { value: next };
  };
  const typing = useTyping<string>(`${useKey(at)} name`, name, read, (next) => next !== name && onRename(next), WHOLE_MS);
  return (
    <span className="ed-keybox">
      <input
        className="input input-mono"
        value={typing.text}
        readOnly={readOnly}
        aria-label={label}
        aria-invalid={typing.wrong !== null || undefined}
        aria-describedby={typing.wrong === null ? undefined : id}
        spellCheck={false}
        onChange={(event) => typing.type(event.target.value)}
        onBlur={typing.settle}
        onKeyDown={(event) => {
          if (event.key === "Enter") typing.settle();
        }}
      />
      {typing.wrong === null ? null : (
        <span id={id} className="ed-wrong" role="status">
          {typing.wrong}
        </span>
      )}
    </span>
  );
}

interface OrderProps {
  name: string;
  first: boolean;
  last: boolean;
  onMove: (by: number) => void;
  onRemove: () => void;
}

/** Moves an entry up or down, or takes it away. */
export function Order({ name, first, last, onMove, onRemove }: OrderProps): ReactNode {
  return (
    <span className="ed-order">
      <button type="button" className="ed-icon" disabled={first} title={t("panel.up")} aria-label={t("panel.upOf", { name })} onClick={() => onMove(-1)}>
        <ArrowUp size={13} />
      </button>
      <button type="button" className="ed-icon" disabled={last} title={t("panel.down")} aria-label={t("panel.downOf", { name })} onClick={() => onMove(1)}>
        <ArrowDown size={13} />
      </button>
      <button type="button" className="ed-icon ed-icon-bad" title={t("panel.remove")} aria-label={t("panel.removeOf", { name })} onClick={onRemove}>
        <X size={13} />
      </button>
    </span>
  );
}

export function AddButton({ words, onAdd }: { words: string; onAdd: () => void }): ReactNode {
  return (
    <button type="button" className="ed-act" onClick={onAdd}>
      <Plus size={13} />
      {words}
    </button>
  );
}

export function RemoveButton({ words, onRemove }: { words: string; onRemove: () => void }): ReactNode {
  return (
    <button type="button" className="ed-act ed-act-bad" onClick={onRemove}>
      <Trash2 size={13} />
      {words}
    </button>
  );
}
