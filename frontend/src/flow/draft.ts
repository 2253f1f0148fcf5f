import { ApiError, asApiError, post, put } from "../shared/api";
import { keep, readKept } from "../shared/hooks";
import { theirDraftOf, type DraftState, type Problem, type TheirDraft } from "./wire";

/** saved: as on the server · typing: not sent yet · saving · failed: kept here, sent again · conflict: somebody else saved. */
export type Saved = "saved" | "typing" | "saving" | "failed" | "conflict" | "readOnly";

export interface DraftListener {
  onSaved: (saved: Saved, words?: string) => void;
  onState: (state: DraftState) => void;
  onProblems: (problems: Problem[]) => void;
  onConflict: (theirs: TheirDraft) => void;
}

const CHECK_AFTER = 350;
const SAVE_AFTER = 1200;
const AGAIN_AFTER = 4000;

interface Kept {
  text: string;
  revision: number;
}

/** The draft of one flow: checked while it is typed, saved after a pause, never over somebody else's save. */
export class DraftKeeper {
  #text: string;
  #savedText: string;
  #revision: number;
  #checkTimer: ReturnType<typeof setTimeout> | undefined;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #checks = 0;
  #saving = false;
  #conflict = false;

  constructor(
    readonly flow: string,
    first: { text: string; revision: number },
    private readonly readOnly: boolean,
    private readonly listener: DraftListener,
  ) {
    this.#text = this.#savedText = first.text;
    this.#revision = first.revision;
  }

  get #store(): string {
    return `flow:${this.flow}`;
  }

  /** What was typed here and never saved, from before a refresh; null when nothing was lost. */
  unsaved(): Kept | null {
    const kept = readKept<Kept>(this.#store);
    return kept && kept.text !== this.#savedText && !this.readOnly ? kept : null;
  }

  get dirty(): boolean {
    return this.#text !== this.#savedText;
  }

  /** The text as it is typed now. */
  change(text: string): void {
    this.#text = text;
    if (this.readOnly) return;
    clearTimeout(this.#checkTimer);
    clearTimeout(this.#saveTimer);
    if (!this.dirty) {
      keep(this.#store, undefined);
      if (!this.#conflict) this.listener.onSaved("saved");
      this.#checkTimer = setTimeout(() => void this.check(), CHECK_AFTER);
      return;
    }
    keep(this.#store, { text, revision: this.#revision });
    if (!this.#conflict) this.listener.onSaved("typing");
    this.#checkTimer = setTimeout(() => void this.check(), CHECK_AFTER);
    if (!this.#conflict) this.#saveTimer = setTimeout(() => void this.save(), SAVE_AFTER);
  }

  async check(): Promise<void> {
    const mine = ++this.#checks;
    const text = this.#text;
    try {
      const reply = await post<{ problems: Problem[] }>("/api/flows/check", { text });
      if (mine === this.#checks && text === this.#text) this.listener.onProblems(reply.problems);
    } catch (thrown) {
      asApiError(thrown);
    }
  }

  async save(): Promise<void> {
    clearTimeout(this.#saveTimer);
    if (this.readOnly || this.#saving || this.#conflict || !this.dirty) return;
    const text = this.#text;
    this.#saving = true;
    this.listener.onSaved("saving");
    try {
      const state = await put<DraftState>(`/api/flows/${this.flow}/draft`, { text, revision: this.#revision });
      this.#revision = state.revision;
      this.#savedText = text;
      this.#saving = false;
      if (this.#text === text) {
        keep(this.#store, undefined);
        this.#checks += 1;
        this.listener.onSaved("saved");
        this.listener.onState(state);
      } else this.change(this.#text);
    } catch (thrown) {
      this.#saving = false;
      this.#refused(asApiError(thrown));
    }
  }

  #refused(error: ApiError): void {
    const theirs = error.status === 409 ? theirDraftOf(error.body as { [key: string]: unknown }) : null;
    if (theirs) {
      this.#conflict = true;
      this.listener.onSaved("conflict", error.message);
      this.listener.onConflict(theirs);
      return;
    }
    this.listener.onSaved("failed", error.message);
    // What the server refuses stays refused; a lost connection comes back.
    if (error.status === 0 || error.status >= 500) this.#saveTimer = setTimeout(() => void this.save(), AGAIN_AFTER);
  }

  /** Ends a conflict: from now on the text here follows on their save. `text` is what was chosen or merged. */
  settle(theirs: TheirDraft, text: string): void {
    this.#conflict = false;
    this.#revision = theirs.revision;
    this.#savedText = theirs.text;
    this.#text = text;
    if (this.dirty) void this.save();
    else {
      keep(this.#store, undefined);
      this.listener.onSaved("saved");
      void this.check();
    }
  }

  /** Begins with a conflict: the text kept from before a refresh is older than what is saved by now. */
  begin(kept: Kept): void {
    this.#text = kept.text;
    if (kept.revision === this.#revision) {
      this.change(kept.text);
      return;
    }
    this.#conflict = true;
    this.listener.onSaved("conflict");
    this.listener.onConflict({ text: this.#savedText, revision: this.#revision, by: "" });
  }
}
