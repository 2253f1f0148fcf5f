// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Item, StatusItem } from "../../src/generated/frames";
import { joinEditor, reportOf } from "../../src/chat/pane";
import { ChatStore } from "../../src/chat/store";

const idle: StatusItem = { type: "status", id: "status", state: "idle", run: null, question: null, kind: null };
const working: StatusItem = { ...idle, state: "working", run: "r2" };
const steps = (run: string): Item => ({ type: "steps", id: `steps:${run}`, run, steps: [{ address: "plan#1", title: "Plan", kind: "llm", state: "running", ms: null }], ms: 0, demo: false });
const message = (run: string): Item => ({ type: "message", id: `msg:${run}`, run, text: "Hi", values: [], by: "Dana", state: "sent", canRemove: false, at: "2026-01-01T00:00:00Z" });

function storeOf(...items: Item[]): ChatStore {
  const store = new ChatStore({
    agent: { slug: "draft-1", name: "Desk", description: "", suggestions: [], textInput: "question", inputs: {}, opensByItself: false, welcome: "", paused: null },
    person: { name: "Dana", key: "d1", signedIn: true },
    conversation: null,
    title: "",
    frames: [],
    seq: 0,
    hide: ["header"],
    pane: true,
    inboxUrl: null,
    lock: null,
  });
  store.state = { ...store.state, conversation: "c1", items: new Map(items.map((item) => [item.id, item])) };
  return store;
}

/** What this page is told when it is its own editor. */
function listener(): [unknown, string][] {
  const told: [unknown, string][] = [];
  vi.spyOn(window, "postMessage").mockImplementation((...said: unknown[]) => {
    told.push([said[0], String(said[1])]);
  });
  return told;
}

const say = (data: unknown, origin: string, source: Window | null) => dispatchEvent(new MessageEvent("message", { data, origin, source }));

describe("the chat inside the editor", () => {
  afterEach(() => vi.restoreAllMocks());

  test("reports the run whose turn it is, else the last one", () => {
    expect(reportOf(storeOf(message("r1"), steps("r1"), message("r2"), steps("r2"), working))).toMatchObject({ run: "r2", status: "working", steps: [{ address: "plan#1" }] });
    expect(reportOf(storeOf(message("r1"), steps("r1"), idle))).toMatchObject({ run: "r1", status: "idle", conversation: "c1" });
    expect(reportOf(storeOf())).toMatchObject({ run: null, steps: [] });
  });

  test("tells its own origin alone, and the same thing once", () => {
    const told = listener();
    const store = storeOf(message("r1"), steps("r1"), idle);
    const leave = joinEditor(store, window, "https://studio.example");
    expect(told).toEqual([[expect.objectContaining({ type: "steps", run: "r1" }), "https://studio.example"]]);
    say({ source: "lgstudio", type: "report" }, "https://studio.example", window);
    expect(told).toHaveLength(2);
    leave();
    say({ source: "lgstudio", type: "report" }, "https://studio.example", window);
    expect(told).toHaveLength(2);
  });

  test("does what its editor asks, and nothing that anybody else asks", () => {
    listener();
    const store = storeOf(message("r1"));
    const begin = vi.spyOn(store, "newChat").mockResolvedValue();
    joinEditor(store, window, "https://studio.example");
    const ask = { source: "lgstudio", type: "newChat" };
    say(ask, "https://elsewhere.example", window);
    say(ask, "https://studio.example", null);
    say({ ...ask, source: "other" }, "https://studio.example", window);
    say("newChat", "https://studio.example", window);
    expect(begin).not.toHaveBeenCalled();
    say(ask, "https://studio.example", window);
    expect(begin).toHaveBeenCalledOnce();
  });
});
