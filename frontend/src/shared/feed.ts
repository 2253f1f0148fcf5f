import type { DeltaMessage, Frame, FramesMessage, Item, SocketMessage } from "../generated/frames";
import { ApiError, get } from "./api";
import { applyFrames, NO_ITEMS, type Items } from "./items";
import { Socket, socketUrl, type Link } from "./socket";
import { fitDelta, fitStored, streamOf, type Stream } from "./streams";

export interface FeedState {
  items: Items;
  streams: ReadonlyMap<string, Stream>;
  link: Link;
  closeCode: number | null;
}

const AGAIN = 180;
/** How long a streaming answer may stand empty before its stored text is asked for. */
const SILENCE = 500;

/** One conversation as the server tells it: frames by number, texts by offset. Nothing is lost and nothing comes twice,
 * whatever the connection does. */
export class Feed {
  #items: Items = NO_ITEMS;
  #streams = new Map<string, Stream>();
  #waiting = new Map<string, DeltaMessage[]>();
  #seq = 0;
  #clearNext = false;
  #socket: Socket | null = null;
  #link: Link = "waiting";
  #closeCode: number | null = null;
  #stopped = false;

  constructor(
    readonly conversation: string,
    private readonly onChange: (state: FeedState) => void,
  ) {}

  get seq(): number {
    return this.#seq;
  }

  /** Starts from what the page already carries, then follows the socket. */
  open(first: { frames: Frame[]; seq: number }): void {
    this.#take({ type: "frames", ...first });
    this.#socket = new Socket({
      url: () => socketUrl(`/ws/conversations/${this.conversation}?since=${this.#seq}`),
      onMessage: (message) => this.receive(message),
      onLink: (link, code) => {
        this.#link = link;
        this.#closeCode = code ?? null;
        this.#tell();
      },
      onResumed: () => this.#readStreaming(),
    });
    this.#readStreaming();
  }

  close(): void {
    this.#stopped = true;
    this.#socket?.close();
  }

  receive(message: SocketMessage): void {
    if (message.type === "frames") this.#take(message);
    else if (message.type === "delta") this.#grow(message);
    else {
      // What the page shows stays until the fresh frames are here.
      this.#seq = 0;
      this.#clearNext = true;
      this.#socket?.restart();
    }
  }

  #tell(): void {
    if (this.#stopped) return;
    this.onChange({ items: this.#items, streams: this.#streams, link: this.#link, closeCode: this.#closeCode });
  }

  #take(message: FramesMessage): void {
    if (this.#clearNext) {
      this.#items = NO_ITEMS;
      this.#clearNext = false;
    } else if (message.seq <= this.#seq) return;
    // One event may make several frames of one number, so the number moves only after the whole batch.
    const fresh = message.frames.filter((frame) => frame.seq > this.#seq);
    this.#items = applyFrames(this.#items, fresh);
    this.#seq = message.seq;
    for (const frame of fresh) this.#settle(frame.id, frame.op === "put" ? frame.item : null);
    this.#tell();
  }

  #settle(id: string, item: Item | null | undefined): void {
    if (item?.type !== "answer" || !item.streaming) {
      this.#streams = without(this.#streams, id);
      this.#waiting.delete(id);
      return;
    }
    const held = this.#streams.get(id);
    if (!held || held.attempt < item.attempt) {
      this.#streams = new Map(this.#streams).set(id, streamOf(item.attempt, ""));
      setTimeout(() => {
        if (this.#streams.get(id)?.length === 0) void this.#read(id);
      }, SILENCE);
    }
  }

  #grow(delta: DeltaMessage): void {
    const item = this.#items.get(delta.item);
    if (item?.type === "answer" && !item.streaming) return;
    if (this.#waiting.has(delta.item)) {
      this.#waiting.get(delta.item)!.push(delta);
      return;
    }
    const fit = fitDelta(this.#streams.get(delta.item), delta);
    if (fit.fit === "gap") {
      this.#waiting.set(delta.item, [delta]);
      void this.#read(delta.item);
    } else if (fit.fit === "grown") {
      this.#streams = new Map(this.#streams).set(delta.item, fit.stream);
      this.#tell();
    }
  }

  #readStreaming(): void {
    for (const item of this.#items.values()) if (item.type === "answer" && item.streaming) void this.#read(item.id);
  }

  /** Reads the stored text until the deltas that wait for it fit. */
  async #read(id: string): Promise<void> {
    if (!this.#waiting.has(id)) this.#waiting.set(id, []);
    for (;;) {
      let stored: { attempt: number; text: string } | null = null;
      try {
        stored = await get(`/api/conversations/${this.conversation}/stream?item=${encodeURIComponent(id)}`);
      } catch (thrown) {
        // 404: the answer is finished and comes as a frame, or has not begun. Offline: the socket returns and asks again.
        if (thrown instanceof ApiError && thrown.status !== 0 && thrown.status < 500) stored = null;
        else if (!(thrown instanceof ApiError)) throw thrown;
      }
      const waiting = this.#waiting.get(id);
      if (this.#stopped || !waiting) return;
      let held = this.#streams.get(id);
      if (stored) held = fitStored(held, stored);
      const left: DeltaMessage[] = [];
      for (const delta of waiting) {
        const fit = fitDelta(held, delta);
        if (fit.fit === "grown") held = fit.stream;
        else if (fit.fit === "gap") left.push(delta);
      }
      if (held) this.#streams = new Map(this.#streams).set(id, held);
      if (!left.length || !stored) this.#waiting.delete(id);
      else this.#waiting.set(id, left);
      this.#tell();
      if (!left.length || !stored) return;
      await new Promise((done) => setTimeout(done, AGAIN));
    }
  }
}

function without(streams: Map<string, Stream>, id: string): Map<string, Stream> {
  if (!streams.has(id)) return streams;
  const next = new Map(streams);
  next.delete(id);
  return next;
}
