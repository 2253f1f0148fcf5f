import { isObject } from "./changes";
import type { Comment, Json, JsonObject, Layout, XY } from "./wire";

/** The mark at which a flow ends, as edges name it. */
export const END = "END";

/** The kind of step that runs another for each item of a list, and leads to it by its own words. */
export const FANOUT = "fanout";

export interface NodeOf {
  id: string;
  type: string;
  /** Its place in `nodes`. */
  at: number;
  json: JsonObject;
}

/** One way from a step to another. kind: a plain edge, a route of a conditional one, what follows a failure or a no, what runs for each item. */
export interface Way {
  id: string;
  kind: "plain" | "route" | "error" | "reject" | "each";
  from: string;
  to: string;
  route?: string;
  when?: string;
  /** Its place in `edges`; for the quiet ones that of their node. */
  at: number;
}

export function parseFlow(text: string): JsonObject | null {
  try {
    const read: Json = JSON.parse(text);
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}

export const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
export const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

function kept<T>(make: (flow: JsonObject) => T): (flow: JsonObject | null) => T {
  const made = new WeakMap<JsonObject, T>();
  const none = make({});
  return (flow) => {
    if (!flow) return none;
    const known = made.get(flow);
    if (known !== undefined) return known;
    const fresh = make(flow);
    made.set(flow, fresh);
    return fresh;
  };
}

export const nodesOf = kept((flow): NodeOf[] => {
  const found: NodeOf[] = [];
  const seen = new Set<string>();
  list(flow.nodes).forEach((json, at) => {
    if (!isObject(json)) return;
    const id = text(json.id);
    // Two nodes of one name are a problem in words; only the first can be drawn under it.
    if (!id || seen.has(id)) return;
    seen.add(id);
    found.push({ id, type: text(json.type) || "handler", at, json });
  });
  return found;
});

export const nodeById = kept((flow): Map<string, NodeOf> => new Map(nodesOf(flow).map((node) => [node.id, node])));

export const wayId = (kind: Way["kind"], from: string, route?: string): string => `${kind} ${from}${route === undefined ? "" : ` ${route}`}`;

export const waysOf = kept((flow): Way[] => {
  const ways = new Map<string, Way>();
  const add = (way: Omit<Way, "id">) => {
    const id = wayId(way.kind, way.from, way.route);
    if (way.from && way.to && !ways.has(id)) ways.set(id, { id, ...way });
  };
  list(flow.edges).forEach((json, at) => {
    if (!isObject(json)) return;
    const from = text(json.from);
    if (isObject(json.routes)) {
      for (const [route, to] of Object.entries(json.routes)) {
        add({ kind: "route", from, to: text(to), route, when: text(object(json.when)[route]), at });
      }
    } else add({ kind: "plain", from, to: text(json.to), at });
  });
  for (const node of nodesOf(flow)) {
    add({ kind: "error", from: node.id, to: text(node.json.onError), at: node.at });
    add({ kind: "reject", from: node.id, to: text(object(node.json.approval).onReject), at: node.at });
    if (node.type === FANOUT) add({ kind: "each", from: node.id, to: text(node.json.to), when: text(node.json.as), at: node.at });
  }
  return [...ways.values()];
});

export const startOf = (flow: JsonObject | null): string => text(flow?.start);
export const channelsOf = (flow: JsonObject | null): JsonObject => object(flow?.state);
export const names = (value: Json | undefined): string[] => list(value).filter((one) => typeof one === "string");

export const toolsOf = (flow: JsonObject | null): JsonObject[] => list(flow?.tools).filter(isObject);

/** `pick_customer` and `pickCustomer` as words: Pick customer. */
export function labelOf(id: string): string {
  const words = id
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim();
  if (!words) return id;
  return words[0]!.toUpperCase() + words.slice(1).replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
}

/** A name that no step of the flow has: wanted, wanted_2, wanted_3 … */
export function freeId(flow: JsonObject | null, wanted: string): string {
  const taken = new Set(nodesOf(flow).map((node) => node.id));
  taken.add(END);
  const base = wanted.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^[^A-Za-z]+/, "") || "step";
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) if (!taken.has(`${base}_${number}`)) return `${base}_${number}`;
}

function place(value: Json | undefined): XY | null {
  const at = object(value);
  return typeof at.x === "number" && typeof at.y === "number" ? { x: at.x, y: at.y } : null;
}

/** A layout as the server keeps it, whatever is missing. */
export function readLayout(value: Json | undefined): Layout {
  const whole = object(value);
  const nodes: Record<string, XY> = {};
  for (const [id, at] of Object.entries(object(whole.nodes))) {
    const found = place(at);
    if (found) nodes[id] = found;
  }
  const comments: Comment[] = [];
  for (const each of list(whole.comments)) {
    const json = object(each);
    const at = place(json);
    if (!at || typeof json.id !== "string") continue;
    const size = (side: Json | undefined, usual: number) => (typeof side === "number" && side > 0 ? side : usual);
    comments.push({ ...at, id: json.id, width: size(json.width, 220), height: size(json.height, 96), text: text(json.text) });
  }
  return { nodes, comments };
}
