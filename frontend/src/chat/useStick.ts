import type { RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** So near to the end counts as being there. */
const NEAR = 64;
/** What stays visible above a card that is read from its top. */
const LEAD = 72;

export interface Stick {
  away: boolean;
  /** The page stands at the beginning of a card; what is below is the card itself. */
  held: boolean;
  toEnd: (smooth?: boolean) => void;
  /** Stays at this element's beginning: a card higher than the page is read from its top. */
  holdAt: (element: HTMLElement) => void;
}

/** Keeps a scroller at its end while its content grows, until the reader scrolls up. */
export function useStick(scroller: RefObject<HTMLElement>, content: RefObject<HTMLElement>): Stick {
  const stuck = useRef(true);
  const [away, setAway] = useState(false);
  const [held, setHeld] = useState(false);
  const toEnd = useCallback((smooth = false) => {
    const box = scroller.current;
    if (!box) return;
    stuck.current = true;
    setAway(false);
    setHeld(false);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    box.scrollTo({ top: box.scrollHeight, behavior: smooth && !calm ? "smooth" : "instant" });
  }, []);
  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner) return;
    let last = box.scrollTop;
    const end = () => box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
    const onScroll = () => {
      // Only a reader moves up; growing content never does.
      if (box.scrollTop < last - 2 && !end()) stuck.current = false;
      else if (end()) stuck.current = true;
      last = box.scrollTop;
      setAway(!stuck.current && !end());
    };
    const follow = () => {
      if (stuck.current) box.scrollTop = box.scrollHeight;
      else setAway(!end());
      last = box.scrollTop;
    };
    const watch = new ResizeObserver(follow);
    watch.observe(inner);
    watch.observe(box);
    box.addEventListener("scroll", onScroll, { passive: true });
    follow();
    return () => {
      watch.disconnect();
      box.removeEventListener("scroll", onScroll);
    };
  }, []);
  const holdAt = useCallback((element: HTMLElement) => {
    const box = scroller.current;
    if (!box || element.offsetHeight < box.clientHeight - LEAD) return;
    stuck.current = false;
    setHeld(true);
    box.scrollTo({ top: box.scrollTop + element.getBoundingClientRect().top - box.getBoundingClientRect().top - LEAD, behavior: "instant" });
  }, []);
  return { away, held, toEnd, holdAt };
}
