import { useEffect, type RefObject } from "react";
import { store, useEditor } from "../store/state";

/** So many frames a new card may take until it is drawn. */
const SEEKS = 30;

/** Does the canvas hold the focus, or nothing at all? Whoever types keeps it. */
function isFree(stage: HTMLElement | null): boolean {
  const now = document.activeElement;
  if (now === null || now === document.body || now === stage) return true;
  return stage !== null && stage.contains(now) && now.matches(".react-flow__node, .react-flow__edge");
}

/** What had the focus has gone from beside the canvas: the step that is chosen has it then, or the canvas itself. */
export function takeFocus(): void {
  if (document.activeElement !== document.body) return;
  const canvas = document.querySelector<HTMLElement>(".ed-canvas");
  const id = store.getState().selection.nodes[0];
  const card = id === undefined ? null : canvas?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
  (card ?? canvas)?.focus({ preventScroll: true });
}

/** Keeps the keyboard on the canvas: a step that comes to be chosen, as one that was just added, has the focus. */
export function useFocus(place: RefObject<HTMLDivElement | null>): void {
  const chosen = useEditor(({ selection }) => (selection.nodes.length === 1 ? (selection.nodes[0] ?? null) : null));
  useEffect(() => {
    if (chosen === null) return;
    let frame = 0;
    let frames = 0;
    const seek = () => {
      if (!isFree(place.current)) return;
      const card = place.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(chosen)}"]`);
      card?.focus({ preventScroll: true });
      // A card is out of sight, and takes no focus, until it was measured.
      if (document.activeElement !== card && (frames += 1) < SEEKS) frame = requestAnimationFrame(seek);
    };
    frame = requestAnimationFrame(seek);
    return () => cancelAnimationFrame(frame);
  }, [chosen, place]);
}
