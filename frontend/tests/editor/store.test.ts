// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { editor, partAt } from "../../src/editor/store/editor";
import { channelsOf, nodeById } from "../../src/editor/store/document";
import { shelfOf } from "../../src/editor/store/kept";
import { store } from "../../src/editor/store/state";
import type { EditorBoot } from "../../src/editor/store/wire";
import { bootOf, network, replyOf, settle, type Asked } from "./server";

const around = { person: "p1", live: null, changes: 0 };
const prompt = (id = "reply") => nodeById(store.getState().flow).get(id)?.json.prompt;
const setPrompt = (value: string, id = "reply") => editor.edit("", [{ op: "setField", on: { node: id }, path: ["prompt"], value }]);
const changed = (revision: number, old: string, value: string, at = 0) =>
  replyOf(revision, { changes: [{ doc: "flow", path: ["nodes", at, "prompt"], old, new: value }] });

describe("the editor's store", () => {
  let asked: Asked[];
  const begin = (boot: EditorBoot = bootOf()) => editor.boot(boot, around, shelfOf("p1", boot.id, localStorage), false);
  beforeEach(() => {
    localStorage.clear();
    asked = network();
    begin();
  });
  afterEach(() => {
    editor.end();
    vi.unstubAllGlobals();
  });

  it("shows a field at once, and what the server made of it when it replies", async () => {
    const outcome = setPrompt("Be brief.");
    expect(prompt()).toBe("Be brief.");
    await settle();
    expect(asked[0]).toMatchObject({ method: "POST", path: "/api/flows/f1/edits" });
    expect(asked[0]!.body).toMatchObject({ revision: 5, operations: [{ op: "setField", was: "Answer {{question}}." }] });
    await asked[0]!.reply(200, changed(6, "Answer {{question}}.", "Be brief and kind."));
    expect((await outcome).ok).toBe(true);
    expect(prompt()).toBe("Be brief and kind.");
    expect(store.getState()).toMatchObject({ revision: 6, saving: "saved" });
  });

  it("moves at once, and only the layout", async () => {
    const { flow } = store.getState();
    void editor.edit("", [{ op: "move", positions: { reply: { x: 40, y: 60 } } }]);
    expect(store.getState().layout.nodes.reply).toEqual({ x: 40, y: 60 });
    expect(store.getState().flow).toBe(flow);
    await settle();
    await asked[0]!.reply(200, replyOf(6, { changes: [], layout: { nodes: { reply: { x: 40, y: 60 } }, comments: [] } }));
    expect(store.getState()).toMatchObject({ revision: 6, documentRevision: 5 });
    void setPrompt("Be brief.");
    await settle();
    await asked[1]!.reply(200, changed(7, "Answer {{question}}.", "Be brief."));
    expect(store.getState()).toMatchObject({ revision: 7, documentRevision: 7 });
    // A document that comes whole may be the one that is there.
    void editor.edit("", [{ op: "move", positions: { reply: { x: 50, y: 60 } } }]);
    await settle();
    await asked[2]!.reply(200, replyOf(8, { text: JSON.stringify(store.getState().flow) }));
    expect(store.getState()).toMatchObject({ revision: 8, documentRevision: 7 });
  });

  it("keeps what is drawn while another edit is still on its way", async () => {
    void setPrompt("One.");
    await settle();
    void setPrompt("Two.", "check");
    await asked[0]!.reply(200, changed(6, "Answer {{question}}.", "One."));
    expect([prompt(), prompt("check")]).toEqual(["One.", "Two."]);
  });

  it("brings somebody else's changes with the reply to its own", async () => {
    void setPrompt("Mine.");
    await settle();
    const reply = changed(8, "Answer {{question}}.", "Mine.");
    reply.changes.unshift({ doc: "flow", path: ["nodes", 1, "prompt"], old: "{{answer}} {{kind}}", new: "Theirs." });
    await asked[0]!.reply(200, reply);
    expect([prompt(), prompt("check")]).toEqual(["Mine.", "Theirs."]);
  });

  it("keeps an edit that met another one as an aside, and shows what is there now", async () => {
    const outcome = setPrompt("Mine.");
    await settle();
    const aside = { id: "a1", label: "Change reply", by: "Bea", at: "2026-01-01T00:00:00Z", mine: true, operations: [], places: [{ words: "The prompt of reply", yours: "Mine.", theirs: "Theirs." }], message: "Ole changed it." };
    await asked[0]!.reply(409, { code: "EDIT_CONFLICT", message: "Ole changed it.", aside, ...changed(6, "Answer {{question}}.", "Theirs."), asides: [aside] });
    expect(await outcome).toMatchObject({ ok: false, code: "EDIT_CONFLICT", kept: true });
    expect(prompt()).toBe("Theirs.");
    expect(store.getState().asides).toEqual([aside]);
    const settled = editor.settle("a1", "apply");
    await settle();
    expect(asked[1]).toMatchObject({ path: "/api/flows/f1/asides/a1", body: { act: "apply", revision: 6 } });
    await asked[1]!.reply(200, changed(7, "Theirs.", "Mine."));
    expect(await settled).toBe(true);
    expect(prompt()).toBe("Mine.");
    expect(store.getState().asides).toEqual([]);
  });

  it("takes back what the server refuses, and says why", async () => {
    const outcome = setPrompt("Mine.");
    await settle();
    await asked[0]!.reply(422, { code: "FIELD", message: "No.", problems: [{ operation: 0, code: "FIELD", message: "There is no such field.", hint: "Name another." }] });
    expect((await outcome).ok).toBe(false);
    expect(prompt()).toBe("Answer {{question}}.");
    expect(store.getState().notices.at(-1)?.hints).toEqual(["There is no such field. Name another."]);
  });

  it("loses nothing when the page is reloaded without a connection", async () => {
    void setPrompt("Typed on the train.");
    await settle();
    await asked[0]!.fail();
    expect(store.getState().saving).toBe("offline");
    editor.end();
    begin(bootOf({ revision: 9 }));
    expect(prompt()).toBe("Typed on the train.");
    await settle();
    expect(asked.at(-1)!.body).toMatchObject({ id: asked[0]!.body.id, revision: 5 });
    // Made on an older revision than the page shows: the changes are read from where the page stands.
    await asked.at(-1)!.reply(200, changed(10, "x", "y"));
    expect(asked.at(-1)).toMatchObject({ method: "GET", path: "/api/flows/f1/changes?since=9" });
    await asked.at(-1)!.reply(200, changed(10, "Answer {{question}}.", "Typed on the train."));
    expect(prompt()).toBe("Typed on the train.");
    expect(localStorage.length).toBe(0);
  });

  it("sends nobody else's edits", async () => {
    void setPrompt("Bea's.");
    await settle();
    editor.end();
    asked.length = 0;
    editor.boot(bootOf(), { ...around, person: "p2" }, shelfOf("p2", "f1", localStorage), false);
    await settle();
    expect(asked).toEqual([]);
    expect(prompt()).toBe("Answer {{question}}.");
  });

  it("undoes on the server, after the edits that wait", async () => {
    void setPrompt("One.");
    const undone = editor.undo();
    await settle();
    expect(asked.map((each) => each.path)).toEqual(["/api/flows/f1/edits"]);
    await asked[0]!.reply(200, changed(6, "Answer {{question}}.", "One."));
    expect(asked[1]).toMatchObject({ path: "/api/flows/f1/undo", body: { revision: 6 } });
    await asked[1]!.reply(200, replyOf(7, { changes: [{ doc: "flow", path: ["nodes", 0, "prompt"], old: "One.", new: "Answer {{question}}." }], redo: { label: "Change reply" } }));
    expect(await undone).toBe(true);
    expect(prompt()).toBe("Answer {{question}}.");
    expect(store.getState().redo).toEqual({ label: "Change reply" });
  });

  it("reads everything anew when changes describe another draft than it holds", async () => {
    void setPrompt("One.");
    await settle();
    await asked[0]!.reply(200, replyOf(6, { changes: [{ doc: "flow", path: ["nodes", 7, "prompt"], old: "a", new: "b" }] }));
    await asked.at(-1)!.reply(200, replyOf(6, { changes: [{ doc: "flow", path: ["nodes", 7, "prompt"], old: "a", new: "b" }] }));
    expect(asked.at(-1)!.path).toBe("/api/flows/f1/editor");
    await asked.at(-1)!.reply(200, bootOf({ revision: 6, text: JSON.stringify({ nodes: [{ id: "reply", prompt: "Whole." }] }) }));
    expect(prompt()).toBe("Whole.");
  });

  it("has a channel at once that is being made, so that nothing makes it a second time", async () => {
    void editor.edit("", [{ op: "addChannel", name: "ship_to", channel: { type: "string" } }, { op: "setField", on: { node: "check" }, path: ["output"], value: "ship_to" }]);
    expect(channelsOf(store.getState().flow).ship_to).toEqual({ type: "string" });
    expect(nodeById(store.getState().flow).get("check")?.json.output).toBe("ship_to");
    void editor.edit("", [{ op: "addTool", tool: { name: "find", description: "" } }]);
    expect(store.getState().flow?.tools).toEqual([{ name: "find", description: "" }]);
    await settle();
    await asked[0]!.reply(422, { code: "NAME", message: "No.", problems: [] });
    expect(channelsOf(store.getState().flow).ship_to).toBeUndefined();
  });

  it("keeps what was typed into a step while it was given another name", async () => {
    void editor.edit("", [{ op: "renameNode", id: "reply", to: "answer" }]);
    await settle();
    await asked[0]!.reply(200, replyOf(6, { changes: [{ doc: "flow", path: ["nodes", 0, "id"], old: "reply", new: "answer" }] }));
    // The panel was of the old name until now, and sends what waited in it.
    void setPrompt("Typed meanwhile.");
    expect(prompt("answer")).toBe("Typed meanwhile.");
    await settle();
    expect(asked[1]!.body).toMatchObject({ operations: [{ on: { node: "answer" }, was: "Answer {{question}}." }] });
  });

  it("reads once more what changed while it was reading", async () => {
    void editor.refresh();
    await settle();
    void editor.refresh();
    await asked[0]!.reply(200, changed(6, "Answer {{question}}.", "One."));
    expect(asked[1]).toMatchObject({ path: "/api/flows/f1/changes?since=6" });
    await asked[1]!.reply(200, { ...changed(7, "One.", "Two."), problems: [{ code: "X", level: "error", path: "", message: "No.", hint: "" }] });
    expect([prompt(), store.getState().problems.length]).toEqual(["Two.", 1]);
    expect(asked.length).toBe(2);
  });

  it("reads somebody else's later edit that was told of while its own was under way", async () => {
    const sockets: { onmessage: (event: { data: string }) => void }[] = [];
    class Socket {
      readyState = 1;
      onmessage = (_: { data: string }) => undefined;
      constructor() {
        sockets.push(this);
      }
      close() {}
    }
    vi.stubGlobal("WebSocket", Socket);
    editor.boot(bootOf(), around, shelfOf("p1", "f1", localStorage));
    void setPrompt("Mine.");
    await settle();
    sockets[0]!.onmessage({ data: JSON.stringify({ type: "draft", revision: 7, by: "Bea" }) });
    await asked[0]!.reply(200, changed(6, "Answer {{question}}.", "Mine."));
    expect(asked[1]).toMatchObject({ method: "GET", path: "/api/flows/f1/changes?since=6" });
    await asked[1]!.reply(200, changed(7, "{{answer}} {{kind}}", "Theirs.", 1));
    expect([prompt(), prompt("check")]).toEqual(["Mine.", "Theirs."]);
  });

  it("changes nothing for those who may only look", async () => {
    begin(bootOf({ canEdit: false }));
    expect(await setPrompt("Mine.")).toMatchObject({ ok: false, code: "READ_ONLY" });
    await settle();
    expect([asked, prompt()]).toEqual([[], "Answer {{question}}."]);
  });

  it("shows the text where it is no JSON, and the canvas once it is", async () => {
    begin(bootOf({ text: "{ half" }));
    expect(store.getState()).toMatchObject({ flow: null, view: "json" });
    editor.setView("canvas");
    expect(store.getState().view).toBe("json");
    void editor.refresh();
    await settle();
    await asked.at(-1)!.reply(200, replyOf(6, { text: '{ "nodes": [] }', layout: { nodes: {}, comments: [] } }));
    expect(store.getState().flow).toEqual({ nodes: [] });
  });

  it.each([
    ["nodes[1].prompt", { nodes: ["check"] }],
    ["edges[1].to", { edges: [{ from: "check", to: "END" }] }],
    ["edges[0].when.ok", { edges: [{ from: "reply" }] }],
    ["state.kind", { part: { channel: "kind" } }],
    ["description", { part: { flow: "description" } }],
  ])("a problem at %s leads to its part", (path, part) => expect(partAt(path)).toEqual(part));
});
