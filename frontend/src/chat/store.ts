import type { Frame, Json, Shown, StatusItem } from "../generated/frames";
import type { AnswerBody, Forked, MessageSent } from "../generated/wire";
import { ApiError, asApiError, get, newKey, post, remove } from "../shared/api";
import { Feed, type FeedState } from "../shared/feed";
import { asFields, labelOfField } from "../shared/fields";
import { NO_ITEMS } from "../shared/items";
import { t } from "../shared/strings";
import type { ChatBoot } from "../generated/wire";
import { inputsOf } from "./inputs";
import { Unsent, type Outgoing } from "./unsent";

/** A message that the server refused. */
export interface Refused {
  key: string;
  error: ApiError;
}

export interface ChatState extends FeedState {
  conversation: string | null;
  outgoing: Outgoing[];
  /** Another conversation is being read. */
  loading: boolean;
  /** Why a conversation could not be opened. */
  failed: string | null;
  stopping: boolean;
  /** Nobody was there for too long, or the person is signed out of an agent that knows its people. */
  locked: boolean;
}

const IDLE: StatusItem = { type: "status", id: "status", state: "idle", run: null, question: null, kind: null };

const CLOSED: FeedState = { items: NO_ITEMS, streams: new Map(), link: "live", closeCode: null };

/** Everything the chat page knows and may do. Components read `state` and are told when it changes. */
export class ChatStore {
  state: ChatState;
  #feed: Feed | null = null;
  #listeners = new Set<() => void>();
  readonly #unsent: Unsent;
  /** The conversation that the first message opens, while it is on its way; null when that failed. */
  #beginning: Promise<string | null> | null = null;
  /** Keys of messages that this page is sending. */
  readonly #flying = new Set<string>();
  /** Cards whose long values were all opened, by digest: only they may be approved by typing. */
  readonly readable = new Set<string>();

  constructor(readonly boot: ChatBoot) {
    this.#unsent = new Unsent(this.desk);
    this.state = { ...CLOSED, conversation: boot.conversation, outgoing: [], loading: false, failed: null, stopping: false, locked: false };
  }

  /** Whose words with which agent this tab keeps. */
  get desk(): string {
    return `${this.boot.agent.slug}:${this.boot.person.key}`;
  }

  start(): void {
    if (this.boot.lock?.seconds === 0) return this.lock();
    addEventListener("popstate", () => void this.#follow(new URL(location.href).searchParams.get("c")));
    if (this.boot.conversation) this.#attach(this.boot.conversation, { frames: this.boot.frames, seq: this.boot.seq });
    else if (this.boot.agent.opensByItself) void this.newChat();
    else this.#recall(null);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get status(): StatusItem {
    const item = this.state.items.get("status");
    return item?.type === "status" ? item : IDLE;
  }

  /** Empties the page for good: what comes later, of requests under way, finds no place any more. A page that was opened
   * before its agent knew its people has no lock to show, and loads it. */
  lock(): void {
    this.#feed?.close();
    this.#feed = null;
    this.boot.frames = [];
    this.boot.title = "";
    this.#set({ ...CLOSED, conversation: null, outgoing: [], loading: false, failed: null, stopping: false, locked: true });
    if (!this.boot.lock) location.reload();
  }

  #set(change: Partial<ChatState>): void {
    if (this.state.locked) return;
    this.state = { ...this.state, ...change };
    for (const listener of this.#listeners) listener();
  }

  #attach(conversation: string, first: { frames: Frame[]; seq: number }): void {
    if (this.state.locked) return;
    this.#feed?.close();
    this.#set({ ...CLOSED, link: "waiting", conversation, loading: false, failed: null, stopping: false });
    this.#feed = new Feed(conversation, (feed) => {
      if (feed.closeCode === 4423 || (this.boot.lock && feed.closeCode === 4401)) return this.lock();
      const outgoing = this.state.outgoing.filter((message) => !message.run || !feed.items.has(`msg:${message.run}`));
      const status = feed.items.get("status");
      const working = status?.type === "status" && status.state === "working";
      this.#set({ ...feed, outgoing, stopping: this.state.stopping && working });
    });
    this.#feed.open(first);
    this.#recall(conversation);
  }

  #detach(): void {
    this.#feed?.close();
    this.#feed = null;
    this.#beginning = null;
    this.#set({ ...CLOSED, conversation: null, outgoing: [], loading: false, failed: null, stopping: false });
  }

  #address(conversation: string | null): string {
    const url = new URL(location.href);
    if (conversation) url.searchParams.set("c", conversation);
    else url.searchParams.delete("c");
    return url.href;
  }

  async open(conversation: string): Promise<void> {
    if (conversation === this.state.conversation) return;
    history.pushState(null, "", this.#address(conversation));
    await this.#follow(conversation);
  }

  async #follow(conversation: string | null): Promise<void> {
    if (this.state.locked) return;
    this.#detach();
    if (!conversation) return this.#recall(null);
    this.#set({ conversation, loading: true });
    try {
      const first = await get<{ frames: Frame[]; seq: number }>(`/api/conversations/${conversation}/frames?since=0`);
      if (this.state.conversation === conversation) this.#attach(conversation, first);
    } catch (thrown) {
      if (this.state.conversation === conversation) this.#set({ loading: false, failed: asApiError(thrown).message });
    }
  }

  /** A new conversation that begins with the turns up to this one; opens it. Resolves with the refusal, or null. */
  async fork(run: string): Promise<ApiError | null> {
    try {
      const made = await post<Forked>(`/api/conversations/${this.state.conversation}/fork`, { run });
      await this.open(made.conversation);
      return null;
    } catch (thrown) {
      return asApiError(thrown);
    }
  }

  retryOpen(): void {
    if (this.state.conversation) void this.#follow(this.state.conversation);
    else void this.newChat();
  }

  async newChat(): Promise<void> {
    this.#detach();
    const address = this.#address(null);
    if (address !== location.href) history.pushState(null, "", address);
    if (!this.boot.agent.opensByItself) return this.#recall(null);
    this.#set({ loading: true });
    try {
      const opened = await post<{ conversation: string }>(`/api/a/${this.boot.agent.slug}/conversations`);
      history.replaceState(null, "", this.#address(opened.conversation));
      this.#attach(opened.conversation, { frames: [], seq: 0 });
    } catch (thrown) {
      this.#set({ loading: false, failed: asApiError(thrown).message });
    }
  }

  #shown(inputs: { [channel: string]: Json }): Shown[] {
    const fields = asFields(this.boot.agent.inputs);
    return Object.entries(inputs).flatMap(([name, value]) => {
      const field = fields[name];
      return field && value !== null && value !== "" ? [{ label: labelOfField(name, field), value }] : [];
    });
  }

  /** Sends a message. It stands on the page, and in this tab's store, until the server took it; the refusal is said beside it
   * and resolved, so that the composer may take back what the person can mend. */
  async send(text: string, inputs: { [channel: string]: Json }, key: string = newKey()): Promise<ApiError | null> {
    const written = this.state.conversation;
    const message: Outgoing = { key, text, inputs, values: this.#shown(inputs), run: null, failed: null };
    this.#unsent.put(written, message);
    this.#place(message);
    this.#flying.add(key);
    try {
      // What follows the message that begins a conversation belongs to the same one.
      return await this.#post(written ?? (await this.#beginning), message);
    } finally {
      this.#flying.delete(key);
    }
  }

  async #post(conversation: string | null, message: Outgoing): Promise<ApiError | null> {
    const { key, text, inputs } = message;
    const sending = post<MessageSent>(`/api/a/${this.boot.agent.slug}/messages`, {
      conversation,
      ...(this.boot.agent.textInput ? { text } : {}),
      ...(Object.keys(inputs).length ? { inputs } : {}),
      key,
    });
    if (conversation === null) {
      const beginning = sending.then(({ conversation }) => conversation, () => null);
      this.#beginning = beginning;
      void beginning.then(() => {
        if (this.#beginning === beginning) this.#beginning = null;
      });
    }
    let sent: MessageSent;
    try {
      sent = await sending;
    } catch (thrown) {
      const error = asApiError(thrown);
      const failed = { ...message, failed: error.message };
      this.#unsent.put(conversation, failed);
      if (this.state.conversation === conversation) this.#place(failed);
      return error;
    }
    this.#unsent.remove(conversation, key);
    // The person has gone to another conversation meanwhile.
    if (!this.state.outgoing.some((other) => other.key === key)) return null;
    this.#place({ ...message, run: sent.run });
    if (this.state.conversation === null) {
      const outgoing = this.state.outgoing;
      for (const other of outgoing) {
        if (other.key === key) continue;
        this.#unsent.remove(null, other.key);
        this.#unsent.put(sent.conversation, other);
      }
      history.replaceState(null, "", this.#address(sent.conversation));
      this.#attach(sent.conversation, { frames: [], seq: 0 });
      this.#set({ outgoing });
    } else if (this.state.items.has(`msg:${sent.run}`)) this.#drop(key);
    return null;
  }

  /** Puts a message on the page, in the place of the one with its key. */
  #place(message: Outgoing): void {
    const { outgoing } = this.state;
    const known = outgoing.some((other) => other.key === message.key);
    this.#set({ outgoing: known ? outgoing.map((other) => (other.key === message.key ? message : other)) : [...outgoing, message] });
  }

  #drop(key: string): void {
    this.#set({ outgoing: this.state.outgoing.filter((message) => message.key !== key) });
  }

  /** Takes a message that was not sent off the page. */
  discard(key: string): void {
    this.#unsent.remove(this.state.conversation, key);
    this.#drop(key);
  }

  /** What was not sent before a refresh stands on the page again. What was on its way goes out once more: with its key it is
   * the same message, whether or not the server took it. */
  #recall(conversation: string | null): void {
    const kept = this.#unsent.read(conversation).filter((message) => !this.#flying.has(message.key));
    if (!kept.length) return;
    // Why it failed then need not be true now.
    this.#set({ outgoing: kept.map((message) => (message.failed === null ? message : { ...message, failed: "" })) });
    for (const message of kept) if (message.failed === null) void this.send(message.text, message.inputs, message.key);
  }

  /** The same message again, after its run ended badly. Resolves with what was sent and why it was refused. */
  async again(run: string): Promise<Refused | null> {
    const item = this.state.items.get(`msg:${run}`);
    if (item?.type !== "message") return null;
    const key = newKey();
    const error = await this.send(item.text, inputsOf(item, asFields(this.boot.agent.inputs)), key);
    return error && { key, error };
  }

  async stop(): Promise<ApiError | null> {
    const run = this.status.run;
    if (!run) return null;
    this.#set({ stopping: true });
    try {
      await post(`/api/runs/${run}/cancel`);
      return null;
    } catch (thrown) {
      this.#set({ stopping: false });
      return asApiError(thrown);
    }
  }

  async removeQueued(run: string): Promise<ApiError | null> {
    try {
      await remove(`/api/runs/${run}`);
      return null;
    } catch (thrown) {
      return asApiError(thrown);
    }
  }

  /** Answers or decides a question. Resolves with the refusal, or null when it was taken. */
  async answer(question: string, body: Omit<AnswerBody, "key">, key: string = newKey()): Promise<ApiError | null> {
    try {
      await post(`/api/questions/${question}/answer`, { ...body, key });
      return null;
    } catch (thrown) {
      return asApiError(thrown);
    }
  }
}

/** What the page's reader is told when the server ended the connection for good. */
export function endedWords(code: number | null): string {
  if (code === 4401 || code === 4423) return t("chat.signedOut");
  if (code === 4404) return t("chat.gone");
  if (code === 4410) return t("chat.linkRenewed");
  return t("chat.notAllowed");
}
