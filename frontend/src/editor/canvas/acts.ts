import { t } from "../../shared/strings";
import { newKey } from "../../shared/api";
import { editor } from "../store/editor";
import { END, FANOUT, freeId, nodeById, nodesOf, waysOf, type Way } from "../store/document";
import type { Outcome } from "../store/queue";
import { store } from "../store/state";
import type { KindShape, Operation, Splice, XY } from "../store/wire";
import { fragmentOf, pasteOf, type Fragment } from "./clipboard";
import { isChosen, placer } from "./graph";
import { blankOf, nameFor } from "./kinds";
import { freePlace, GAP_X, unplaced, WIDTH, arranged } from "./places";

const rounded = ({ x, y }: XY): XY => ({ x: Math.round(x), y: Math.round(y) });

/** Where every step stands now. */
export function placesNow(): Record<string, XY> {
  const state = store.getState();
  const at = placer(state);
  const found: Record<string, XY> = {};
  for (const { id } of nodesOf(state.flow)) {
    const place = at(id);
    if (place) found[id] = place;
  }
  return found;
}

/** Steps that were only put somewhere by themselves get their place for good with the first thing that is moved. */
function settled(positions: Record<string, XY>): Record<string, XY> {
  const { flow, layout } = store.getState();
  if (!flow) return positions;
  const now = placesNow();
  const all: Record<string, XY> = {};
  for (const id of unplaced(flow, layout, {})) {
    const at = now[id];
    if (at) all[id] = rounded(at);
  }
  return { ...all, ...positions };
}

export function moveTo(positions: Record<string, XY>): void {
  const all: Record<string, XY> = {};
  for (const [id, at] of Object.entries(positions)) all[id] = rounded(at);
  if (Object.keys(all).length) void editor.edit("", [{ op: "move", positions: settled(all) }]);
}

/** A line's way as a splice names it; only lines that always or conditionally go on can be cut. */
export function spliceOf(way: Way | undefined): Splice | null {
  if (!way || (way.kind !== "plain" && way.kind !== "route")) return null;
  return { from: way.from, to: way.to, ...(way.route === undefined ? {} : { route: way.route }) };
}

export interface Adding {
  kind: KindShape;
  at: XY;
  splice?: Splice | null;
  /** The step that the new one comes after. */
  after?: string | null;
}

/** Adds a step and chooses it. The first one of a flow leads to its end, so that there is something to run at once. */
export async function addStep({ kind, at, splice, after }: Adding): Promise<string | null> {
  const { flow } = store.getState();
  const id = freeId(flow, nameFor(kind));
  const place = rounded(freePlace(at, Object.values(placesNow())));
  const operations: Operation[] = [{ op: "addNode", node: blankOf(kind, id), position: place, ...(splice ? { splice } : {}) }];
  if (after && !splice) operations.push({ op: "connect", from: after, to: id });
  if (!nodesOf(flow).length) operations.push({ op: "connect", from: id, to: END });
  const outcome = await editor.edit("", operations);
  if (!outcome.ok) return null;
  editor.select({ nodes: [id] });
  return id;
}

/** What a step that is chosen in the palette follows: the one that is chosen, where it has one way on at most. */
export function addBeside(kind: KindShape, middle: XY): Promise<string | null> {
  const { flow, selection } = store.getState();
  const [id, ...others] = selection.nodes;
  const from = id === undefined || others.length ? undefined : placesNow()[id];
  const ways = waysOf(flow).filter((way) => way.from === id && (way.kind === "plain" || way.kind === "route"));
  if (!id || !from || ways.length > 1 || ways[0]?.kind === "route") return addStep({ kind, at: middle });
  const at = { x: from.x + WIDTH + GAP_X, y: from.y };
  return addStep({ kind, at, splice: spliceOf(ways[0]), after: id });
}

export async function connect(from: string, to: string): Promise<void> {
  const node = nodeById(store.getState().flow).get(from);
  if (node?.type === FANOUT && to !== END) {
    await editor.edit("", [{ op: "setField", on: { node: from }, path: ["to"], value: to }]);
    return;
  }
  const outcome = await editor.edit("", [{ op: "connect", from, to }]);
  if (!outcome.ok) return;
  const ways = waysOf(store.getState().flow).filter((way) => way.from === from && way.kind === "route");
  // From now on there is something to decide here: what leads which way.
  if (ways.length) editor.select({ edges: [{ from }] });
}

/** What takes a line's end to another step. */
export function leadTo(way: Way, newTo: string): Operation {
  if (way.kind === "error") return { op: "setField", on: { node: way.from }, path: ["onError"], value: newTo };
  if (way.kind === "reject") return { op: "setField", on: { node: way.from }, path: ["approval", "onReject"], value: newTo };
  if (way.kind === "each") return { op: "setField", on: { node: way.from }, path: ["to"], value: newTo };
  return { op: "reconnect", from: way.from, to: way.to, newTo, ...(way.route === undefined ? {} : { route: way.route }) };
}

export function cut(way: Way): Operation {
  if (way.kind === "error") return { op: "setField", on: { node: way.from }, path: ["onError"] };
  if (way.kind === "reject") return { op: "setField", on: { node: way.from }, path: ["approval", "onReject"] };
  if (way.kind === "each") return { op: "setField", on: { node: way.from }, path: ["to"], value: "" };
  return { op: "disconnect", from: way.from, to: way.to, ...(way.route === undefined ? {} : { route: way.route }) };
}

/** Removes what is chosen. heal: what led to a removed step leads to what came after it. */
export function removeChosen(lines: readonly Way[], heal = true): void {
  const { selection } = store.getState();
  const operations: Operation[] = [];
  const gone = new Set(selection.nodes);
  for (const way of lines) if (!gone.has(way.from) && !gone.has(way.to)) operations.push(cut(way));
  if (selection.nodes.length) operations.push({ op: "removeNodes", ids: selection.nodes, heal });
  if (selection.comment) operations.push({ op: "removeComment", id: selection.comment });
  if (!operations.length) return;
  editor.choose({});
  void editor.edit("", operations);
}

/** The lines that are chosen: those of the selection, and the quiet ones that only the canvas knows. */
export function chosenWays(quiet: ReadonlySet<string>): Way[] {
  const { flow, selection } = store.getState();
  return waysOf(flow).filter((way) => quiet.has(way.id) || isChosen(way, selection.edges));
}

export function copied(): Fragment | null {
  const { flow, selection, language } = store.getState();
  if (!flow || !selection.nodes.length) return null;
  return fragmentOf(flow, new Set(selection.nodes), placesNow(), language);
}

/** Puts a copy on the canvas and chooses it. at: where its upper left corner goes; else beside where it was. */
export async function putFragment(fragment: Fragment, at?: XY): Promise<void> {
  const outcome = await editor.edit("", [pasteOf(fragment, at)]);
  if (!outcome.ok) return;
  const ids = fragment.nodes.map((node) => String(node.id)).map((id) => outcome.renamed[id] ?? id);
  editor.choose({ nodes: ids.filter((id) => nodeById(store.getState().flow).has(id)) });
  const renamed = Object.entries(outcome.renamed).filter(([old, now]) => old !== now);
  if (renamed.length) editor.notify(t("edit.pasteRenamed", { names: renamed.map(([old, now]) => `${old} → ${now}`).join(", ") }), [], false);
}

export function duplicate(): void {
  const fragment = copied();
  if (fragment) void putFragment(fragment);
}

export function addComment(at: XY): void {
  const id = newKey();
  const { comments } = store.getState().layout;
  const place = rounded(freePlace(at, [...Object.values(placesNow()), ...comments]));
  void editor.edit("", [{ op: "addComment", comment: { id, ...place, width: 220, height: 96, text: "" } }]);
  editor.choose({ comment: id });
}

/** Puts every step in order. */
export async function arrange(heights: (id: string) => number): Promise<void> {
  const { flow } = store.getState();
  if (!flow) return;
  const positions = await arranged(flow, heights);
  if (Object.keys(positions).length) void editor.edit(t("edit.arranged"), [{ op: "move", positions }]);
}

export const startWith = (id: string): Promise<Outcome> => editor.edit("", [{ op: "setStart", id }]);
