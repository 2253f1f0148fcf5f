import { pauseBefore } from "../../shared/socket";

/** A message of the flow's socket. */
export interface Poke {
  type: string;
  revision?: number;
  by?: string;
  id?: string;
  rev?: number;
}

export interface LiveOptions {
  url: () => string;
  onPoke: (poke: Poke) => void;
  /** Connected after the connection was lost: something may have been missed. */
  onBack: () => void;
}

/** The server's own refusals: trying again changes nothing. */
const FINAL = new Set([4401, 4403, 4404, 4410]);

function read(text: string): Poke | null {
  try {
    const poke: Poke = JSON.parse(text);
    return typeof poke.type === "string" ? poke : null;
  } catch {
    return null;
  }
}

/** Hears the flow's socket until it is stopped, and connects again by itself. */
export function listen({ url, onPoke, onBack }: LiveOptions): () => void {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  let lost = false;
  let stopped = false;
  const connect = () => {
    clearTimeout(timer);
    const mine = new WebSocket(url());
    socket = mine;
    mine.onopen = () => {
      attempt = 0;
      if (stopped) mine.close(1000);
      else if (lost) onBack();
      lost = false;
    };
    mine.onmessage = (event) => {
      const poke = read(String(event.data));
      if (poke && !stopped) onPoke(poke);
    };
    mine.onclose = (event) => {
      if (stopped || socket !== mine || FINAL.has(event.code)) return;
      lost = true;
      timer = setTimeout(connect, pauseBefore(attempt, Math.random()));
      attempt += 1;
    };
  };
  const now = () => {
    if (lost && !stopped) connect();
  };
  addEventListener("online", now);
  connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    removeEventListener("online", now);
    // Closing a socket that is still connecting makes the browser complain; it is let in, then closed.
    if (socket && socket.readyState === 1) socket.close(1000);
  };
}
