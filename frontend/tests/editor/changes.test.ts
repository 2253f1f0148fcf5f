import { describe, expect, it } from "vitest";
import { applyChanges, ChangeUnfit } from "../../src/editor/store/changes";
import type { Change, Json } from "../../src/editor/store/wire";

const flow: Json = { name: "Desk", state: { a: { type: "string" }, b: { type: "list" } }, nodes: [{ id: "one", prompt: "Hi" }, { id: "two" }] };
const after = (changes: Change[]) => applyChanges({ flow, layout: { nodes: {} } }, changes);

describe("changes of a draft", () => {
  it("replace, insert and remove, in order", () => {
    const next = after([
      { doc: "flow", path: ["nodes", 0, "prompt"], old: "Hi", new: "Hello" },
      { doc: "flow", path: ["nodes", 1], new: { id: "between" } },
      { doc: "flow", path: ["nodes", 2], old: { id: "two" } },
      { doc: "layout", path: ["nodes", "one"], new: { x: 1, y: 2 }, index: 0 },
    ]);
    expect(next.flow).toEqual({ ...flow, nodes: [{ id: "one", prompt: "Hello" }, { id: "between" }] });
    expect(next.layout).toEqual({ nodes: { one: { x: 1, y: 2 } } });
  });

  it("put a key where it was, so that texts are alike to the byte", () => {
    const { flow: without } = after([{ doc: "flow", path: ["state", "a"], old: { type: "string" }, index: 0 }]);
    expect(JSON.stringify(without)).not.toContain('"a"');
    const back = applyChanges({ flow: without, layout: {} }, [{ doc: "flow", path: ["state", "a"], new: { type: "string" }, index: 0 }]);
    expect(JSON.stringify(back.flow)).toBe(JSON.stringify(flow));
  });

  it("know null from nothing", () => {
    const { flow: next } = after([{ doc: "flow", path: ["nodes", 1, "retry"], new: null, index: 1 }]);
    expect(JSON.stringify(next)).toContain('{"id":"two","retry":null}');
  });

  it("leave what they do not touch the same object, so that it is not drawn again", () => {
    const { flow: next } = after([{ doc: "flow", path: ["nodes", 1, "prompt"], new: "x", index: 1 }]);
    expect(next).not.toBe(flow);
    expect((next as typeof flow).state).toBe(flow.state);
    expect((next as { nodes: Json[] }).nodes[0]).toBe((flow as { nodes: Json[] }).nodes[0]);
  });

  it.each<Change>([
    { doc: "flow", path: ["nodes", 9, "prompt"], old: "a", new: "b" },
    { doc: "flow", path: ["nodes", 7], old: {} },
    { doc: "flow", path: ["missing", "x"], new: 1, index: 0 },
    { doc: "flow", path: ["name", "x"], new: 1, index: 0 },
  ])("that describe another draft are refused: %j", (change) => {
    expect(() => after([change])).toThrow(ChangeUnfit);
  });
});
