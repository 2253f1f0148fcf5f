import { useReactFlow } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { startOf } from "../store/document";
import { store } from "../store/state";
import type { CanvasNode, LineEdge } from "./graph";
import { HEIGHT } from "./places";
import { boundsOf } from "./room";

/** Smaller than this nobody reads a card. */
const READABLE = 0.62;
const PADDING = 0.12;
/** The bar of the Ask box at the bottom, which nothing begins under. */
const FOOT = 110;

/** The view that a flow opens with: all of it where it can be read so, else its beginning. */
export function useFirstLook(nodes: readonly CanvasNode[], place: { readonly current: HTMLElement | null }): void {
  const flow = useReactFlow<CanvasNode, LineEdge>();
  const done = useRef(false);
  useEffect(() => {
    const box = place.current?.getBoundingClientRect();
    const cards = nodes.filter((node) => node.type === "card");
    if (done.current || !box || !cards.length) return;
    done.current = true;
    const bounds = boundsOf(nodes);
    if (!bounds) return;
    const { left, top, right, bottom } = bounds;
    const wide = box.width * (1 - 2 * PADDING);
    const high = (box.height - FOOT) * (1 - 2 * PADDING);
    const fit = Math.min(1, wide / (right - left), high / (bottom - top));
    if (fit >= READABLE) {
      const x = box.width / 2 - ((left + right) / 2) * fit;
      const y = (box.height - FOOT) / 2 - ((top + bottom) / 2) * fit;
      void flow.setViewport({ x, y, zoom: fit });
      return;
    }
    const start = startOf(store.getState().flow);
    const first = cards.find((node) => node.id === start) ?? cards[0];
    const zoom = 0.8;
    const at = first?.position ?? { x: left, y: top };
    // The beginning at the left; all of its height where that can be, else the first step in the middle.
    const whole = (bottom - top) * zoom < box.height - FOOT;
    const middle = whole ? (top + bottom) / 2 : at.y + HEIGHT / 2;
    void flow.setViewport({ x: 150 - at.x * zoom, y: (box.height - FOOT) / 2 - middle * zoom, zoom });
  }, [nodes, place, flow]);
}
