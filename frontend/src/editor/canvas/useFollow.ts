import { useReactFlow } from "@xyflow/react";
import { useEffect, useRef, type RefObject } from "react";
import { useEditor } from "../store/state";
import { glide } from "./glide";
import type { CanvasNode, LineEdge } from "./graph";
import { HEIGHT, WIDTH } from "./places";

/** Whoever moves the view by hand is left alone this long. */
const LEFT_ALONE_MS = 6000;
const MARGIN = 16;

/** While the draft runs, the view follows the step that works or waits. Returns what to call when the view is moved by hand. */
export function useFollow(place: RefObject<HTMLDivElement | null>): () => void {
  const flow = useReactFlow<CanvasNode, LineEdge>();
  const moved = useRef(0);
  const active = useEditor((state) => {
    const steps = Object.entries(state.run?.steps ?? {});
    return (steps.find(([, step]) => step.state === "running") ?? steps.find(([, step]) => step.state === "waiting"))?.[0] ?? null;
  });
  useEffect(() => {
    const stage = place.current;
    if (!active || !stage || Date.now() - moved.current < LEFT_ALONE_MS) return;
    const node = flow.getNode(active);
    if (!node) return;
    const { x, y, zoom } = flow.getViewport();
    const wide = (node.measured?.width ?? WIDTH) * zoom;
    const high = (node.measured?.height ?? HEIGHT) * zoom;
    const left = node.position.x * zoom + x;
    const top = node.position.y * zoom + y;
    const seen = left >= MARGIN && top >= MARGIN && left + wide <= stage.clientWidth - MARGIN && top + high <= stage.clientHeight - 110;
    if (seen) return;
    void flow.setCenter(node.position.x + wide / zoom / 2, node.position.y + high / zoom / 2, { zoom, duration: glide(260) });
  }, [active, flow, place]);
  return () => {
    moved.current = Date.now();
  };
}
