import { useLayoutEffect, type RefObject } from "react";

/** Lets Tab, and whoever has the page read out, come to the cards before the lines between them. React Flow draws them the other way
 * round; which of them covers the other is said by their depth (graph.ts, canvas.css). */
export function useCardsFirst(place: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const lines = place.current?.querySelector(".react-flow__edges");
    const cards = place.current?.querySelector(".react-flow__nodes");
    if (lines && cards && lines.parentElement === cards.parentElement) cards.after(lines);
  }, [place]);
}
