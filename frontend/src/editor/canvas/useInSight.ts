import { useReactFlow } from "@xyflow/react";
import { useEffect, type RefObject } from "react";
import { store, useEditor } from "../store/state";
import type { CanvasNode, LineEdge } from "./graph";
import { HEIGHT, WIDTH } from "./places";

const MARGIN = 24;

/** When a pane takes room from the canvas, the chosen step is moved back into sight. */
export function useInSight(place: RefObject<HTMLDivElement | null>): void {
  const flow = useReactFlow<CanvasNode, LineEdge>();
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
      if (dx || dy) void flow.setViewport({ x: x + dx, y: y + dy, zoom }, { duration: 180 });
    });
    return () => cancelAnimationFrame(frame);
  }, [open, flow, place]);
}
