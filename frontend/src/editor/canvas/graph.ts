import type { Edge, Node } from "@xyflow/react";
import { END, labelOf, names, nodesOf, waysOf, type Way } from "../store/document";
import type { EdgeRef } from "../store/state";
import type { Comment, JsonObject, Layout, Proposal, RunView, XY } from "../store/wire";
import { t } from "../../shared/strings";
import { badgeWords, type CardView, type Mark } from "./cards";
import { laneOf } from "./lanes";
import { endPlace, sidesOf } from "./places";

export type CardNode = Node<{ card: CardView }, "card">;
export type EndNode = Node<{ outputs: string; lone: boolean }, "end">;
export type NoteNode = Node<{ comment: Comment }, "note">;
export type CanvasNode = CardNode | EndNode | NoteNode;
export type LineEdge = Edge<{ way: Way; mark: Mark; running: boolean; done: boolean; lane: number | null }, "line">;

const NOTE = "note:";
export const noteId = (id: string): string => NOTE + id;
export const commentOf = (id: string): string | null => (id.startsWith(NOTE) ? id.slice(NOTE.length) : null);

export interface Scene {
  flow: JsonObject;
  layout: Layout;
  auto: Record<string, XY>;
  proposal: Proposal | null;
  canEdit: boolean;
}

/** Where a step stands: where somebody put it, where a proposal would, or where it was put by itself. */
export function placer({ layout, auto, proposal }: Pick<Scene, "layout" | "auto" | "proposal">): (id: string) => XY | undefined {
  return (id) => layout.nodes[id] ?? proposal?.layout?.nodes[id] ?? auto[id];
}

/** Lines are drawn at 0: comments lie under them, cards stand over them. */
const DEPTH = { note: -1, card: 1 };

export function nodesToDraw(scene: Scene, cards: readonly CardView[]): CanvasNode[] {
  const at = placer(scene);
  const drawn: CanvasNode[] = scene.layout.comments.map((comment) => ({
    id: noteId(comment.id),
    type: "note",
    position: { x: comment.x, y: comment.y },
    width: comment.width,
    height: comment.height,
    zIndex: DEPTH.note,
    data: { comment },
    ariaLabel: `${t("edit.comment.label")}: ${comment.text}`,
    connectable: false,
  }));
  for (const card of cards) {
    const position = at(card.id);
    if (!position) continue;
    drawn.push({ id: card.id, type: "card", position, zIndex: DEPTH.card, ariaLabel: cardWords(card), data: { card }, draggable: scene.canEdit && card.mark !== "added", connectable: scene.canEdit && card.mark === null });
  }
  const flow = scene.proposal?.document ?? scene.flow;
  const end = scene.layout.nodes[END] ?? endPlace(flow, at);
  if (end && cards.length) {
    drawn.push({ id: END, type: "end", position: end, zIndex: DEPTH.card, ariaLabel: t("edit.a11y.end"), focusable: false, data: { outputs: names(flow.outputs).join(", "), lone: !waysOf(flow).some((way) => way.to === END) }, draggable: false, selectable: false, deletable: false });
  }
  return drawn;
}

/** A card for those who hear it: its name, its kind, what matters most about it. */
function cardWords({ title, kind, says, badge }: CardView): string {
  return [title, kind, says, badge ? badgeWords(badge) : ""].filter(Boolean).join(". ");
}

const moves = (way: Way): boolean => way.kind === "plain" || way.kind === "route" || way.kind === "each";

/** The lines between the cards. A proposal's new ones are among them, and those that it takes away. */
export function edgesToDraw(scene: Scene, run: RunView | null, place: (id: string) => XY | undefined): LineEdge[] {
  const { flow, proposal } = scene;
  const before = new Map(waysOf(flow).map((way) => [way.id, way]));
  const after = new Map(proposal ? waysOf(proposal.document).map((way) => [way.id, way]) : []);
  const known = new Set([...nodesOf(flow), ...nodesOf(proposal?.document ?? null)].map((node) => node.id));
  known.add(END);
  const lines: LineEdge[] = [];
  const cards = [...known].filter((id) => id !== END).map(place).filter((at) => at !== undefined);
  const lanes: number[] = [];
  const draw = (way: Way, mark: Mark) => {
    const from = place(way.from);
    const to = place(way.to);
    if (!from || !to || !known.has(way.from) || !known.has(way.to)) return;
    const sides = sidesOf(from, to, way.to === END ? 64 : undefined);
    // What follows a failure leaves below, apart from the way on.
    const source = moves(way) || sides.source !== "r" ? sides.source : "b";
    const { target } = sides;
    const lane = target === "l" ? laneOf(from, to, source, cards, lanes) : null;
    const left = run?.steps[way.from]?.state;
    const reached = run?.steps[way.to]?.state;
    const running = moves(way) && left === "done" && (reached === "running" || reached === "waiting");
    const removed = mark === "removed" ? "- " : "";
    lines.push({
      id: removed + way.id,
      ariaLabel: t("edit.a11y.line", { from: labelOf(way.from), to: way.to === END ? END : labelOf(way.to), route: way.route ?? "" }).trim(),
      type: "line",
      source: way.from,
      target: way.to,
      sourceHandle: source,
      targetHandle: target,
      data: { way, mark, running, done: moves(way) && left === "done" && reached === "done", lane },
      reconnectable: scene.canEdit && !proposal ? "target" : false,
      // What runs for each item is said by the step itself.
      selectable: !proposal && way.kind !== "each",
      focusable: !proposal && way.kind !== "each",
    });
  };
  for (const way of before.values()) {
    const next = after.get(way.id);
    if (!proposal) draw(way, null);
    else if (!next) draw(way, "removed");
    else if (next.to !== way.to) {
      draw(way, "removed");
      draw(next, "added");
    } else draw(next, null);
  }
  for (const way of after.values()) if (!before.has(way.id)) draw(way, "added");
  return lines;
}

export const refOf = (way: Way): EdgeRef => ({ from: way.from, to: way.to, ...(way.route === undefined ? {} : { route: way.route }) });

/** Is this the way that a selection names? One without an end names every route of its edge. */
export const isChosen = (way: Way, chosen: readonly EdgeRef[]): boolean =>
  chosen.some((one) => one.from === way.from && moves(way) && (one.to === undefined || one.to === way.to) && (one.route === undefined || one.route === way.route));

function carried<N extends CanvasNode>(node: N, more: Partial<Pick<Node, "position" | "selected" | "measured" | "dragging">>): N {
  return Object.assign({}, node, more);
}

/** The same things again where nothing about them changed, so that only what changed is drawn. */
export function sameNodes(before: readonly CanvasNode[], wanted: readonly CanvasNode[], chosen: ReadonlySet<string>): CanvasNode[] {
  const known = new Map(before.map((node) => [node.id, node]));
  let changed = before.length !== wanted.length;
  const next = wanted.map((node, at): CanvasNode => {
    const old = known.get(node.id);
    const selected = chosen.has(node.id);
    if (!old) {
      changed = true;
      return { ...node, selected };
    }
    const sameContent = JSON.stringify(old.data) === JSON.stringify(node.data);
    const position = old.dragging ? old.position : node.position;
    const samePlace = old.position.x === position.x && old.position.y === position.y;
    const sameWays = old.draggable === node.draggable && old.connectable === node.connectable && old.width === node.width && old.height === node.height && old.ariaLabel === node.ariaLabel;
    if (sameContent && samePlace && sameWays && Boolean(old.selected) === selected) {
      if (before[at] !== old) changed = true;
      return old;
    }
    changed = true;
    return carried(node, { position, selected, ...(old.measured ? { measured: old.measured } : {}), ...(old.dragging ? { dragging: true } : {}) });
  });
  return changed ? next : [...before];
}

export function sameEdges(before: readonly LineEdge[], wanted: readonly LineEdge[]): LineEdge[] {
  const known = new Map(before.map((edge) => [edge.id, edge]));
  return wanted.map((edge) => {
    const old = known.get(edge.id);
    return old && JSON.stringify(old) === JSON.stringify(edge) ? old : edge;
  });
}
