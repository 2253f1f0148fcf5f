import { channelsOf, nodesOf, object, toolsOf } from "../store/document";
import { isObject } from "../store/changes";
import { store } from "../store/state";
import type { Json, JsonObject, Language, Operation, XY } from "../store/wire";
import { traffic } from "./cards";
import { kindOf } from "./kinds";

/** Copied steps, as they lie on the clipboard of the system: text that another flow, or another window, can read. */
export interface Fragment {
  nodes: JsonObject[];
  edges: JsonObject[];
  channels: Record<string, JsonObject>;
  tools: JsonObject[];
  positions: Record<string, XY>;
}

const MARK = "lgstudio/steps";

/** The chosen steps with the lines between them and the channels and tools that they name. */
export function fragmentOf(flow: JsonObject, ids: ReadonlySet<string>, places: Record<string, XY>, language: Language | null): Fragment {
  const chosen = nodesOf(flow).filter((node) => ids.has(node.id));
  const known = channelsOf(flow);
  const channels: Record<string, JsonObject> = {};
  const called = new Set<string>();
  for (const node of chosen) {
    const kind = kindOf(language, node.type);
    const { reads, writes } = traffic(node.json, kind, known);
    for (const name of [...reads, ...writes]) {
      const channel = known[name];
      if (isObject(channel)) channels[name] = channel;
    }
    for (const field of kind?.fields ?? []) {
      const value = node.json[field.key];
      if (field.ref === "tool" && typeof value === "string") called.add(value);
    }
  }
  const edges = Array.isArray(flow.edges) ? flow.edges.filter(isObject) : [];
  const positions: Record<string, XY> = {};
  for (const { id } of chosen) {
    const at = places[id];
    if (at) positions[id] = { x: Math.round(at.x), y: Math.round(at.y) };
  }
  return {
    nodes: chosen.map((node) => node.json),
    edges: edges.filter((edge) => typeof edge.from === "string" && ids.has(edge.from)),
    channels,
    tools: toolsOf(flow).filter((tool) => typeof tool.name === "string" && called.has(tool.name)),
    positions,
  };
}

export const written = (fragment: Fragment): string => JSON.stringify({ format: MARK, ...fragment }, null, 2);

/** What the clipboard holds, when it holds steps. */
export function readFragment(text: string): Fragment | null {
  if (!text.includes(MARK)) return null;
  try {
    const read: Json = JSON.parse(text);
    if (!isObject(read) || read.format !== MARK) return null;
    const objects = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);
    const nodes = objects(read.nodes).filter((node) => typeof node.id === "string" && node.id);
    if (!nodes.length) return null;
    const channels: Record<string, JsonObject> = {};
    for (const [name, channel] of Object.entries(object(read.channels))) if (isObject(channel)) channels[name] = channel;
    const positions: Record<string, XY> = {};
    for (const [id, at] of Object.entries(object(read.positions))) {
      if (isObject(at) && typeof at.x === "number" && typeof at.y === "number") positions[id] = { x: at.x, y: at.y };
    }
    return { nodes, edges: objects(read.edges), channels, tools: objects(read.tools), positions };
  } catch {
    return null;
  }
}

const STEP = 36;

/** The operation that puts the copy there; without a place, a little beside where it was, and beside earlier copies. */
export function pasteOf(fragment: Fragment, at?: XY, taken: readonly XY[] = Object.values(store.getState().layout.nodes)): Operation {
  const corners = Object.values(fragment.positions);
  const left = Math.min(...corners.map((each) => each.x));
  const top = Math.min(...corners.map((each) => each.y));
  const covers = (by: number) => corners.some((each) => taken.some((one) => Math.abs(each.x + by - one.x) < STEP / 2 && Math.abs(each.y + by - one.y) < STEP / 2));
  let by = STEP;
  while (by < STEP * 100 && covers(by)) by += STEP;
  const offset = at && corners.length ? { x: Math.round(at.x - left), y: Math.round(at.y - top) } : { x: by, y: by };
  return { op: "paste", ...fragment, offset };
}
