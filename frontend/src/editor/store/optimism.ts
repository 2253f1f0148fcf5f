import { isObject } from "./changes";
import { object, readLayout } from "./document";
import type { Comment, Json, JsonObject, Operation, Target } from "./wire";

export interface Held {
  flow: JsonObject | null;
  layout: JsonObject;
}

type Steps = readonly (string | number)[];

/** The place of a target in the document; null when it is not there. */
export function placeOf(flow: JsonObject, on: Target): Steps | null {
  const at = (key: string, fits: (each: JsonObject) => boolean): Steps | null => {
    const all = flow[key];
    const found = Array.isArray(all) ? all.findIndex((each) => isObject(each) && fits(each)) : -1;
    return found < 0 ? null : [key, found];
  };
  if ("node" in on) return at("nodes", (each) => each.id === on.node);
  if ("edge" in on) {
    const { from, to } = on.edge;
    return at("edges", (each) => each.from === from && (to == null ? isObject(each.routes) : each.to === to));
  }
  if ("channel" in on) return isObject(flow.state) && on.channel in flow.state ? ["state", on.channel] : null;
  if ("tool" in on) return at("tools", (each) => each.name === on.tool);
  return [];
}

/** The value with another one at that place; a missing object on the way is made. Unchanged when the place cannot be. */
export function put(holder: Json | undefined, steps: Steps, value: Json | undefined): Json | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (Array.isArray(holder)) {
    if (typeof step !== "number" || step > holder.length) return holder;
    const list = [...holder];
    const inner = put(list[step], rest, value);
    if (inner === undefined) list.splice(step, 1);
    else list[step] = inner;
    return list;
  }
  if (holder !== undefined && !isObject(holder)) return holder;
  const inner = put(holder?.[step], rest, value);
  const next: JsonObject = {};
  for (const [key, kept] of Object.entries(holder ?? {})) if (inner !== undefined || key !== String(step)) next[key] = kept;
  if (inner !== undefined) next[step] = inner;
  return next;
}

/** The value at a place; undefined when it is not there. */
export function valueAt(holder: Json | undefined, steps: Steps): Json | undefined {
  let value = holder;
  for (const step of steps) {
    if (Array.isArray(value) && typeof step === "number") value = value[step];
    else if (isObject(value)) value = value[step];
    else return undefined;
  }
  return value;
}

function made(flow: JsonObject, at: Steps, value: Json): JsonObject {
  const next = put(flow, at, value);
  return isObject(next) ? next : flow;
}

const asJson = (comment: Comment): JsonObject => ({ ...comment });

function comments(layout: JsonObject, change: (all: Json[]) => Json[]): JsonObject {
  return { ...layout, comments: change(Array.isArray(layout.comments) ? layout.comments : []) };
}

/** What is shown before the server has agreed: fields, new channels and tools, places and comments. The rest waits for its
 * reply. A channel that is being made is there: whoever names it next does not make it a second time. */
export function expect(held: Held, operations: readonly Operation[]): Held {
  let { flow, layout } = held;
  for (const operation of operations) {
    switch (operation.op) {
      case "setField": {
        const place = flow && placeOf(flow, operation.on);
        if (!flow || !place) break;
        const next = put(flow, [...place, ...operation.path], operation.value);
        if (isObject(next)) flow = next;
        break;
      }
      case "addChannel":
        if (flow && !(operation.name in object(flow.state))) flow = made(flow, ["state", operation.name], operation.channel);
        break;
      case "addTool": {
        const tools = Array.isArray(flow?.tools) ? flow.tools : [];
        const taken = tools.some((each) => isObject(each) && each.name === operation.tool.name);
        if (flow && !taken) flow = made({ tools: [], ...flow }, ["tools", tools.length], operation.tool);
        break;
      }
      case "move": {
        const moved: JsonObject = { ...object(layout.nodes) };
        for (const [id, at] of Object.entries(operation.positions)) moved[id] = { x: at.x, y: at.y };
        layout = { ...layout, nodes: moved };
        break;
      }
      case "addComment":
        layout = comments(layout, (all) => [...all, asJson(operation.comment)]);
        break;
      case "changeComment": {
        const { op: _, ...change } = operation;
        layout = comments(layout, (all) => all.map((each) => (isObject(each) && each.id === change.id ? { ...each, ...change } : each)));
        break;
      }
      case "removeComment":
        layout = comments(layout, (all) => all.filter((each) => !isObject(each) || each.id !== operation.id));
        break;
    }
  }
  return { flow, layout };
}

/** The layout as it is drawn. */
export const drawn = readLayout;

/** Two edits that are one: the same field typed on, the same things pushed on. Null when they are two. */
export function joined(before: readonly Operation[], after: readonly Operation[]): Operation[] | null {
  const [one, ...more] = before;
  const [two, ...others] = after;
  if (!one || !two || more.length || others.length) return null;
  if (one.op === "setField" && two.op === "setField") {
    const same = JSON.stringify([one.on, one.path]) === JSON.stringify([two.on, two.path]);
    // What stood there before both of them is what the first one saw.
    return same ? [{ ...two, was: one.was }] : null;
  }
  if (one.op === "move" && two.op === "move") return [{ op: "move", positions: { ...one.positions, ...two.positions } }];
  if (one.op === "changeComment" && two.op === "changeComment" && one.id === two.id) return [{ ...one, ...two }];
  return null;
}
