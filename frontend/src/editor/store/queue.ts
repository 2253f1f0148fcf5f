import { asApiError, newKey, type ApiError } from "../../shared/api";
import { withNames } from "./names";
import { joined } from "./optimism";
import type { Kept, Shelf } from "./kept";
import type { Aside, EditReply, Operation, OperationProblem } from "./wire";

/** What became of an edit. kept: it met another person's and waits as an aside. */
export type Outcome =
  | { ok: true; renamed: Record<string, string> }
  | { ok: false; code: string; message: string; problems: OperationProblem[]; kept: boolean };

export type Saving = "saved" | "saving" | "offline" | "failed";

/** A refusal's body as far as a page can use it. */
export interface Refused {
  reply: EditReply | null;
  aside: Aside | null;
  problems: OperationProblem[];
}

export interface QueueOptions {
  shelf: Shelf;
  revision: () => number;
  /** Sends one edit. Rejects with ApiError. */
  send: (edit: Kept) => Promise<EditReply>;
  /** The server took it. sent: the revision that it was sent with. */
  onDone: (reply: EditReply, sent: number, operations: readonly Operation[]) => void;
  onRefused: (edit: Kept, error: ApiError, sent: number) => Refused;
  /** What waits has changed: what is drawn follows. */
  onChange: () => void;
  onSaving: (saving: Saving, words: string) => void;
  wait?: (ms: number) => Promise<void>;
}

interface Waiting {
  kept: Kept;
  done: ((outcome: Outcome) => void)[];
}

interface Errand {
  run: () => Promise<void>;
}

const FIRST_PAUSE = 700;
const LONGEST_PAUSE = 15_000;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Edits on their way, in order, one at a time. Whatever was not confirmed is kept and tried again under the same id. */
export class EditQueue {
  #waiting: Waiting[] = [];
  #errands: Errand[] = [];
  #flying: Waiting | null = null;
  #running = false;
  #stopped = false;
  #wake: (() => void) | null = null;
  #tries = 0;

  constructor(private readonly options: QueueOptions) {
    for (const kept of options.shelf.all()) this.#waiting.push({ kept, done: [] });
    if (this.#waiting.length) this.#start();
  }

  /** Nothing waits and nothing is under way. */
  get idle(): boolean {
    return !this.#waiting.length && !this.#flying;
  }

  /** The operations that the server has not confirmed, in order. */
  get pending(): Operation[] {
    const all = this.#flying ? [this.#flying, ...this.#waiting] : this.#waiting;
    return all.flatMap((each) => each.kept.operations);
  }

  add(label: string, operations: Operation[]): Promise<Outcome> {
    return new Promise((done) => {
      const last = this.#waiting.at(-1);
      const one = last && joined(last.kept.operations, operations);
      if (last && one) {
        last.kept = { ...last.kept, operations: one, label };
        last.done.push(done);
        this.options.shelf.put(last.kept);
      } else {
        const kept = { id: newKey(), revision: this.options.revision(), label, operations, at: Date.now() };
        this.options.shelf.put(kept);
        this.#waiting.push({ kept, done: [done] });
      }
      this.options.onChange();
      this.#start();
    });
  }

  /** Does something else in its turn: after every edit that waits by now. Rejects as it rejects. */
  after(run: () => Promise<void>): Promise<void> {
    return new Promise((done, refuse) => {
      this.#errands.push({ run: () => run().then(done, refuse) });
      this.#start();
    });
  }

  /** Tries at once: the network is back, or somebody pressed the button. */
  now(): void {
    this.#stopped = false;
    this.#tries = 0;
    this.#wake?.();
    this.#start();
  }

  #start(): void {
    if (this.#running || this.#stopped) return;
    this.#running = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      const next = this.#waiting[0];
      const errand = next ? undefined : this.#errands.shift();
      if (next) {
        if (await this.#send(next)) continue;
        break;
      }
      if (!errand) {
        this.options.onSaving("saved", "");
        break;
      }
      await errand.run();
    }
    this.#running = false;
  }

  /** False: it stays, and somebody has to do something about it. */
  async #send(next: Waiting): Promise<boolean> {
    this.#waiting.shift();
    this.#flying = next;
    const sent = next.kept.revision;
    this.options.onSaving("saving", "");
    try {
      const reply = await this.options.send(next.kept);
      this.#settled(next);
      this.#follow(sent, reply.revision, next.kept.operations);
      this.options.onDone(reply, sent, next.kept.operations);
      this.#answer(next, { ok: true, renamed: reply.renamed ?? {} });
      return true;
    } catch (thrown) {
      return this.#failed(next, asApiError(thrown), sent);
    }
  }

  async #failed(next: Waiting, error: ApiError, sent: number): Promise<boolean> {
    if (error.status === 409 || error.status === 422 || error.status === 413 || error.status === 400) {
      this.#settled(next);
      const refused = this.options.onRefused(next.kept, error, sent);
      if (refused.reply) this.#follow(sent, refused.reply.revision);
      this.options.onChange();
      const kept = refused.aside !== null;
      this.#answer(next, { ok: false, code: error.code, message: error.message, problems: refused.problems, kept });
      return true;
    }
    this.#flying = null;
    this.#waiting.unshift(next);
    if (error.status === 401 || error.status === 403 || error.status === 404) {
      // Trying again changes nothing until somebody signs in or gives the right back.
      this.#stopped = true;
      this.options.onSaving("failed", error.message);
      return false;
    }
    this.options.onSaving(error.status === 0 ? "offline" : "failed", error.message);
    const ms = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(this.#tries, 6));
    this.#tries += 1;
    await Promise.race([(this.options.wait ?? pause)(ms), new Promise<void>((done) => (this.#wake = done))]);
    this.#wake = null;
    return true;
  }

  #settled(next: Waiting): void {
    this.#flying = null;
    this.#tries = 0;
    this.options.shelf.drop(next.kept.id);
  }

  /** What was made on top of the edit just confirmed begins from its revision, and says the names that it gave. */
  #follow(sent: number, revision: number, done: readonly Operation[] = []): void {
    for (const each of this.#waiting) {
      if (each.kept.revision > sent) continue;
      each.kept = { ...each.kept, revision, operations: withNames(done, each.kept.operations) };
      this.options.shelf.put(each.kept);
    }
  }

  #answer(next: Waiting, outcome: Outcome): void {
    for (const done of next.done) done(outcome);
  }
}
