import { create } from "zustand";
import type { Ask, AskBegun, Asks, AskRow } from "../../generated/asks";
import type { EditReply } from "../../generated/edits";
import { asApiError, get, post } from "../../shared/api";
import { t } from "../../shared/strings";
import { arranged, besides, unplaced } from "../canvas/places";
import { isObject } from "../store/changes";
import { readLayout } from "../store/document";
import { editor } from "../store/editor";
import { store } from "../store/state";
import type { JsonObject, Layout } from "../store/wire";

export interface AskState {
  /** The ask in the box: it works, waits for a yes, or has just ended. */
  current: Ask | null;
  earlier: AskRow[];
  /** Why nothing can be asked; empty when it can. */
  problem: string;
  maySet: boolean;
  demo: boolean;
  /** What went wrong with a request, in words. */
  error: string;
  /** A request is on its way. */
  busy: boolean;
  ready: boolean;
}

const EMPTY: AskState = { current: null, earlier: [], problem: "", maySet: false, demo: false, error: "", busy: false, ready: false };

export const askStore = create<AskState>()(() => EMPTY);
const path = (rest = ""): string => `/api/flows/${store.getState().id}/asks${rest}`;

/** Is it still going on, or does it wait for a yes? */
export const isOpen = (ask: Ask | null): boolean => ask?.state === "working" || ask?.state === "proposed";

/** Puts an ask into the box, and its proposal onto the canvas. */
function show(ask: Ask | null): void {
  askStore.setState({ current: ask });
  const shown = store.getState().proposal;
  if (!ask || ask.state !== "proposed" || !ask.fits || !isObject(ask.document)) {
    if (shown) editor.setProposal(null);
    return;
  }
  void propose(ask, ask.document);
}

async function propose(ask: Ask, document: JsonObject): Promise<void> {
  const { layout, auto } = store.getState();
  const own = readLayout(isObject(ask.layout) ? ask.layout : {});
  const nodes = { ...own.nodes, ...(await places(document, own, auto)) };
  if (askStore.getState().current?.id !== ask.id || askStore.getState().current?.state !== "proposed") return;
  editor.setProposal({ id: ask.id, document, layout: { ...layout, nodes }, lines: ask.lines });
}

/** Where the proposal's new steps stand. The same places hold after it is accepted, so that nothing jumps. */
async function places(document: JsonObject, own: Layout, auto: AutoPlaces): Promise<AutoPlaces> {
  const lost = unplaced(document, own, auto);
  if (!lost.length) return {};
  const known = { ...auto, ...own.nodes };
  const few = lost.length < 4 && Object.keys(known).length > 0;
  const all = few ? besides(document, known, lost) : await arranged(document);
  const found: AutoPlaces = {};
  for (const id of few ? lost : Object.keys(all)) {
    const at = all[id];
    if (at && !own.nodes[id]) found[id] = at;
  }
  return found;
}

type AutoPlaces = ReturnType<typeof store.getState>["auto"];

async function quietly(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (thrown) {
    askStore.setState({ error: asApiError(thrown).message });
    return false;
  }
}

/** Does something of the person, one thing at a time. */
async function busily(act: () => Promise<void>): Promise<boolean> {
  if (askStore.getState().busy) return false;
  askStore.setState({ busy: true, error: "" });
  const good = await quietly(act);
  askStore.setState({ busy: false });
  return good;
}

let reading = 0;

export const asking = {
  /** Reads the flow's asks: what was open when the page was left is there again. */
  async begin(): Promise<void> {
    askStore.setState(EMPTY);
    await this.refresh();
  },

  async refresh(): Promise<void> {
    const turn = ++reading;
    await quietly(async () => {
      const found = await get<Asks>(path());
      if (turn !== reading) return;
      const { current } = askStore.getState();
      askStore.setState({ earlier: found.asks, problem: found.problem, maySet: found.maySet, demo: found.demo, ready: true });
      // How the last ask ended is read first; an older proposal that is still open comes back after that.
      const unread = current !== null && found.current !== null && current.at > found.current.at;
      if (found.current && !unread) show(found.current);
      else if (current && isOpen(current)) await this.read(current.id);
    });
  },

  /** Reads one ask as it is now. */
  async read(id: string): Promise<void> {
    await quietly(async () => {
      const ask = await get<Ask>(path(`/${id}`));
      const { current } = askStore.getState();
      if (current && current.id !== id) return;
      if (current && current.rev > ask.rev) return;
      const ended = current !== null && isOpen(current) && !isOpen(ask);
      show(ask);
      if (ended) void this.refresh();
    });
  },

  /** A message of the flow's socket: an ask came further, here or in another window of this person. */
  heard(id: string, rev: number): void {
    const { current } = askStore.getState();
    if (current?.id === id) {
      if (rev > current.rev) void this.read(id);
    } else if (!current || !isOpen(current) || current.state === "proposed") void this.refresh();
  },

  send: (text: string, selection: string[]): Promise<boolean> =>
    busily(async () => {
      const begun = await post<AskBegun>(path(), { text, selection });
      askStore.setState({ current: null });
      const ask = await get<Ask>(path(`/${begun.id}`));
      show(ask);
    }),

  stop: (): Promise<boolean> => ended("stop"),
  drop: (): Promise<boolean> => ended("drop"),

  /** Puts the proposal into the draft: one edit, in its turn after those on their way. */
  accept: (): Promise<boolean> =>
    busily(async () => {
      const { current } = askStore.getState();
      if (!current) return;
      const kept = store.getState().proposal?.layout?.nodes ?? {};
      const good = await editor.follow(async () => {
        const reply = await post<EditReply>(path(`/${current.id}/accept`), { revision: store.getState().revision });
        editor.setAuto({ ...store.getState().auto, ...kept });
        return reply;
      });
      const ask = await get<Ask>(path(`/${current.id}`));
      show(ask);
      if (good) void asking.refresh();
    }),

  close: (): void => {
    if (isOpen(askStore.getState().current)) return;
    askStore.setState({ current: null, error: "" });
    void asking.refresh();
  },
};

async function ended(act: "stop" | "drop"): Promise<boolean> {
  return busily(async () => {
    const { current } = askStore.getState();
    if (!current) return;
    show(await post<Ask>(path(`/${current.id}/${act}`)));
    void asking.refresh();
  });
}

/** "3 changes". */
export const counted = (count: number): string => t("ask.changes", { count });
