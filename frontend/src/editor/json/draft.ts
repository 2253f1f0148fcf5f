import { asApiError, post, put, type ApiError } from "../../shared/api";
import type { Problem } from "../store/wire";

/** saved: as on the server · typing: not sent yet · saving · failed: kept here, sent again · conflict: somebody else saved. */
export type Saved = "saved" | "typing" | "saving" | "failed" | "conflict" | "readOnly";

/** What a saved draft is answered with. */
export interface DraftState {
  revision: number;
  name: string;
  problems: Problem[];
}

/** Somebody else's save, as a 409 brings it. */
export interface TheirDraft {
  text: string;
  revision: number;
  by: string;
}

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

const keyOf = (flow: string): string => `lgstudio.text.${flow}`;

function keep(flow: string, kept: Kept | null): void {
  try {
    if (kept) sessionStorage.setItem(keyOf(flow), JSON.stringify(kept));
    else sessionStorage.removeItem(keyOf(flow));
  } catch {
    // Without storage what is typed lives as long as the page.
  }
}

/** What was typed in this tab and never saved. */
export function readKept(flow: string): Kept | null {
  try {
    const kept: Kept = JSON.parse(sessionStorage.getItem(keyOf(flow)) ?? "");
    return typeof kept.text === "string" && typeof kept.revision === "number" ? kept : null;
  } catch {
    return null;
  }
}

export function theirDraftOf(error: ApiError): TheirDraft | null {
  const body: object & { text?: unknown; revision?: unknown; by?: unknown } = Object.assign({}, error.body);
  if (error.status !== 409 || typeof body.text !== "string" || typeof body.revision !== "number") return null;
  return { text: body.text, revision: body.revision, by: typeof body.by === "string" ? body.by : "" };
}

/** The text of one flow: checked while it is typed, saved after a pause, never over somebody else's save. */
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
    first: Kept,
    private readonly readOnly: boolean,
    private readonly listener: DraftListener,
  ) {
    this.#text = this.#savedText = first.text;
    this.#revision = first.revision;
  }

  /** What was typed here and never saved, from before a refresh; null when nothing was lost. */
  unsaved(): Kept | null {
    const kept = readKept(this.flow);
    return kept && kept.text !== this.#savedText && !this.readOnly ? kept : null;
  }

  get dirty(): boolean {
    return this.#text !== this.#savedText;
  }

  get revision(): number {
    return this.#revision;
  }

  /** The text as it is typed now. */
  change(text: string): void {
    this.#text = text;
    if (this.readOnly) return;
    clearTimeout(this.#checkTimer);
    clearTimeout(this.#saveTimer);
    this.#checkTimer = setTimeout(() => void this.check(), CHECK_AFTER);
    if (!this.dirty) {
      keep(this.flow, null);
      if (!this.#conflict) this.listener.onSaved("saved");
      return;
    }
    keep(this.flow, { text, revision: this.#revision });
    if (this.#conflict) return;
    this.listener.onSaved("typing");
    this.#saveTimer = setTimeout(() => void this.save(), SAVE_AFTER);
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
        keep(this.flow, null);
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
    const theirs = theirDraftOf(error);
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

  /** The draft was changed elsewhere. True: nothing is typed here, and the text is taken over. */
  follow(text: string, revision: number): boolean {
    if (revision < this.#revision || text === this.#savedText || this.dirty || this.#saving || this.#conflict) return false;
    this.#text = this.#savedText = text;
    this.#revision = revision;
    return true;
  }

  /** Ends a conflict: from now on the text here follows on their save. `text` is what was chosen or merged. */
  settle(theirs: TheirDraft, text: string): void {
    this.#conflict = false;
    this.#revision = theirs.revision;
    this.#savedText = theirs.text;
    this.#text = text;
    if (this.dirty) void this.save();
    else {
      keep(this.flow, null);
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

  /** The view closes: what is typed goes to the server, or stays kept. */
  end(): void {
    clearTimeout(this.#checkTimer);
    void this.save();
  }
}
