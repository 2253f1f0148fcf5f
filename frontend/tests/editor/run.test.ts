import { describe, expect, test } from "vitest";
import type { StepLine } from "../../src/generated/frames";
import type { Trace, TraceStep } from "../../src/generated/runs";
import { cardOf, freshSteps, money, nodeOf, reportIn, viewOf, visitOf } from "../../src/editor/run/view";

const line = (address: string, state: StepLine["state"], ms: number | null = null): StepLine => ({ address, title: address, kind: "llm", state, ms });

const step = (address: string, state: TraceStep["state"], ms: number | null = null): TraceStep => ({
  address,
  node: nodeOf(address),
  kind: "llm",
  title: address,
  state,
  ms,
  attempts: 1,
  at: "2026-01-01T00:00:00Z",
  models: 0,
  calls: 0,
  inputTokens: null,
  outputTokens: null,
  cost: null,
  route: null,
});

const trace = (...steps: TraceStep[]): Trace => ({
  run: "r",
  status: "running",
  agent: "Desk",
  version: null,
  begins: null,
  at: "2026-01-01T00:00:00Z",
  ms: 0,
  inputTokens: null,
  outputTokens: null,
  cost: null,
  demo: false,
  error: "",
  unread: 0,
  steps,
});

describe("a run on the canvas", () => {
  test("an address names its node and its visit", () => {
    expect([nodeOf("place#2"), visitOf("place#2"), nodeOf("find/ask_which#1")]).toEqual(["place", 2, "find/ask_which"]);
    expect(["find#2/read_one[3]/ask_which#1", "read[*]", "read#2[0]"].map(nodeOf)).toEqual(["find/read_one/ask_which", "read", "read"]);
  });

  test("a step that was opened shows its card, or the one it is within", () => {
    const flow = { nodes: [{ id: "place" }, { id: "find" }] };
    expect(["place#2", "find/ask_which#1", "gone#1", "gone/ask#1"].map((address) => cardOf(flow, address))).toEqual(["place", "find", null, null]);
  });

  test("a node looks as its last visit does, and a declined one as one that did nothing", () => {
    expect(viewOf("r", [step("plan#1", "done", 4), step("plan#2", "running"), step("place#1", "declined")]).steps).toEqual({
      plan: { state: "running", ms: null, address: "plan#2" },
      place: { state: "failed", ms: null, address: "place#1" },
    });
  });

  test("the chat's newer word stands over the trace, but nothing that ended begins again", () => {
    const read = trace(step("plan#1", "done", 4), step("reply#1", "running"), step("place#1", "waiting"));
    const told = [line("plan#1", "running"), line("reply#1", "done", 20), line("place#1", "running"), line("new#1", "running")];
    expect(freshSteps(read, told).map(({ address, state }) => [address, state])).toEqual([
      ["plan#1", "done"],
      ["reply#1", "done"],
      ["place#1", "waiting"],
      ["new#1", "running"],
    ]);
    expect(freshSteps(null, told)).toEqual(told);
  });
});

describe("what the chat says", () => {
  const said = { source: "lgstudio", type: "steps", conversation: "c", run: "r", status: "working", steps: [line("plan#1", "running")] };

  test("a report is read", () => {
    expect(reportIn(said)).toEqual({ conversation: "c", run: "r", status: "working", steps: [line("plan#1", "running")] });
  });

  test.each([null, "steps", {}, { ...said, source: "other" }, { ...said, type: "newChat" }, { ...said, steps: "none" }])("anything else is none: %j", (message) => {
    expect(reportIn(message)).toBeNull();
  });

  test("a line that is none is left out", () => {
    expect(reportIn({ ...said, steps: [1, null, { address: "a#1", state: "flying" }, { address: "b#1", state: "done", ms: "long" }] })?.steps).toEqual([
      { address: "b#1", title: "", kind: "", state: "done", ms: null },
    ]);
  });
});

test("money keeps enough digits to be seen", () => {
  expect([money(0, "en"), money(12.345, "en"), money(0.25, "en"), money(0.00123, "en"), money(0.0000004, "en")]).toEqual(["$0.00", "$12.35", "$0.25", "$0.0012", "$0.00"]);
});
