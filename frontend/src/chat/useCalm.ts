import { useEffect, useRef, useState } from "preact/hooks";
import { useMedia } from "../shared/hooks";

/** How long what has come but is not shown yet takes to be shown. Texts arrive in handfuls; they appear evenly. */
const SPREAD = 220;

export interface Calm {
  text: string;
  /** Something is still to come or to be shown. */
  busy: boolean;
}

/** The part of a streaming text that is shown now. It only grows, ends with the whole, and is whole on a page that opens. */
export function useCalm(text: string, streaming: boolean): Calm {
  const still = useMedia("(prefers-reduced-motion: reduce)");
  const [, setShown] = useState(text.length);
  const at = useRef(text.length);
  const target = useRef(text);
  // A text that is not the one before with more to it is another text: it starts whole.
  if (still || !text.startsWith(target.current.slice(0, at.current))) at.current = text.length;
  target.current = text;
  const busy = streaming || at.current < text.length;
  useEffect(() => {
    if (!busy || still) {
      at.current = target.current.length;
      return;
    }
    let frame = 0;
    let before = performance.now();
    const step = (now: number) => {
      const left = target.current.length - at.current;
      if (left > 0) {
        at.current = Math.min(target.current.length, at.current + Math.max(0.4, (left * (now - before)) / SPREAD));
        setShown(Math.floor(at.current));
      }
      before = now;
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    // A hidden tab gets no frames: it shows everything when it comes back.
    const visible = () => {
      before = performance.now();
      if (document.visibilityState === "visible") at.current = target.current.length;
    };
    document.addEventListener("visibilitychange", visible);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener("visibilitychange", visible);
    };
  }, [busy, still]);
  if (!busy) return { text, busy };
  const end = Math.min(text.length, Math.floor(at.current));
  const code = text.charCodeAt(end - 1);
  return { text: text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end), busy };
}
