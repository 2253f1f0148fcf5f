import { describe, expect, it } from "vitest";
import { accepting, accepts, addressOf, asksOf, fileNameOf, newFile, sampleOf, testOf, valueOf, withTest } from "../../src/editor/tests/make";
import type { JsonObject } from "../../src/editor/store/wire";

const FLOW: JsonObject = {
  inputs: ["question", "many"],
  outputs: ["answer"],
  state: { question: { type: "string", description: "What is asked." }, many: { type: "number" }, answer: { type: "string" }, rows: { type: "list" } },
  tools: [{ name: "find", description: "Finds." }, { name: "unused", description: "" }],
  nodes: [
    { id: "think", type: "llm", prompt: "{{question}}", output: "plan", schema: { type: "object", properties: { want: { type: "string", enum: ["order", "other"] }, many: { type: "number", minimum: 1 } }, required: ["want", "many"] } },
    { id: "find_it", type: "tool", tool: "find", args: {}, output: "rows", approval: { ask: "Look it up?" } },
    { id: "fill", type: "form", title: "", fields: { name: { type: "string", required: true }, size: { type: "string", options: ["s", "m"], required: true }, note: { type: "text" } }, output: "plan" },
    { id: "which", type: "ask", ask: "Which one?", output: "answer" },
    { id: "papers", type: "read", input: "rows", output: "answer" },
    { id: "say", type: "llm", prompt: "Say it.", output: "answer" },
    { id: "turn", handler: "turn" },
  ],
};
const asks = asksOf(FLOW);
const keys = asks.map((ask) => ask.key);

describe("what a test may say of a flow", () => {
  it("is one thing for each input, answer, tool, decision and output, and nothing for code", () => {
    expect(keys).toEqual(["input question", "input many", "nodes think", "answers find_it", "answers fill", "answers which", "reads papers", "nodes say", "tools find", "output answer"]);
  });

  it("is asked of the steps of flows inside too, by their addresses, and of tools once", () => {
    const flow: JsonObject = { tools: [{ name: "find", description: "Finds." }, { name: "book", description: "Books." }], nodes: [{ id: "say", type: "llm", schema: { type: "object" } }, { id: "book_it", type: "tool", tool: "book", approval: { ask: "Book?" } }, { id: "look", type: "tool", tool: "find" }] };
    const found = asksOf(FLOW, [{ at: "order/audit", flow }]);
    expect(found.map((ask) => ask.key).filter((key) => !keys.includes(key))).toEqual(["nodes order/audit/say", "answers order/audit/book_it", "tools book"]);
    expect(found.find((ask) => ask.name === "order/audit/say")).toMatchObject({ label: "Order › Audit › Say", start: "", reads: "json" });
  });

  it("begins with an answer of the shape that the step wants", () => {
    expect(JSON.parse(asks[2]!.start)).toEqual({ want: "order", many: 1 });
    expect(JSON.parse(asks[4]!.start)).toEqual({ name: "", size: "s" });
    expect(sampleOf({ type: "list", items: { type: "boolean" } })).toEqual([false]);
  });

  it.each<[string, Parameters<typeof valueOf>[1], unknown]>([
    ["Hello", "text", { value: "Hello" }],
    ["  ", "text", { value: undefined }],
    ["12", "number", { value: 12 }],
    ["true", "boolean", { value: true }],
    ["12", "text", { value: "12" }],
    ["Hello", "either", { value: "Hello" }],
    ['{"fails": "no line"}', "either", { value: { fails: "no line" } }],
    ["[1, 2]", "json", { value: [1, 2] }],
  ])("%s, read as %s", (typed, reads, value) => expect(valueOf(typed, reads)).toEqual(value));

  it.each<[string, Parameters<typeof valueOf>[1]]>([["{", "either"], ["Hello", "json"], ["many", "number"], ['"1"', "number"]])("%s is no %s yet", (typed, reads) =>
    expect(valueOf(typed, reads)).toHaveProperty("wrong"),
  );
});

describe("a test made of a form", () => {
  const typed = { "input question": "What is it?", "nodes say": "It is a jar.", "answers find_it": "false", "answers fill": "", "tools find": '[{"id": 1}]', "output answer": "" };

  // LG-tests-04
  it("says what was filled in, and that something comes of it", () => {
    expect(testOf(asks, { name: " A jar ", typed, fails: "", path: ["think", "say"] })).toEqual({
      test: {
        name: "A jar",
        input: { question: "What is it?" },
        mock: { nodes: { think: { want: "order", many: 1 }, say: "It is a jar." }, answers: { find_it: false }, tools: { find: [{ id: 1 }] } },
        expect: { output: { answer: { notEmpty: true } }, path: ["think", "say"] },
      },
      wrong: {},
    });
  });

  it("expects a failure by its words alone", () => {
    expect(testOf(asks, { name: "A jar", typed, fails: "no line", path: [] }).test.expect).toEqual({ fails: "no line" });
  });

  it("names what is no value yet", () => {
    expect(Object.keys(testOf(asks, { name: "A jar", typed: { "input many": "lots" }, fails: "", path: [] }).wrong)).toEqual(["input many"]);
  });

  it.each([
    ["flow.json", "tests/a.test.json", "../flow.json"],
    ["desk/flow.json", "tests/more/a.test.json", "../../flow.json"],
    ["flows/desk.json", "a.test.json", "desk.json"],
  ])("of %s stands in %s and names it %s", (flow, file, address) => expect(addressOf(flow, file)).toBe(address));

  it("has a file named after it", () => {
    expect(fileNameOf("Größe: a JAR, please!")).toBe("tests/gro-e-a-jar-please.test.json");
    expect(fileNameOf("…")).toBe("tests/flow.test.json");
  });

  it("goes to the end of a file, or into a new one", () => {
    const first = newFile("flow.json", "tests/a.test.json", { name: "One" });
    expect(JSON.parse(first)).toEqual({ flow: "../flow.json", tests: [{ name: "One" }] });
    expect(JSON.parse(withTest(first, { name: "Two" }) ?? "")).toEqual({ flow: "../flow.json", tests: [{ name: "One" }, { name: "Two" }] });
    expect(withTest("{", { name: "Two" })).toBeNull();
  });
});

describe("a test that is told to expect what came", () => {
  const file = JSON.stringify({ flow: "../flow.json", tests: [{ name: "One", expect: { state: { total: 1, kind: "a" } } }, { name: "Two" }] });

  it("expects it at that place, and everything else as before", () => {
    expect(JSON.parse(accepting(file, "One", "state", "total", 2) ?? "").tests[0].expect).toEqual({ state: { total: 2, kind: "a" } });
    expect(JSON.parse(accepting(file, "Two", "path", "", ["a", "b"]) ?? "").tests[1]).toEqual({ name: "Two", expect: { path: ["a", "b"] } });
  });

  it("is there only where there is such a test, and what came is known", () => {
    expect(accepting(file, "Three", "state", "total", 2)).toBeNull();
    expect([accepts("state", true, "total"), accepts("state", false, "total"), accepts("path", true, ""), accepts("fails", true, "x")]).toEqual([true, false, true, false]);
  });
});
