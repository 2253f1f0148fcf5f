import type { SocketMessage } from "../generated/frames";

/** live: connected · waiting: the first connection is being made · lost: trying again · ended: the server said no. */
export type Link = "live" | "waiting" | "lost" | "ended";

export interface SocketOptions {
  /** The address at this moment; it carries the last seq that was applied. */
  url: () => string;
  onMessage: (message: SocketMessage) => void;
  onLink: (link: Link, closeCode?: number) => void;
  /** After every connection but the first: what came by other ways than numbered frames may have been missed. */
  onResumed?: () => void;
}

const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 10_000;
/** A tab that slept may hold a connection that is dead and does not know it. */
const SLEPT = 20_000;
/** The server's own refusals: trying again changes nothing. */
const FINAL = new Set([4401, 4403, 4404, 4410, 4423]);

/** Half of the pause is fixed, half is chance, so that pages do not return all at once. */
export function pauseBefore(attempt: number, chance: number): number {
  const whole = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt);
  return whole / 2 + (whole / 2) * chance;
}

export function socketUrl(path: string): string {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** A WebSocket that comes back by itself until `close`. */
export class Socket {
  #socket: WebSocket | null = null;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #everOpen = false;
  #hiddenAt = 0;

  constructor(private readonly options: SocketOptions) {
    addEventListener("online", this.#now);
    document.addEventListener("visibilitychange", this.#onVisible);
    this.options.onLink("waiting");
    this.#connect();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    removeEventListener("online", this.#now);
    document.removeEventListener("visibilitychange", this.#onVisible);
    this.#drop();
  }

  /** Connects again at once, from the last seq. */
  restart(): void {
    this.#drop();
    this.#attempt = 0;
    this.#connect();
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    if (socket) end(socket);
  }

  #now = (): void => {
    if (!this.#closed) this.restart();
  };

  #onVisible = (): void => {
    if (document.visibilityState === "hidden") this.#hiddenAt = Date.now();
    else if (this.#hiddenAt && Date.now() - this.#hiddenAt > SLEPT) this.#now();
  };

  #connect(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.options.url());
    this.#socket = socket;
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      const again = this.#everOpen;
      this.#everOpen = true;
      this.#attempt = 0;
      this.options.onLink("live");
      if (again) this.options.onResumed?.();
    };
    socket.onmessage = (event) => {
      if (socket === this.#socket) this.options.onMessage(JSON.parse(String(event.data)) as SocketMessage);
    };
    socket.onclose = (event) => {
      if (socket !== this.#socket) return;
      this.#socket = null;
      if (FINAL.has(event.code)) {
        this.options.onLink("ended", event.code);
        this.close();
        return;
      }
      this.options.onLink("lost");
      this.#timer = setTimeout(() => this.#connect(), pauseBefore(this.#attempt, Math.random()));
      this.#attempt += 1;
    };
  }
}

/** Closing a socket that is still connecting makes the browser complain in its console; it is let in, then closed. */
function end(socket: WebSocket): void {
  const connecting = 0;
  if (socket.readyState === connecting) socket.onopen = () => socket.close(1000);
  else socket.close(1000);
}
