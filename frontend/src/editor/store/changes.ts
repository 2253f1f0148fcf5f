import type { Change, Json, JsonObject } from "./wire";

/** A change that does not describe what is held: the page then reads everything anew. */
export class ChangeUnfit extends Error {}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const has = (change: Change, key: "old" | "new"): boolean => key in change && change[key] !== undefined;

/** The object with one key more, at that place among its keys. */
function withKey(object: JsonObject, key: string, value: Json, at: number | null | undefined): JsonObject {
  const entries = Object.entries(object).filter(([name]) => name !== key);
  entries.splice(at ?? entries.length, 0, [key, value]);
  return Object.fromEntries(entries);
}

function without(object: JsonObject, key: string): JsonObject {
  const rest: JsonObject = {};
  for (const [name, value] of Object.entries(object)) if (name !== key) rest[name] = value;
  return rest;
}

function atLast(holder: Json, step: string | number, change: Change): Json {
  const value = change.new;
  if (Array.isArray(holder)) {
    if (typeof step !== "number") throw new ChangeUnfit(`${step} is no place in a list`);
    const list = [...holder];
    if (!has(change, "new") || value === undefined) {
      if (step >= list.length) throw new ChangeUnfit("nothing to remove");
      list.splice(step, 1);
    } else if (has(change, "old")) {
      if (step >= list.length) throw new ChangeUnfit("nothing to replace");
      list[step] = value;
    } else {
      const place = change.index ?? step;
      if (place > list.length) throw new ChangeUnfit("no such place");
      list.splice(place, 0, value);
    }
    return list;
  }
  if (!isObject(holder) || typeof step !== "string") throw new ChangeUnfit("no such place");
  if (!has(change, "new") || value === undefined) return without(holder, step);
  if (has(change, "old")) return { ...holder, [step]: value };
  return withKey(holder, step, value, change.index);
}

function into(holder: Json, path: readonly (string | number)[], change: Change): Json {
  const [step, ...rest] = path;
  if (step === undefined) {
    if (change.new === undefined) throw new ChangeUnfit("the whole cannot be removed");
    return change.new;
  }
  if (!rest.length) return atLast(holder, step, change);
  if (Array.isArray(holder) && typeof step === "number") {
    const inner = holder[step];
    if (inner === undefined) throw new ChangeUnfit("no such place");
    const list = [...holder];
    list[step] = into(inner, rest, change);
    return list;
  }
  if (!isObject(holder) || typeof step !== "string") throw new ChangeUnfit("no such place");
  const inner = holder[step];
  if (inner === undefined) throw new ChangeUnfit("no such place");
  return { ...holder, [step]: into(inner, rest, change) };
}

/** The documents after these changes, one after the other. What a change does not touch stays the same object. Throws ChangeUnfit. */
export function applyChanges<D extends { flow: Json; layout: Json }>(held: D, changes: readonly Change[]): { flow: Json; layout: Json } {
  let { flow, layout }: { flow: Json; layout: Json } = held;
  for (const change of changes) {
    if (change.doc === "flow") flow = into(flow, change.path, change);
    else layout = into(layout, change.path, change);
  }
  return { flow, layout };
}
