import { END, nodesOf, startOf, waysOf } from "../store/document";
import type { JsonObject, Layout, XY } from "../store/wire";

export const WIDTH = 212;
export const HEIGHT = 96;
/** How far under its upper edge the lines at the sides of a card meet it. */
export const PORT = 44;
export const GAP_X = 88;
export const GAP_Y = 44;

export type Side = "l" | "r" | "t" | "b";

/** The sides at which a line leaves one card and reaches another, by where the two stand. */
export function sidesOf(from: XY, to: XY, targetWidth = WIDTH): { source: Side; target: Side } {
  const ahead = to.x - (from.x + WIDTH);
  const down = to.y - from.y;
  const apart = Math.abs(down) > HEIGHT * 0.9;
  if (ahead > 12) return { source: "r", target: "l" };
  const middle = Math.abs(from.x + WIDTH / 2 - (to.x + targetWidth / 2));
  if (apart && (middle < WIDTH * 1.1 || ahead < 12)) return down > 0 ? { source: "b", target: "t" } : { source: "t", target: "b" };
  return { source: "b", target: "b" };
}

/** The steps without a place of their own. */
export function unplaced(flow: JsonObject, layout: Layout, auto: Record<string, XY>): string[] {
  return nodesOf(flow)
    .map((node) => node.id)
    .filter((id) => !layout.nodes[id] && !auto[id]);
}

const overlap = (one: XY, two: XY): boolean => Math.abs(one.x - two.x) < WIDTH + 20 && Math.abs(one.y - two.y) < HEIGHT + 16;

/** A place as near as can be where no other card stands. */
export function freePlace(wanted: XY, taken: readonly XY[]): XY {
  const at = { ...wanted };
  for (let tries = 0; tries < 200; tries += 1) {
    const hit = taken.find((each) => overlap(each, at));
    if (!hit) break;
    at.y = hit.y + HEIGHT + GAP_Y;
  }
  return at;
}

/** Places for steps that came without one, beside the steps that lead to them. */
export function besides(flow: JsonObject, known: Record<string, XY>, lost: readonly string[]): Record<string, XY> {
  const found: Record<string, XY> = {};
  const taken = Object.values(known);
  for (const id of lost) {
    const before = waysOf(flow)
      .filter((way) => way.to === id)
      .map((way) => known[way.from] ?? found[way.from])
      .find((at) => at !== undefined);
    const after = waysOf(flow)
      .filter((way) => way.from === id)
      .map((way) => known[way.to] ?? found[way.to])
      .find((at) => at !== undefined);
    const lowest = taken.reduce((most, at) => Math.max(most, at.y), -HEIGHT - GAP_Y);
    const wanted = before
      ? { x: before.x + WIDTH + GAP_X, y: before.y }
      : after
        ? { x: after.x - WIDTH - GAP_X, y: after.y }
        : { x: taken[0]?.x ?? 0, y: lowest + HEIGHT + GAP_Y };
    const at = freePlace(wanted, taken);
    found[id] = at;
    taken.push(at);
  }
  return found;
}

/** Where the END mark stands: after the last of the steps that lead to it. */
export function endPlace(flow: JsonObject, at: (id: string) => XY | undefined): XY | null {
  const all = nodesOf(flow)
    .map((node) => at(node.id))
    .filter((each) => each !== undefined);
  if (!all.length) return null;
  const last = waysOf(flow)
    .filter((way) => way.to === END && (way.kind === "plain" || way.kind === "route"))
    .map((way) => at(way.from))
    .filter((each) => each !== undefined);
  const from = last.length ? last : all;
  const right = Math.max(...from.map((each) => each.x));
  const middle = from.reduce((sum, each) => sum + each.y, 0) / from.length;
  const wanted = { x: right + WIDTH + GAP_X, y: middle + PORT - 12 };
  // Not upon another card: under it then.
  for (let tries = 0; tries < 60; tries += 1) {
    const hit = all.find((each) => wanted.x < each.x + WIDTH + 12 && wanted.x + 64 > each.x - 12 && wanted.y < each.y + HEIGHT + 8 && wanted.y + 28 > each.y - 8);
    if (!hit) break;
    wanted.y = hit.y + HEIGHT + 24;
  }
  return wanted;
}

/** Lets dagre put everything in order, from left to right. It is fetched when it is first needed. */
export async function arranged(flow: JsonObject, heights: (id: string) => number = () => HEIGHT): Promise<Record<string, XY>> {
  const { Graph, layout } = await import("@dagrejs/dagre");
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: GAP_Y, ranksep: GAP_X, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  const start = startOf(flow);
  const all = nodesOf(flow);
  // The first step leads the order in which ties are broken.
  for (const node of [...all].sort((one, two) => Number(two.id === start) - Number(one.id === start))) {
    graph.setNode(node.id, { width: WIDTH, height: heights(node.id) });
  }
  const known = new Set(all.map((node) => node.id));
  for (const way of waysOf(flow)) {
    if (!known.has(way.to) || way.to === way.from) continue;
    const quiet = way.kind === "error" || way.kind === "reject";
    if (quiet && graph.hasEdge(way.from, way.to)) continue;
    graph.setEdge(way.from, way.to, { weight: quiet ? 0 : 2, minlen: 1 });
  }
  layout(graph);
  const places: Record<string, XY> = {};
  for (const node of all) {
    const at = graph.node(node.id);
    places[node.id] = { x: Math.round(Number(at.x) - WIDTH / 2), y: Math.round(Number(at.y) - heights(node.id) / 2) };
  }
  return places;
}
