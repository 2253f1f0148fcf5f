import { describe, expect, it } from "vitest";
import { cardsOf, meaningOf, sentenceOf, traffic } from "../../src/editor/canvas/cards";
import { fragmentOf, pasteOf, readFragment, written } from "../../src/editor/canvas/clipboard";
import { stepsWith } from "../../src/editor/canvas/found";
import { edgesToDraw, isChosen, nodesToDraw, placer, sameNodes } from "../../src/editor/canvas/graph";
import { blankOf } from "../../src/editor/canvas/kinds";
import { layered } from "../../src/editor/canvas/layers";
import { arranged, besides, endPlace, freePlace, sidesOf, unplaced } from "../../src/editor/canvas/places";
import { cut, leadTo, spliceOf } from "../../src/editor/canvas/acts";
import { kindsFor } from "../../src/editor/palette/kindsFor";
import { freeId, labelOf, nodesOf, readLayout, waysOf } from "../../src/editor/store/document";
import type { JsonObject, KindShape, Language, Problem, Proposal } from "../../src/editor/store/wire";
import { FLOW, LAYOUT } from "./server";

const kind = (type: string, more: Partial<KindShape>): KindShape => ({ type, title: type, group: "model", icon: "", since: "0.1", offered: true, summary: `${type} does it.`, topic: "", help: "", fields: [], blank: {}, reads: [], writes: [], ...more });
const LLM = kind("llm", { title: "Model", blank: { type: "llm", prompt: "", output: "" }, reads: ["prompt", "approval.show"], writes: ["output"] });
const CODE = kind("handler", { title: "Code", group: "code", blank: { handler: "" }, fields: [{ key: "handler", label: "Function", help: "", widget: "line", type: "text", required: true, since: "0.1", tab: "step", unit: "handler" }] });
const LANGUAGE: Language = { version: "1.0", groups: [{ name: "model", title: "Model" }, { name: "code", title: "Code" }], tabs: [], kinds: [LLM, CODE], channelTypes: [], channel: [], tool: [], flow: [], plainEdge: [], conditionalEdge: [], formField: [], schema: [], given: [] };
const none: ReadonlySet<string> = new Set();
const cards = (more: Partial<Parameters<typeof cardsOf>[0]> = {}) => cardsOf({ flow: FLOW, language: LANGUAGE, problems: [], proposal: null, run: null, found: none, ...more });
const scene = (proposal: Proposal | null = null) => ({ flow: FLOW, layout: LAYOUT, auto: {}, proposal, canEdit: true });
const problem = (path: string, level: "error" | "warning" = "error"): Problem => ({ code: "X", level, path, message: "", hint: "" });

describe("a step's card", () => {
  it("says what it reads and writes", () => {
    expect(cards().map((card) => [card.title, card.reads, card.writes])).toEqual([["Reply", ["question"], ["answer"]], ["Check", ["kind"], ["answer"]]]);
  });

  it("of code says what its description quotes", () => {
    const known: JsonObject = { request: {}, wanted: {}, customer: {} };
    const node: JsonObject = { description: "Reads 'request' (a thing) and 'customer'. Writes to 'wanted' the name of 'customer'." };
    expect(traffic(node, CODE, known)).toEqual({ reads: ["request"], writes: ["wanted", "customer"] });
  });

  it("has one line of meaning: its description, what it asks, what its kind does", () => {
    expect(sentenceOf("Looks  once\nmore. And again.")).toBe("Looks once more.");
    expect(meaningOf({ description: "" }, LLM)).toBe("llm does it.");
    const asks = { ...LLM, fields: [{ key: "prompt", label: "", help: "", widget: "prompt" as const, type: "text" as const, required: true, since: "", tab: "" }] };
    expect(meaningOf({ prompt: "Be brief. Be kind." }, asks)).toBe("Be brief.");
  });

  it("shows the one thing that matters most", () => {
    const badge = (more: Parameters<typeof cards>[0]) => cards(more).map((card) => card.badge?.kind);
    expect(badge({})).toEqual([undefined, "approval"]);
    expect(badge({ problems: [problem("nodes[0].prompt"), problem("nodes[1].onError")] })).toEqual(["problem", "problem"]);
    expect(badge({ problems: [problem("nodes[0]", "warning")] })).toEqual(["advice", "approval"]);
    const run = { run: "r", steps: { reply: { state: "done" as const, ms: 800, address: "reply#1" }, check: { state: "running" as const, ms: null, address: "check#1" } } };
    expect(badge({ run, problems: [problem("nodes[0].prompt")] })).toEqual(["done", "running"]);
  });

  it("stands where the run begins, with what it begins with", () => {
    expect(cards().map((card) => [card.start, card.inputs])).toEqual([[true, "question"], [false, ""]]);
  });
});

describe("lines", () => {
  it("are the edges, their routes, and what follows a failure or a no", () => {
    expect(waysOf(FLOW).map((way) => [way.kind, way.from, way.to, way.route])).toEqual([
      ["route", "reply", "check", "ok"],
      ["route", "reply", "END", "no"],
      ["plain", "check", "END", undefined],
      ["error", "check", "reply", undefined],
      ["reject", "check", "reply", undefined],
    ]);
  });

  it("that lead nowhere are not drawn, and break nothing", () => {
    const flow: JsonObject = { nodes: [{ id: "a" }, { id: "a" }, "x", {}], edges: [{ from: "a", to: "gone" }, {}, 3, { from: "a", routes: { x: 4 } }] };
    expect(nodesOf(flow).map((node) => node.id)).toEqual(["a"]);
    const here = { flow, layout: readLayout(null), auto: { a: { x: 0, y: 0 } }, proposal: null, canEdit: true };
    expect(edgesToDraw(here, null, placer(here))).toEqual([]);
  });

  it("run where the run is", () => {
    const run = { run: "r", steps: { reply: { state: "done" as const, ms: 1, address: "" }, check: { state: "running" as const, ms: null, address: "" } } };
    const lines = edgesToDraw(scene(), run, (id) => (id === "END" ? { x: 600, y: 0 } : LAYOUT.nodes[id]));
    expect(lines.filter((line) => line.data?.running).map((line) => line.id)).toEqual(["route reply ok"]);
  });

  it("are chosen one by one, or all routes of an edge at once", () => {
    const [ok, no] = waysOf(FLOW);
    expect([ok, no].map((way) => isChosen(way!, [{ from: "reply" }]))).toEqual([true, true]);
    expect([ok, no].map((way) => isChosen(way!, [{ from: "reply", to: "END", route: "no" }]))).toEqual([false, true]);
    expect(isChosen(waysOf(FLOW)[3]!, [{ from: "check" }])).toBe(false);
  });

  it("are led elsewhere, cut and spliced by the operation of their kind", () => {
    const [ok, , plain, error, reject] = waysOf(FLOW);
    expect(leadTo(ok!, "END")).toEqual({ op: "reconnect", from: "reply", to: "check", route: "ok", newTo: "END" });
    expect(cut(plain!)).toEqual({ op: "disconnect", from: "check", to: "END" });
    expect(leadTo(error!, "check")).toEqual({ op: "setField", on: { node: "check" }, path: ["onError"], value: "check" });
    expect(cut(reject!)).toEqual({ op: "setField", on: { node: "check" }, path: ["approval", "onReject"] });
    expect([spliceOf(ok), spliceOf(error), spliceOf(undefined)]).toEqual([{ from: "reply", to: "check", route: "ok" }, null, null]);
  });
});

describe("a proposal", () => {
  const document: JsonObject = {
    ...FLOW,
    nodes: [{ id: "reply", type: "llm", prompt: "Shorter.", output: "answer" }, { id: "report", type: "llm", prompt: "", output: "answer" }],
    edges: [{ from: "reply", to: "report" }, { from: "report", to: "END" }],
  };
  const proposal: Proposal = { id: "a", document, layout: { nodes: { report: { x: 600, y: 0 } }, comments: [] }, lines: [] };

  it("is drawn over the flow: what it adds, changes and takes away", () => {
    expect(cards({ proposal }).map((card) => [card.id, card.mark])).toEqual([["reply", "changed"], ["check", "removed"], ["report", "added"]]);
    const at = placer(scene(proposal));
    const lines = edgesToDraw(scene(proposal), null, (id) => (id === "END" ? { x: 900, y: 0 } : at(id)));
    const marks = Object.fromEntries(lines.map((line) => [line.id, line.data?.mark]));
    expect(marks["plain reply"]).toBe("added");
    expect(marks["- route reply ok"]).toBe("removed");
    expect(new Set(lines.map((line) => line.id)).size).toBe(lines.length);
  });
});

describe("places", () => {
  it("lines leave and arrive at the nearest sides", () => {
    expect(sidesOf({ x: 0, y: 0 }, { x: 400, y: 300 })).toEqual({ source: "r", target: "l" });
    expect(sidesOf({ x: 0, y: 0 }, { x: 40, y: 300 })).toEqual({ source: "b", target: "t" });
    expect(sidesOf({ x: 0, y: 300 }, { x: 40, y: 0 })).toEqual({ source: "t", target: "b" });
    expect(sidesOf({ x: 600, y: 0 }, { x: 0, y: 10 })).toEqual({ source: "b", target: "b" });
  });

  it("without one are put beside what leads there, on no other card", () => {
    expect(unplaced(FLOW, readLayout({ nodes: { reply: { x: 0, y: 0 } } }), {})).toEqual(["check"]);
    expect(besides(FLOW, { reply: { x: 10, y: 20 } }, ["check"]).check).toEqual({ x: 310, y: 20 });
    const taken = [{ x: 300, y: 0 }, { x: 300, y: 140 }];
    expect(freePlace({ x: 310, y: 10 }, taken).y).toBeGreaterThan(140);
  });

  it("of a whole flow go from left to right, with any number of steps and loops", async () => {
    for (const places of [await arranged(FLOW), layered(FLOW)]) {
      expect(Object.keys(places).sort()).toEqual(["check", "reply"]);
      expect(places.check!.x).toBeGreaterThan(places.reply!.x);
    }
    const long: JsonObject = { start: "s0", nodes: Array.from({ length: 3000 }, (_, at) => ({ id: `s${at}` })), edges: Array.from({ length: 3000 }, (_, at) => ({ from: `s${at}`, to: `s${(at + 1) % 3000}` })) };
    const places = layered(long);
    expect(Object.keys(places)).toHaveLength(3000);
    expect(places.s2999!.x).toBeGreaterThan(places.s2998!.x);
  });

  it("the end stands after what leads to it", () => {
    expect(endPlace(FLOW, (id) => LAYOUT.nodes[id])!.x).toBeGreaterThan(500);
    expect(endPlace({ nodes: [] }, () => undefined)).toBeNull();
  });

  it("a layout is read whatever is missing from it", () => {
    expect(readLayout({ nodes: { a: { x: 1 }, b: { x: 1, y: 2 } }, comments: [{ id: "c", x: 0, y: 0 }, { x: 1 }, 4] })).toEqual({
      nodes: { b: { x: 1, y: 2 } },
      comments: [{ id: "c", x: 0, y: 0, width: 220, height: 96, text: "" }],
    });
  });
});

describe("what is drawn", () => {
  it("stays the same object where nothing changed, so that a drag draws one card", () => {
    const first = sameNodes([], nodesToDraw(scene(), cards()), none);
    const moved = { ...scene(), layout: { nodes: { ...LAYOUT.nodes, check: { x: 350, y: 0 } }, comments: [] } };
    const next = sameNodes(first, nodesToDraw(moved, cards()), none);
    expect(next[0]).toBe(first[0]);
    expect(next[1]).not.toBe(first[1]);
  });

  it("is not pulled from under the pointer by what the server says meanwhile", () => {
    const first = sameNodes([], nodesToDraw(scene(), cards()), none).map((node) => (node.id === "check" ? { ...node, dragging: true, position: { x: 999, y: 9 } } : node));
    const next = sameNodes(first, nodesToDraw(scene(), cards({ problems: [problem("nodes[1]")] })), none);
    expect(next.find((node) => node.id === "check")).toMatchObject({ position: { x: 999, y: 9 }, dragging: true });
  });
});

describe("copies", () => {
  const fragment = fragmentOf(FLOW, new Set(["check"]), LAYOUT.nodes, LANGUAGE);

  it("bring the channels that they name, and are read back from text", () => {
    expect(Object.keys(fragment.channels).sort()).toEqual(["answer", "kind"]);
    expect(fragment.edges).toEqual([{ from: "check", to: "END" }]);
    expect(readFragment(written(fragment))).toEqual(fragment);
  });

  it("go a little aside, or where they are put", () => {
    expect(pasteOf(fragment)).toMatchObject({ op: "paste", offset: { x: 36, y: 36 } });
    expect(pasteOf(fragment, { x: 0, y: 50 })).toMatchObject({ offset: { x: -300, y: 50 } });
    // The same copy once more stands beside the first one, not upon it.
    expect(pasteOf(fragment, undefined, [{ x: 336, y: 36 }, { x: 372, y: 72 }])).toMatchObject({ offset: { x: 108, y: 108 } });
  });

  it.each(["", "hello", '{"format": "lgstudio/steps"}', '{"format": "lgstudio/steps", "nodes": [{}]}', "lgstudio/steps {"])("that are none are left alone: %s", (text) => expect(readFragment(text)).toBeNull());
});

describe("a fan-out", () => {
  const flow: JsonObject = { nodes: [{ id: "each", type: "fanout", over: "rows", as: "row", to: "say" }, { id: "say", type: "llm" }], edges: [{ from: "say", to: "END" }] };
  const way = waysOf(flow).find((one) => one.kind === "each");

  it("leads to the step that it runs, by its own words", () => {
    expect(way).toMatchObject({ from: "each", to: "say", when: "row" });
    if (!way) return;
    expect(leadTo(way, "other")).toEqual({ op: "setField", on: { node: "each" }, path: ["to"], value: "other" });
    expect(cut(way)).toEqual({ op: "setField", on: { node: "each" }, path: ["to"], value: "" });
    expect(spliceOf(way)).toBeNull();
  });
});

describe("the palette", () => {
  it("finds a kind by its name and its meaning", () => {
    expect(kindsFor(LANGUAGE, "").map((shelf) => shelf.name)).toEqual(["model", "code"]);
    expect(kindsFor(LANGUAGE, "handler does").flatMap((shelf) => shelf.kinds.map((each) => each.type))).toEqual(["handler"]);
    expect(kindsFor(LANGUAGE, "nothing")).toEqual([]);
  });

  it("leaves out a kind that cannot run here", () => {
    const without: Language = { ...LANGUAGE, kinds: [LLM, { ...CODE, offered: false }] };
    expect(kindsFor(without, "").map((shelf) => shelf.name)).toEqual(["model"]);
    expect(kindsFor(without, "handler")).toEqual([]);
  });

  it("names new steps and their code", () => {
    expect(freeId(FLOW, "reply")).toBe("reply_2");
    expect(freeId(FLOW, "END")).toBe("END_2");
    expect(blankOf(CODE, "pick_customer")).toEqual({ id: "pick_customer", handler: "pickCustomer" });
    expect([labelOf("pick_customer"), labelOf("pickCustomer"), labelOf("_")]).toEqual(["Pick customer", "Pick customer", "_"]);
  });
});

describe("search over the flow", () => {
  it("finds steps by whatever stands in them", () => {
    expect(stepsWith(FLOW, "once MORE")).toEqual(["check"]);
    expect(stepsWith(FLOW, "answer")).toEqual(["reply", "check"]);
    expect(stepsWith(FLOW, "  ")).toEqual([]);
  });
});
