import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/shared/api";
import type { Kept, Shelf } from "../../src/editor/store/kept";
import { EditQueue, type Saving } from "../../src/editor/store/queue";
import type { EditReply, Operation } from "../../src/editor/store/wire";
import { replyOf } from "./server";

const prompt = (value: string, node = "reply"): Operation => ({ op: "setField", on: { node }, path: ["prompt"], value, was: "old" });
const start: Operation = { op: "setStart", id: "reply" };

function shelf(): Shelf & { held: Map<string, Kept> } {
  const held = new Map<string, Kept>();
  return { held, all: () => [...held.values()], put: (edit) => void held.set(edit.id, edit), drop: (id) => void held.delete(id) };
}

/** A queue whose server is the test: every sent edit waits here until it is answered. */
function queueOf(kept = shelf()) {
  const sent: { edit: Kept; answer: (reply: EditReply) => void; refuse: (error: ApiError) => void }[] = [];
  const said: Saving[] = [];
  const pauses: (() => void)[] = [];
  const done: [number, number][] = [];
  let revision = 5;
  const queue = new EditQueue({
    shelf: kept,
    revision: () => revision,
    send: (edit) => new Promise((answer, refuse) => sent.push({ edit, answer, refuse })),
    onDone: (reply, from) => {
      revision = reply.revision;
      done.push([from, reply.revision]);
    },
    onRefused: () => ({ reply: null, aside: null, problems: [{ operation: 0, code: "NO", message: "No.", hint: "" }] }),
    onChange: () => undefined,
    onSaving: (saving) => said.push(saving),
    wait: () => new Promise((go) => pauses.push(go)),
  });
  return { queue, sent, said, pauses, done, kept };
}

const settle = () => new Promise((done) => setTimeout(done, 0));

describe("edits on their way", () => {
  it("go one at a time and in order, each from the revision of the one before", async () => {
    const { queue, sent, done } = queueOf();
    const first = queue.add("one", [prompt("a")]);
    const second = queue.add("two", [start]);
    await settle();
    expect(sent.map((each) => each.edit.label)).toEqual(["one"]);
    sent[0]!.answer(replyOf(6));
    expect(await first).toEqual({ ok: true, renamed: {} });
    await settle();
    expect(sent.map((each) => [each.edit.label, each.edit.revision])).toEqual([["one", 5], ["two", 6]]);
    sent[1]!.answer(replyOf(7));
    await second;
    expect(done).toEqual([[5, 6], [6, 7]]);
    expect(queue.idle).toBe(true);
  });

  it("of the same field become one while they wait, and keep what was seen first", async () => {
    const { queue, sent } = queueOf();
    void queue.add("flying", [start]);
    await settle();
    void queue.add("a", [prompt("a")]);
    void queue.add("ab", [{ op: "setField", on: { node: "reply" }, path: ["prompt"], value: "ab", was: "a" }]);
    void queue.add("other", [prompt("x", "other")]);
    expect(queue.pending).toEqual([start, prompt("ab"), prompt("x", "other")]);
    sent[0]!.answer(replyOf(6));
    await settle();
    expect(sent[1]!.edit.operations).toEqual([prompt("ab")]);
  });

  it("are tried again under the same id when the connection is lost, and say so", async () => {
    const { queue, sent, said, pauses } = queueOf();
    const edit = queue.add("one", [prompt("a")]);
    await settle();
    sent[0]!.refuse(new ApiError(0, "OFFLINE", "No connection."));
    await settle();
    expect(said.at(-1)).toBe("offline");
    expect(queue.pending).toEqual([prompt("a")]);
    pauses[0]!();
    await settle();
    expect(sent[1]!.edit.id).toBe(sent[0]!.edit.id);
    sent[1]!.answer(replyOf(6));
    expect((await edit).ok).toBe(true);
    await settle();
    expect(said.at(-1)).toBe("saved");
  });

  it("do not wait for the end of a pause when the connection is back", async () => {
    const { queue, sent } = queueOf();
    void queue.add("one", [prompt("a")]);
    await settle();
    sent[0]!.refuse(new ApiError(503, "HTTP_503", "Restarting."));
    await settle();
    queue.now();
    await settle();
    expect(sent).toHaveLength(2);
  });

  it("outlive the page: the next one sends them under the same id and revision", async () => {
    const before = queueOf();
    void before.queue.add("one", [prompt("a")]);
    await settle();
    const after = queueOf(before.kept);
    await settle();
    expect(after.sent[0]!.edit).toEqual(before.sent[0]!.edit);
    after.sent[0]!.answer(replyOf(9));
    await settle();
    expect(before.kept.held.size).toBe(0);
  });

  it("that the server refuses are not tried again, and the others go on", async () => {
    const { queue, sent, kept } = queueOf();
    const bad = queue.add("bad", [prompt("a")]);
    const good = queue.add("good", [start]);
    await settle();
    sent[0]!.refuse(new ApiError(422, "FIELD_UNKNOWN", "There is no such field."));
    expect(await bad).toMatchObject({ ok: false, code: "FIELD_UNKNOWN", kept: false, problems: [{ message: "No." }] });
    await settle();
    expect(sent[1]!.edit.label).toBe("good");
    sent[1]!.answer(replyOf(6));
    expect((await good).ok).toBe(true);
    expect(kept.held.size).toBe(0);
  });

  it("wait for somebody when the session has ended, and are kept", async () => {
    const { queue, sent, said, kept } = queueOf();
    void queue.add("one", [prompt("a")]);
    await settle();
    sent[0]!.refuse(new ApiError(401, "SIGNED_OUT", "Sign in again."));
    await settle();
    void queue.add("two", [start]);
    await settle();
    expect([said.at(-1), sent.length, kept.held.size]).toEqual(["failed", 1, 2]);
    queue.now();
    await settle();
    expect(sent[1]!.edit.label).toBe("one");
  });

  it("come before what is asked for after them", async () => {
    const { queue, sent } = queueOf();
    const order: string[] = [];
    void queue.add("one", [prompt("a")]).then(() => order.push("edit"));
    const undone = queue.after(async () => void order.push("undo"));
    await settle();
    expect(order).toEqual([]);
    sent[0]!.answer(replyOf(6));
    await undone;
    expect(order).toEqual(["edit", "undo"]);
  });
});

describe("edits made while a renaming is under way", () => {
  const rename: Operation = { op: "renameNode", id: "reply", to: "answer" };

  it("say the new name once it is there, also where the page was closed in between", async () => {
    const { queue, sent, kept } = queueOf();
    void queue.add("rename", [rename]);
    void queue.add("prompt", [prompt("a"), { op: "move", positions: { reply: { x: 1, y: 2 } } }]);
    void queue.add("lead", [{ op: "connect", from: "reply", to: "check" }]);
    await settle();
    sent[0]!.answer(replyOf(6));
    await settle();
    expect(sent[1]!.edit.operations).toEqual([
      { op: "setField", on: { node: "answer" }, path: ["prompt"], value: "a", was: "old" },
      { op: "move", positions: { answer: { x: 1, y: 2 } } },
    ]);
    expect([...kept.held.values()].at(-1)!.operations).toEqual([{ op: "connect", from: "answer", to: "check" }]);
  });

  it.each<[string, Operation, Operation, Operation]>([
    [
      "a channel",
      { op: "renameChannel", name: "kind", to: "sort" },
      { op: "setField", on: { channel: "kind" }, path: ["description"], value: "Its sort." },
      { op: "setField", on: { channel: "sort" }, path: ["description"], value: "Its sort." },
    ],
    [
      "a tool",
      { op: "renameTool", name: "find", to: "seek" },
      { op: "setField", on: { tool: "find" }, path: ["description"], value: "Seeks." },
      { op: "setField", on: { tool: "seek" }, path: ["description"], value: "Seeks." },
    ],
    [
      "a route",
      { op: "renameRoute", from: "reply", route: "ok", to: "fine" },
      { op: "setField", on: { edge: { from: "reply" } }, path: ["when", "ok"], value: "'kind' is empty" },
      { op: "setField", on: { edge: { from: "reply" } }, path: ["when", "fine"], value: "'kind' is empty" },
    ],
    [
      "a route that another one has as well",
      { op: "renameRoute", from: "reply", route: "ok", to: "fine" },
      { op: "setField", on: { edge: { from: "check" } }, path: ["when", "ok"], value: "'kind' is empty" },
      { op: "setField", on: { edge: { from: "check" } }, path: ["when", "ok"], value: "'kind' is empty" },
    ],
  ])("%s", async (_, renaming, made, wanted) => {
    const { queue, sent } = queueOf();
    void queue.add("rename", [renaming]);
    void queue.add("then", [made]);
    await settle();
    sent[0]!.answer(replyOf(6));
    await settle();
    expect(sent[1]!.edit.operations).toEqual([wanted]);
  });
});
