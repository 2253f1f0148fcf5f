import type { Frame, Json, MessageItem, Shown, StatusItem } from "../generated/frames";
import type { AnswerBody, MessageSent } from "../generated/wire";
import { ApiError, asApiError, get, newKey, post, remove } from "../shared/api";
import { Feed, type FeedState } from "../shared/feed";
import { asFields, labelOfField } from "../shared/fields";
import { NO_ITEMS } from "../shared/items";
import { t } from "../shared/strings";
import type { ChatBoot } from "../generated/wire";

/** A message of this page that the server has not shown back yet. */
export interface Outgoing {
  key: string;
  text: string;
  inputs: { [channel: string]: Json };
  values: Shown[];
  run: string | null;
  failed: string | null;
}

export interface ChatState extends FeedState {
  conversation: string | null;
  outgoing: Outgoing[];
  /** Another conversation is being read. */
  loading: boolean;
  /** Why a conversation could not be opened. */
  failed: string | null;
  stopping: boolean;
}

const IDLE: StatusItem = { type: "status", id: "status", state: "idle", run: null, question: null, kind: null };

const CLOSED: FeedState = { items: NO_ITEMS, streams: new Map(), link: "live", closeCode: null };

/** Everything the chat page knows and may do. Components read `state` and are told when it changes. */
export class ChatStore {
  state: ChatState;
  #feed: Feed | null = null;
  #listeners = new Set<() => void>();
  /** Cards whose long values were all opened, by digest: only they may be approved by typing. */
  readonly readable = new Set<string>();

  constructor(readonly boot: ChatBoot) {
    this.state = { ...CLOSED, conversation: boot.conversation, outgoing: [], loading: false, failed: null, stopping: false };
  }

  start(): void {
    addEventListener("popstate", () => void this.#follow(new URL(location.href).searchParams.get("c")));
    if (this.boot.conversation) this.#attach(this.boot.conversation, { frames: this.boot.frames, seq: this.boot.seq });
    else if (this.boot.agent.opensByItself) void this.newChat();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get status(): StatusItem {
    const item = this.state.items.get("status");
    return item?.type === "status" ? item : IDLE;
  }

  #set(change: Partial<ChatState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.#listeners) listener();
  }

  #attach(conversation: string, first: { frames: Frame[]; seq: number }): void {
    this.#feed?.close();
    this.#set({ ...CLOSED, link: "waiting", conversation, loading: false, failed: null, stopping: false });
    this.#feed = new Feed(conversation, (feed) => {
      const outgoing = this.state.outgoing.filter((message) => !message.run || !feed.items.has(`msg:${message.run}`));
      const status = feed.items.get("status");
      const working = status?.type === "status" && status.state === "working";
      this.#set({ ...feed, outgoing, stopping: this.state.stopping && working });
    });
    this.#feed.open(first);
  }

  #detach(): void {
    this.#feed?.close();
    this.#feed = null;
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
    this.#detach();
    if (!conversation) return;
    this.#set({ conversation, loading: true });
    try {
      const first = await get<{ frames: Frame[]; seq: number }>(`/api/conversations/${conversation}/frames?since=0`);
      if (this.state.conversation === conversation) this.#attach(conversation, first);
    } catch (thrown) {
      if (this.state.conversation === conversation) this.#set({ loading: false, failed: asApiError(thrown).message });
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
    if (!this.boot.agent.opensByItself) return;
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

  /** Sends a message. Rejects only where the person can mend it (422); a lost connection stays on the page to be tried again. */
  async send(text: string, inputs: { [channel: string]: Json }, key: string = newKey()): Promise<void> {
    const message: Outgoing = { key, text, inputs, values: this.#shown(inputs), run: null, failed: null };
    this.#set({ outgoing: [...this.state.outgoing.filter((other) => other.key !== key), message] });
    const conversation = this.state.conversation;
    try {
      const sent = await post<MessageSent>(`/api/a/${this.boot.agent.slug}/messages`, {
        conversation,
        ...(this.boot.agent.textInput ? { text } : {}),
        ...(Object.keys(inputs).length ? { inputs } : {}),
        key,
      });
      if (this.state.conversation !== conversation) return;
      this.#change(key, { run: sent.run });
      if (!conversation) {
        const outgoing = this.state.outgoing;
        history.replaceState(null, "", this.#address(sent.conversation));
        this.#attach(sent.conversation, { frames: [], seq: 0 });
        this.#set({ outgoing });
      } else if (this.state.items.has(`msg:${sent.run}`)) this.discard(key);
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.status === 422 || error.status === 400) {
        this.discard(key);
        throw error;
      }
      this.#change(key, { failed: error.message });
    }
  }

  #change(key: string, change: Partial<Outgoing>): void {
    this.#set({ outgoing: this.state.outgoing.map((message) => (message.key === key ? { ...message, ...change } : message)) });
  }

  discard(key: string): void {
    this.#set({ outgoing: this.state.outgoing.filter((message) => message.key !== key) });
  }

  /** The same message again, after its run ended badly. */
  async again(run: string): Promise<void> {
    const message = this.state.items.get(`msg:${run}`);
    if (message?.type === "message") await this.send(message.text, this.#inputsOf(message));
  }

  #inputsOf(message: MessageItem): { [channel: string]: Json } {
    const inputs: { [channel: string]: Json } = {};
    for (const [name, field] of Object.entries(asFields(this.boot.agent.inputs))) {
      const shown = message.values.find((value) => value.label === labelOfField(name, field));
      if (shown) inputs[name] = shown.value;
    }
    return inputs;
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
  if (code === 4401) return t("chat.signedOut");
  if (code === 4404) return t("chat.gone");
  return t("chat.notAllowed");
}
