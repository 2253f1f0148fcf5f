import type { Here, Lock } from "../../generated/wire";
import { ApiError, get, post } from "../../shared/api";

/** So often at most, a page that is used says so. */
const BEAT = 60_000;
/** So long before the session would lock, the server is asked: somebody may work on another page of it. */
const EARLY = 15_000;
/** So often the clock is looked at: a timer stands still while the machine sleeps. */
const LOOKS = 5_000;
const USED = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart", "input"] as const;

/** Watches whether somebody is there, on a page of an agent that knows its people. Keys and the pointer are signs of life;
 * what the page does by itself is none. When the time is over the page is told, whatever the server says or does not. */
export class PresenceWatch {
  #deadline: number;
  #beaten: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(
    lock: Lock,
    private readonly onLock: () => void,
  ) {
    this.#beaten = Date.now();
    this.#deadline = this.#beaten + lock.seconds * 1000;
    for (const kind of USED) addEventListener(kind, this.#used, { capture: true, passive: true });
    document.addEventListener("visibilitychange", this.#seen);
    addEventListener("pageshow", this.#seen);
    this.#arm();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    for (const kind of USED) removeEventListener(kind, this.#used, { capture: true });
    document.removeEventListener("visibilitychange", this.#seen);
    removeEventListener("pageshow", this.#seen);
  }

  #used = (event: Event): void => {
    // Only a person counts, and only within the time: after it, a key wakes nothing.
    if (!event.isTrusted || this.#isOver() || Date.now() - this.#beaten < BEAT) return;
    this.#beaten = Date.now();
    void this.#ask(() => post<Here>("/api/presence"));
  };

  /** A page that was asleep, or comes out of the browser's memory, has had no timers. */
  #seen = (): void => {
    if (document.visibilityState === "visible") this.#isOver();
  };

  #isOver(): boolean {
    if (Date.now() < this.#deadline) return false;
    this.#lock();
    return true;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const left = this.#deadline - Date.now();
    const early = left > EARLY;
    this.#timer = setTimeout(() => this.#look(early), Math.max(0, Math.min(LOOKS, early ? left - EARLY : left)));
  }

  #look(early: boolean): void {
    if (this.#isOver()) return;
    if (early && this.#deadline - Date.now() <= EARLY) void this.#ask(() => get<Here>("/api/presence"));
    else this.#arm();
  }

  async #ask(question: () => Promise<Here>): Promise<void> {
    // Until the answer is there, the time that was known runs on.
    this.#arm();
    try {
      const { seconds } = await question();
      if (seconds <= 0) return this.#lock();
      this.#deadline = Date.now() + seconds * 1000;
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      if (thrown.status === 401) return this.#lock();
    }
    this.#arm();
  }

  #lock(): void {
    if (this.#stopped) return;
    this.stop();
    this.onLock();
  }
}
