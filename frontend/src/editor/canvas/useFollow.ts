import { useReactFlow } from "@xyflow/react";
import { useEffect, useRef, type RefObject } from "react";
import { useEditor } from "../store/state";
import type { CanvasNode, LineEdge } from "./graph";
import { bringInSight } from "./room";

/** Whoever moves the view by hand is left alone this long. */
const LEFT_ALONE_MS = 6000;

/** While the draft runs, the view follows the step that works or waits. Returns what to call when the view is moved by hand. */
export function useFollow(place: RefObject<HTMLDivElement | null>): () => void {
  const flow = useReactFlow<CanvasNode, LineEdge>();
  const moved = useRef(0);
  const active = useEditor((state) => {
    const steps = Object.entries(state.run?.steps ?? {});
    return (steps.find(([, step]) => step.state === "running") ?? steps.find(([, step]) => step.state === "waiting"))?.[0] ?? null;
  });
  useEffect(() => {
    if (!active || !place.current || Date.now() - moved.current < LEFT_ALONE_MS) return;
    bringInSight(flow, active);
  }, [active, flow, place]);
  return () => {
    moved.current = Date.now();
  };
}
