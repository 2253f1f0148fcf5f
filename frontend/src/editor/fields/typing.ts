import { useEffect, useRef, useState } from "react";

/** Typing this long ago is over, and is sent. */
export const PAUSE_MS = 350;
/** Never over by itself. */
export const WHOLE_MS = 86_400_000;

/** What was typed and is no value yet, by place: it is there again when the panel is. */
const unfinished = new Map<string, string>();

export const keptTyping = (key: string): string | undefined => unfinished.get(key);
export const forgetTyping = (): void => unfinished.clear();

/** A text that is a value, or the words for why it is none yet. */
export type Read<T> = { value: T } | { wrong: string };

export interface Typing {
  text: string;
  /** Why the text is no value yet; null when it is one. */
  wrong: string | null;
  type: (text: string) => void;
  /** Ends the typing: sends what waits, and shows the value as it is. */
  settle: () => void;
}

/** A text box whose text leads: it is sent after a pause, kept when it is no value yet, and follows the flow while nobody
 * types. key: the place it belongs to. */
export function useTyping<T>(key: string, outer: string, read: (text: string) => Read<T>, send: (value: T) => void, pause = PAUSE_MS): Typing {
  const [text, setText] = useState(() => unfinished.get(key) ?? outer);
  const [wrong, setWrong] = useState<string | null>(() => {
    const kept = unfinished.get(key);
    const found = kept === undefined ? null : read(kept);
    return found && "wrong" in found ? found.wrong : null;
  });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const waits = useRef<string | null>(null);
  const now = useRef({ read, send, outer, key });
  now.current = { read, send, outer, key };

  const commit = () => {
    clearTimeout(timer.current);
    const typed = waits.current;
    waits.current = null;
    if (typed === null) return;
    const found = now.current.read(typed);
    if ("wrong" in found) {
      unfinished.set(now.current.key, typed);
      setWrong(found.wrong);
      return;
    }
    unfinished.delete(now.current.key);
    setWrong(null);
    if (typed !== now.current.outer) now.current.send(found.value);
  };

  useEffect(() => {
    if (waits.current === null && !unfinished.has(key)) setText(outer);
  }, [outer, key]);
  // What waits when the panel turns to something else is sent, not lost.
  useEffect(() => commit, []);

  return {
    text,
    wrong,
    type: (typed) => {
      setText(typed);
      waits.current = typed;
      clearTimeout(timer.current);
      timer.current = setTimeout(commit, pause);
    },
    settle: () => {
      commit();
      if (!unfinished.has(now.current.key)) setWrong(null);
    },
  };
}
