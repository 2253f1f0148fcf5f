/** @jsxImportSource react */
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { createPortal } from "react-dom";

const GAP = 4;
const LEAST = 120;

/** A list that floats under what it belongs to, above it where there is no room; it follows what scrolls. */
export function Floating({ anchor, wide = false, children }: { anchor: RefObject<HTMLElement | null>; wide?: boolean; children: ReactNode }): ReactNode {
  const own = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top?: number; bottom?: number; width: number; room: number } | null>(null);
  useLayoutEffect(() => {
    const move = () => {
      const box = anchor.current?.getBoundingClientRect();
      if (!box) return;
      const below = innerHeight - box.bottom - GAP - 8;
      const above = box.top - GAP - 8;
      const up = below < LEAST && above > below;
      const width = wide ? Math.max(box.width, 260) : box.width;
      const left = Math.max(8, Math.min(box.left, innerWidth - width - 8));
      setPlace({ left, width, room: Math.min(280, up ? above : below), ...(up ? { bottom: innerHeight - box.top + GAP } : { top: box.bottom + GAP }) });
    };
    move();
    addEventListener("scroll", move, true);
    addEventListener("resize", move);
    return () => {
      removeEventListener("scroll", move, true);
      removeEventListener("resize", move);
    };
  }, [anchor, wide]);
  const style = place ? { left: place.left, top: place.top, bottom: place.bottom, width: place.width, maxHeight: place.room } : { visibility: "hidden" as const };
  return createPortal(
    <div ref={own} className="ed-float" style={style}>
      {children}
    </div>,
    document.body,
  );
}
