import { asApiError, get, post, type ApiError } from "../../shared/api";
import { socketUrl } from "../../shared/socket";
import { t } from "../../shared/strings";
import { applyChanges, ChangeUnfit, isObject } from "./changes";
import { nodesOf, object, parseFlow, readLayout } from "./document";
import { browserStorage, shelfOf, type Kept, type Shelf } from "./kept";
import { listen, type Poke } from "./live";
import { isGone, isRenaming, withNames, type Renaming } from "./names";
import { expect, placeOf, valueAt, type Held } from "./optimism";
import { stepsOf } from "./paths";
import { EditQueue, type Outcome, type Refused } from "./queue";
import { readRefused } from "./refused";
import { fromBoot, NOTHING, store, EMPTY, type Pane, type Selection, type View } from "./state";
import type { Around, EditorBoot, EditReply, Json, Language, Operation, Proposal, RunView, XY } from "./wire";

/** What the server has confirmed. What is drawn is this with the edits on their way laid over it. */
let base: Held & { revision: number } = { flow: null, layout: {}, revision: 0 };
let queue: EditQueue | null = null;
let stop: (() => void) | null = null;
let notices = 0;
/** The newest revision that the socket has told of. */
let newest = 0;
/** What this page renamed: an edit that was begun before still says the old names. */
let renamings: Renaming[] = [];
const heard = new Set<(poke: Poke) => void>();

const path = (rest: string): string => `/api/flows/${store.getState().id}/${rest}`;
const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null));

/** Lays the edits on their way over what is confirmed. */
function draw(): void {
  const { flow, layout } = queue?.pending.length ? expect(base, queue.pending) : base;
  const known = store.getState();
  const next = readLayout(layout);
  const same = JSON.stringify(next) === JSON.stringify(known.layout);
  store.setState({ flow, ...(same ? {} : { layout: next }) });
}

/** Takes over what a reply says. from: the revision that its changes begin at. */
function take(reply: EditReply, from: number): void {
  if (reply.revision < base.revision) return;
  const before = base.flow;
  if (reply.revision > base.revision || reply.text != null) {
    if (!advance(reply, from)) {
      void refresh();
      return;
    }
  }
  const { revision, name, problems, units, undo, redo, asides } = reply;
  const same = (reply.changes.length === 0 && reply.text == null) || reply.changes.every((one) => one.doc === "layout");
  // A reply may bring the same document as another object, read from its text.
  const kept = base.flow === before || JSON.stringify(base.flow) === JSON.stringify(before);
  store.setState({ revision, name, problems, units, undo, redo, asides, ...(same ? {} : { changes: null }), ...(kept ? {} : { documentRevision: revision }) });
  draw();
  tidySelection();
}

function advance(reply: EditReply, from: number): boolean {
  const { revision } = reply;
  if (reply.text != null) {
    base = { flow: parseFlow(reply.text), layout: object(reply.layout ? asJson(reply.layout) : base.layout), revision };
    store.setState({ text: reply.text, textRevision: revision });
    return true;
  }
  if (from !== base.revision) return false;
  try {
    const next = applyChanges({ flow: base.flow ?? {}, layout: base.layout }, reply.changes);
    base = { flow: isObject(next.flow) ? next.flow : null, layout: object(reply.layout ? asJson(reply.layout) : next.layout), revision };
    return true;
  } catch (thrown) {
    if (thrown instanceof ChangeUnfit) return false;
    throw thrown;
  }
}

/** Steps that are gone are not chosen any more. */
function tidySelection(): void {
  const { flow, selection } = store.getState();
  const known = new Set(nodesOf(flow).map((node) => node.id));
  if (selection.nodes.every((id) => known.has(id))) return;
  store.setState({ selection: { ...selection, nodes: selection.nodes.filter((id) => known.has(id)) } });
}

let reading: Promise<void> | null = null;
let wanted = false;

/** Reads what changed since; everything, when that does not fit. Edits under way bring it with their own reply.
 * Asked for while it reads, it reads once more: what is on its way may be older than what was asked for. */
async function refresh(): Promise<void> {
  wanted = true;
  reading ??= readAll().finally(() => {
    reading = null;
  });
  await reading;
}

async function readAll(): Promise<void> {
  while (wanted) {
    wanted = false;
    await readChanges();
  }
}

async function readChanges(): Promise<void> {
  const since = base.revision;
  try {
    const reply = await get<EditReply>(path(`changes?since=${since}`));
    if (reply.text != null || since !== base.revision || advances(reply, since)) take(reply, since);
    else await readWhole();
  } catch (thrown) {
    // The socket comes back and asks again.
    asApiError(thrown);
  }
}

/** Do these changes describe what is held? */
function advances(reply: EditReply, since: number): boolean {
  if (reply.revision === since) return true;
  try {
    applyChanges({ flow: base.flow ?? {}, layout: base.layout }, reply.changes);
    return true;
  } catch {
    return false;
  }
}

async function readWhole(): Promise<void> {
  const boot = await get<EditorBoot>(path("editor"));
  take({ ...boot, changes: [], lines: [] }, boot.revision);
}

function refused(edit: Kept, error: ApiError, sent: number): Refused {
  const found = readRefused(error);
  if (found.reply) take(found.reply, sent);
  if (found.aside) {
    const aside = found.aside;
    const { asides } = store.getState();
    store.setState({ asides: [...asides.filter((one) => one.id !== aside.id), aside] });
  } else {
    const hints = found.problems.flatMap((one) => (one.hint ? [`${one.message} ${one.hint}`] : [one.message]));
    notify(t("edit.refused", { label: edit.label || t("edit.refusedUnnamed") }), hints.length ? hints : [error.message]);
  }
  return found;
}

function notify(words: string, hints: string[] = [], bad = true): void {
  const id = ++notices;
  store.setState({ notices: [...store.getState().notices.slice(-2), { id, words, hints, bad }] });
}

/** A field's edit says what its author saw there, so that what somebody else wrote meanwhile is not overwritten. */
function seen(operation: Operation): Operation {
  if (operation.op !== "setField" || operation.was !== undefined) return operation;
  const { flow } = store.getState();
  const place = flow && placeOf(flow, operation.on);
  const was = place ? valueAt(flow, [...place, ...operation.path]) : undefined;
  return typeof was === "string" ? { ...operation, was } : operation;
}

/** The chosen parts, as a whole selection. */
function chosen(part: Partial<Selection>): Selection {
  return { ...NOTHING, ...part };
}

async function errand(send: () => Promise<EditReply>): Promise<boolean> {
  const from = () => base.revision;
  let good = true;
  await queue?.after(async () => {
    const sent = from();
    try {
      take(await send(), sent);
    } catch (thrown) {
      const error = asApiError(thrown);
      const found = readRefused(error);
      if (found.reply) take(found.reply, sent);
      notify(error.message);
      good = false;
    }
  });
  return good;
}

export const editor = {
  /** Begins: what the page carries, and the edits that an earlier page could not send. */
  boot(boot: EditorBoot, around: Around, shelf: Shelf = shelfOf(around.person, boot.id, browserStorage()), live = true): void {
    this.end();
    base = { flow: parseFlow(boot.text), layout: object(asJson(boot.layout)), revision: boot.revision };
    store.setState({ ...EMPTY, ...fromBoot(boot, around), flow: base.flow, layout: readLayout(base.layout), view: base.flow ? "canvas" : "json" });
    const send = (edit: Kept) => {
      const { id, revision, label, operations } = edit;
      return post<EditReply>(path("edits"), { id, revision, label, operations });
    };
    const onDone = (reply: EditReply, sent: number, operations: readonly Operation[]) => {
      renamings.push(...operations.filter(isRenaming));
      if (sent === base.revision || reply.text != null) take(reply, sent);
      else void refresh();
    };
    const none = { all: () => [], put: () => undefined, drop: () => undefined };
    queue = new EditQueue({
      shelf: boot.canEdit === true ? shelf : none,
      revision: () => base.revision,
      send,
      onDone,
      onRefused: refused,
      onChange: () => draw(),
      onSaving: (saving, savingWords) => {
        store.setState({ saving, savingWords });
        // News that came while an edit was under way may be of a later one than its reply.
        if (saving === "saved" && newest > base.revision) void refresh();
      },
    });
    draw();
    if (!live) return;
    stop = listen({
      url: () => socketUrl(`/ws/flows/${boot.id}`),
      onPoke: (poke) => {
        if (poke.type === "draft") newest = Math.max(newest, poke.revision ?? 0);
        if (newest > base.revision && queue?.idle) void refresh();
        for (const one of heard) one(poke);
      },
      onBack: () => {
        queue?.now();
        if (queue?.idle) void refresh();
      },
    });
    const online = () => queue?.now();
    addEventListener("online", online);
    const ended = stop;
    stop = () => {
      removeEventListener("online", online);
      ended();
    };
  },

  end(): void {
    stop?.();
    stop = queue = null;
    newest = 0;
    renamings = [];
    heard.clear();
  },

  /** Messages of the flow's socket; returns how to stop hearing them. */
  hear(listener: (poke: Poke) => void): () => void {
    heard.add(listener);
    return () => heard.delete(listener);
  },

  /** Sends operations as one undoable edit. Kept, repeated and put in order until the server has answered. */
  async edit(label: string, operations: Operation[]): Promise<Outcome> {
    const { canEdit } = store.getState();
    if (!queue || !canEdit || !operations.length) return { ok: false, code: "READ_ONLY", message: t("edit.readOnly"), problems: [], kept: false };
    renamings = renamings.slice(-50);
    const { flow } = store.getState();
    const now = withNames(renamings.filter((each) => isGone(flow, each)), operations);
    return queue.add(label, now.map(seen));
  },

  undo: (): Promise<boolean> => errand(() => post<EditReply>(path("undo"), { revision: base.revision })),
  redo: (): Promise<boolean> => errand(() => post<EditReply>(path("redo"), { revision: base.revision })),

  /** Ends a conflict: "apply" puts mine over theirs, "drop" keeps theirs. */
  async settle(aside: string, act: "apply" | "drop"): Promise<boolean> {
    const good = await errand(() => post<EditReply>(path(`asides/${aside}`), { act, revision: base.revision }));
    if (good) store.setState({ asides: store.getState().asides.filter((one) => one.id !== aside) });
    return good;
  },

  /** Does a request of another part of the editor in its turn and takes its reply over, as an accepted proposal. */
  follow: (send: () => Promise<EditReply>): Promise<boolean> => errand(send),

  /** Reads what changed on the server. */
  refresh,
  retry: (): void => queue?.now(),

  /** Chooses, and shows what is chosen in the panel where no other pane is open. */
  select(part: Partial<Selection>): void {
    this.choose(part);
    const { selection, pane } = store.getState();
    const some = selection.nodes.length + selection.edges.length > 0 || selection.part !== null;
    if (some && pane === null) store.setState({ pane: "panel" });
  },

  /** Chooses without opening anything. */
  choose: (part: Partial<Selection>): void => store.setState({ selection: chosen(part) }),

  /** Chooses what a problem's path names, shows it, and asks for its field. */
  jump(problem: string): void {
    const { flow, jump, view } = store.getState();
    const at = (jump?.at ?? 0) + 1;
    if (view === "json" || !flow) {
      store.setState({ jump: { path: problem, at }, view: "json" });
      return;
    }
    store.setState({ jump: { path: problem, at }, pane: "panel", selection: chosen(partAt(problem)) });
  },

  openPane: (pane: Pane): void => store.setState({ pane }),
  setView: (view: View): void => store.setState({ view: store.getState().flow ? view : "json" }),
  setProposal: (proposal: Proposal | null): void => store.setState({ proposal }),
  setRun: (run: RunView | null): void => store.setState({ run }),
  setAuto: (auto: Record<string, XY>): void => store.setState({ auto }),
  setLanguage: (language: Language): void => store.setState({ language }),
  setFinding: (finding: boolean): void => store.setState({ finding }),
  /** Room to edit: a narrow screen is for looking. */
  setRoom(wide: boolean): void {
    const { mayEdit } = store.getState();
    store.setState({ canEdit: mayEdit && wide });
  },
  notify,
  dismiss: (id: number): void => store.setState({ notices: store.getState().notices.filter((one) => one.id !== id) }),
};

/** The part of the flow that a path is in. */
export function partAt(problem: string): Partial<Selection> {
  const { flow } = store.getState();
  const [key, name] = stepsOf(problem);
  if (key === "nodes" && typeof name === "number") {
    const node = nodesOf(flow).find((each) => each.at === name);
    return node ? { nodes: [node.id] } : {};
  }
  if (key === "edges" && typeof name === "number") {
    const all = flow?.edges;
    const edge = Array.isArray(all) ? object(all[name]) : {};
    if (typeof edge.from !== "string") return {};
    return { edges: [{ from: edge.from, ...(typeof edge.to === "string" ? { to: edge.to } : {}) }] };
  }
  if (key === "state" && typeof name === "string") return { part: { channel: name } };
  if (key === "tools" && typeof name === "number") {
    const all = flow?.tools;
    const tool = Array.isArray(all) ? object(all[name]) : {};
    return typeof tool.name === "string" ? { part: { tool: tool.name } } : {};
  }
  return { part: { flow: String(key ?? "") } };
}
