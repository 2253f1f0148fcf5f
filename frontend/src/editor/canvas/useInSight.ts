import { useReactFlow } from "@xyflow/react";
import { useEffect, type RefObject } from "react";
import { store, useEditor } from "../store/state";
import { glide } from "./glide";
import type { CanvasNode, LineEdge } from "./graph";
import { HEIGHT, WIDTH } from "./places";
import { boundsOf, showAll } from "./room";

const MARGIN = 24;

/** What was in sight stays there: when a pane takes room from the canvas, the view moves, or shows a little more. */
export function useInSight(place: RefObject<HTMLDivElement | null>): void {
  const flow = useReactFlow<CanvasNode, LineEdge>();
  useEffect(() => {
    const stage = place.current;
    if (!stage) return;
    let before = stage.clientWidth;
    const watch = new ResizeObserver(() => {
      const now = stage.clientWidth;
      const was = before;
      before = now;
      const bounds = boundsOf(flow.getNodes());
      if (now >= was || !bounds) return;
      const { x, y, zoom } = flow.getViewport();
      const left = bounds.left * zoom + x;
      const right = bounds.right * zoom + x;
      if (left < 0 || right > was || right <= now - MARGIN) return;
      const over = right - (now - MARGIN);
      if (left - over >= 0) void flow.setViewport({ x: x - over, y, zoom }, { duration: glide(180) });
      else showAll(flow, 180, zoom);
    });
    watch.observe(stage);
    return () => watch.disconnect();
  }, [flow, place]);

  const open = useEditor((state) => state.pane !== null);
  useEffect(() => {
    const id = store.getState().selection.nodes[0];
    if (!open || !id) return;
    const frame = requestAnimationFrame(() => {
      const box = place.current?.getBoundingClientRect();
      const node = flow.getNode(id);
      if (!box || !node) return;
      const covered = document.querySelector(".ed:not([data-wide]) > .ed-pane")?.getBoundingClientRect().width ?? 0;
      const { x, y, zoom } = flow.getViewport();
      const right = node.position.x * zoom + x + (node.measured?.width ?? WIDTH) * zoom;
      const bottom = node.position.y * zoom + y + (node.measured?.height ?? HEIGHT) * zoom;
      const dx = Math.min(0, box.width - covered - MARGIN - right);
      const dy = Math.min(0, box.height - MARGIN - bottom);
      if (dx || dy) void flow.setViewport({ x: x + dx, y: y + dy, zoom }, { duration: glide(180) });
    });
    return () => cancelAnimationFrame(frame);
  }, [open, flow, place]);
}
