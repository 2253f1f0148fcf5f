import { getViewportForBounds, type ReactFlowInstance } from "@xyflow/react";
import { startOf } from "../store/document";
import { store } from "../store/state";
import { glide } from "./glide";
import type { CanvasNode, LineEdge } from "./graph";
import { HEIGHT, WIDTH } from "./places";

type Flow = ReactFlowInstance<CanvasNode, LineEdge>;

/** How far the mark of the beginning stands out at the left of its step, with the names in it. */
const START = 132;

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
