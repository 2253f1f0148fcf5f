import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { reportIn, type Report } from "./view";

const NOTHING: Report = { conversation: null, run: null, status: "idle", steps: [] };

export interface ChatFrame {
  frame: RefObject<HTMLIFrameElement | null>;
  report: Report;
  tell: (type: "newChat" | "report") => void;
  /** Shows another conversation of this draft in the frame. */
  open: (conversation: string) => void;
}

/** Hears the chat in the frame, and tells it things. Only messages of this origin, and of this frame, count. */
export function useChat(flow: string): ChatFrame {
  const frame = useRef<HTMLIFrameElement>(null);
  const [report, setReport] = useState<Report>(NOTHING);
  useEffect(() => {
    const hear = (event: MessageEvent<unknown>) => {
      if (event.origin !== location.origin || event.source !== frame.current?.contentWindow) return;
      const found = reportIn(event.data);
      if (!found) return;
      keepTalk(flow, found.conversation);
      setReport(found);
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, [flow]);
  const tell = useCallback((type: "newChat" | "report") => {
    frame.current?.contentWindow?.postMessage({ source: "lgstudio", type }, location.origin);
  }, []);
  const open = useCallback(
    (conversation: string) => {
      keepTalk(flow, conversation);
      frame.current?.contentWindow?.postMessage({ source: "lgstudio", type: "open", conversation }, location.origin);
    },
    [flow],
  );
  return { frame, report, tell, open };
}

const keyOf = (flow: string): string => `lgstudio.talk.${flow}`;

/** The conversation that this tab last had with the draft. */
export function keptTalk(flow: string): string | null {
  try {
    return sessionStorage.getItem(keyOf(flow));
  } catch {
    return null;
  }
}

function keepTalk(flow: string, conversation: string | null): void {
  try {
    if (conversation) sessionStorage.setItem(keyOf(flow), conversation);
    else sessionStorage.removeItem(keyOf(flow));
  } catch {
    // A browser without storage opens a new chat next time.
  }
}
