import { getViewportForBounds, type ReactFlowInstance } from "@xyflow/react";
import { startOf } from "../store/document";
import { store } from "../store/state";
import { glide } from "./glide";
import type { CanvasNode, LineEdge } from "./graph";
import { HEIGHT, WIDTH } from "./places";

type Flow = ReactFlowInstance<CanvasNode, LineEdge>;

/** How far the mark of the beginning stands out at the left of its step, with the names in it. */
const START = 132;
const MARGIN = 16;

/** The bounds of all that is drawn, the mark of the beginning included; null when nothing is. */
export function boundsOf(nodes: readonly CanvasNode[]): { left: number; top: number; right: number; bottom: number } | null {
  if (!nodes.length) return null;
  const start = startOf(store.getState().flow);
  const wide = (node: CanvasNode) => node.width ?? node.measured?.width ?? WIDTH;
  const high = (node: CanvasNode) => node.height ?? node.measured?.height ?? HEIGHT;
  return {
    left: Math.min(...nodes.map((node) => node.position.x - (node.id === start ? START : 0))),
    top: Math.min(...nodes.map((node) => node.position.y)),
    right: Math.max(...nodes.map((node) => node.position.x + wide(node))),
    bottom: Math.max(...nodes.map((node) => node.position.y + high(node))),
  };
}

/** What the Ask bar, with all that it says, covers at the bottom of the stage. */
function covered(): number {
  const stage = document.querySelector(".ed-stage")?.getBoundingClientRect();
  const bar = document.querySelector(".ed-ask")?.getBoundingClientRect();
  // A bar that fills the stage leaves no room that would be worth it.
  return stage && bar && bar.height && bar.height < stage.height * 0.6 ? stage.bottom - bar.top : 0;
}

/** Shows all of the flow, above the Ask bar. */
export function showAll(flow: Flow, ms: number, most = 1): void {
  const stage = document.querySelector(".ed-canvas");
  const bounds = boundsOf(flow.getNodes());
  if (!stage || !bounds) return;
  const { left, top, right, bottom } = bounds;
  const small = stage.clientWidth < 700;
  const side = small ? 16 : 56;
  const padding = { top: small ? "44px" : "56px", right: small ? "56px" : "64px", bottom: `${Math.round(Math.max(40, covered() + 24))}px`, left: `${side}px` } as const;
  const viewport = getViewportForBounds({ x: left, y: top, width: right - left, height: bottom - top }, stage.clientWidth, stage.clientHeight, 0.05, most, padding);
  void flow.setViewport(viewport, { duration: glide(ms) });
}

/** Moves the view to a step that is not wholly in sight. */
export function bringInSight(flow: Flow, id: string): void {
  const stage = document.querySelector(".ed-canvas");
  const node = flow.getNode(id);
  if (!stage || !node) return;
  const { x, y, zoom } = flow.getViewport();
  // A pane that has no room beside the canvas stands over it.
  const pane = document.querySelector(".ed:not([data-wide]) > .ed-pane")?.getBoundingClientRect().width ?? 0;
  const over = stage.clientWidth - pane > WIDTH * zoom ? pane : 0;
  const wide = node.measured?.width ?? WIDTH;
  const high = node.measured?.height ?? HEIGHT;
  const left = node.position.x * zoom + x;
  const top = node.position.y * zoom + y;
  const seen = left >= MARGIN && top >= MARGIN && left + wide * zoom <= stage.clientWidth - over - MARGIN && top + high * zoom <= stage.clientHeight - 110;
  if (seen) return;
  void flow.setCenter(node.position.x + wide / 2 + over / 2 / zoom, node.position.y + high / 2, { zoom, duration: glide(260) });
}
