import type { FlowFileList, FlowFileReply } from "../../generated/files";
import { asApiError, call, get, put, type ApiError } from "../../shared/api";
import { store } from "../store/state";

/** saved: as on the server · new: never saved · typing: not sent yet · saving · failed · conflict: somebody else saved. */
export type FileState = "saved" | "new" | "typing" | "saving" | "failed" | "conflict" | "readOnly";

/** The file as somebody else left it; text null when they removed it. */
export interface Theirs {
  text: string | null;
  sha: string;
  by: string;
}

const url = (rest: string): string => `/api/flows/${store.getState().id}/files${rest}`;
const at = (path: string): string => url(`/${path.split("/").map(encodeURIComponent).join("/")}`);

export const readFile = (path: string): Promise<FlowFileReply> => get<FlowFileReply>(at(path));
export const saveFile = (path: string, text: string, was: string): Promise<FlowFileReply> => put<FlowFileReply>(at(path), { text, was });
export const removeFile = (path: string, was: string): Promise<unknown> => call("DELETE", `${at(path)}?was=${encodeURIComponent(was)}`);
/** Where the flow stands in its workspace, as files beside it name it. */
export const flowPath = async (): Promise<string> => (await get<FlowFileList>(url(""))).path;

export function theirsOf(error: ApiError): Theirs | null {
  const body: object & { text?: unknown; sha?: unknown; by?: unknown } = Object.assign({}, error.body);
  if (error.code !== "FILE_CHANGED") return null;
  return { text: typeof body.text === "string" ? body.text : null, sha: typeof body.sha === "string" ? body.sha : "", by: typeof body.by === "string" ? body.by : "" };
}

const SAVE_AFTER = 900;
const AGAIN_AFTER = 4000;

export interface FileListener {
  onState: (state: FileState, words: string) => void;
  onSaved: (file: FlowFileReply) => void;
  onTheirs: (theirs: Theirs) => void;
}

/** One file while it is typed: saved after a pause, never over somebody else's. One that is new waits to be told. */
export class FileKeeper {
  #text: string;
  #stored: string | null;
  #was: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<unknown> | null = null;
  #stopped = false;

  /** stored: the text on the server; null for a new file. */
  constructor(
    readonly path: string,
    text: string,
    first: { stored: string | null; was: string; readOnly: boolean },
    private readonly listener: FileListener,
  ) {
    this.#text = text;
    this.#stored = first.stored;
    this.#was = first.was;
    this.#stopped = first.readOnly;
  }

  get dirty(): boolean {
    return this.#text !== this.#stored;
  }

  change(text: string): void {
    this.#text = text;
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    if (this.#stored === null) this.listener.onState("new", "");
    else if (!this.dirty) this.listener.onState("saved", "");
    else {
      this.listener.onState("typing", "");
      this.#timer = setTimeout(() => void this.save(), SAVE_AFTER);
    }
  }

  /** Sends what is typed. Resolves whether it is on the server now. */
  async save(): Promise<boolean> {
    // One text after the other: what was typed while one was on its way goes next.
    while (this.#sending) await this.#sending;
    clearTimeout(this.#timer);
    if (this.#stopped || !this.dirty) return !this.dirty;
    const sending = this.#send(this.#text);
    this.#sending = sending;
    return sending;
  }

  async #send(text: string): Promise<boolean> {
    this.listener.onState("saving", "");
    try {
      const file = await saveFile(this.path, text, this.#was);
      this.#stored = text;
      this.#was = file.sha;
      this.#sending = null;
      this.listener.onSaved(file);
      if (this.#text === text) this.listener.onState("saved", "");
      else this.change(this.#text);
      return true;
    } catch (thrown) {
      this.#sending = null;
      const error = asApiError(thrown);
      const theirs = theirsOf(error);
      if (theirs) {
        this.#stopped = true;
        this.listener.onTheirs(theirs);
      }
      this.listener.onState(theirs ? "conflict" : "failed", error.message);
      // What the server refuses stays refused; a lost connection comes back.
      if (!theirs && (error.status === 0 || error.status >= 500)) this.#timer = setTimeout(() => void this.save(), AGAIN_AFTER);
      return false;
    }
  }

  /** Ends a conflict: what is typed from now on follows on theirs. */
  settle(theirs: Theirs, text: string): void {
    this.#stopped = false;
    this.#stored = theirs.text;
    this.#was = theirs.sha;
    this.change(text);
    if (this.dirty) void this.save();
  }

  /** The editor closes. What is typed into a stored file goes to the server. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#stored !== null) void this.save();
  }
}
