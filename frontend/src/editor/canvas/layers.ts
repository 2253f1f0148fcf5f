import { nodesOf, startOf, waysOf } from "../store/document";
import type { JsonObject, XY } from "../store/wire";
import { GAP_X, GAP_Y, HEIGHT, WIDTH } from "./places";

interface Net {
  ids: string[];
  next: Map<string, string[]>;
  before: Map<string, string[]>;
}

/** The steps and what leads where, without the lines that lead back. */
function netOf(flow: JsonObject): Net {
  const start = startOf(flow);
  const all = nodesOf(flow).map((node) => node.id);
  const ids = all.includes(start) ? [start, ...all.filter((id) => id !== start)] : all;
  const known = new Set(ids);
  const out = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const way of waysOf(flow)) if (known.has(way.to) && known.has(way.from) && way.to !== way.from) out.get(way.from)?.push(way.to);
  const next = new Map<string, string[]>(ids.map((id) => [id, []]));
  const before = new Map<string, string[]>(ids.map((id) => [id, []]));
  const state = new Map<string, "open" | "done">();
  for (const root of ids) {
    if (state.has(root)) continue;
    // A walk with a list of its own: a long flow is deeper than a stack.
    const stack: { id: string; at: number }[] = [{ id: root, at: 0 }];
    state.set(root, "open");
    while (stack.length) {
      const top = stack[stack.length - 1]!;
      const to = out.get(top.id)?.[top.at];
      top.at += 1;
      if (to === undefined) {
        state.set(top.id, "done");
        stack.pop();
        continue;
      }
      if (state.get(to) === "open") continue;
      next.get(top.id)?.push(to);
      before.get(to)?.push(top.id);
      if (!state.has(to)) {
        state.set(to, "open");
        stack.push({ id: to, at: 0 });
      }
    }
  }
  return { ids, next, before };
}

/** The column of each step: after the last of those that lead to it. */
function columnsOf({ ids, next, before }: Net): string[][] {
  const left = new Map(ids.map((id) => [id, before.get(id)?.length ?? 0]));
  const column = new Map<string, number>();
  const ready = ids.filter((id) => !left.get(id));
  for (const id of ready) {
    const at = Math.max(-1, ...(before.get(id) ?? []).map((each) => column.get(each) ?? -1)) + 1;
    column.set(id, at);
    for (const to of next.get(id) ?? []) {
      const more = (left.get(to) ?? 0) - 1;
      left.set(to, more);
      if (!more) ready.push(to);
    }
  }
  const columns: string[][] = [];
  for (const id of ids) (columns[column.get(id) ?? 0] ??= []).push(id);
  return columns;
}

/** Puts a long flow in columns in one pass: not the fewest crossings, but at once. */
export function layered(flow: JsonObject): Record<string, XY> {
  const net = netOf(flow);
  const columns = columnsOf(net);
  const row = new Map<string, number>();
  for (const column of columns) {
    const middle = (id: string): number => {
      const from = (net.before.get(id) ?? []).map((each) => row.get(each)).filter((each) => each !== undefined);
      return from.length ? from.reduce((sum, each) => sum + each, 0) / from.length : 0;
    };
    const wanted = column.map((id, at) => ({ id, at, row: middle(id) })).sort((one, two) => one.row - two.row || one.at - two.at);
    // Each as near to those before it as the one above leaves room; then the whole column back to its middle.
    let last = Number.NEGATIVE_INFINITY;
    for (const each of wanted) last = each.row = Math.max(each.row, last + 1);
    const off = wanted.reduce((sum, each) => sum + each.row - middle(each.id), 0) / wanted.length;
    for (const each of wanted) row.set(each.id, each.row - off);
  }
  const places: Record<string, XY> = {};
  columns.forEach((column, at) => {
    for (const id of column) places[id] = { x: at * (WIDTH + GAP_X), y: Math.round((row.get(id) ?? 0) * (HEIGHT + GAP_Y)) };
  });
  return places;
}
