import { describe, expect, it } from "vitest";
import { onlyProposed } from "../../src/editor/panel/Panel";
import { NOTHING } from "../../src/editor/store/state";
import { FLOW } from "../editor/server";

describe("the panel of a step that is only proposed", () => {
  const document = { ...FLOW, nodes: [{ id: "reply", type: "llm" }, { id: "added", type: "ask" }] };
  const proposal = { id: "p", document, layout: null, lines: [] };
  const shown = (...nodes: string[]) => onlyProposed({ flow: FLOW, proposal, selection: { ...NOTHING, nodes } });

  it("reads the proposal, and the draft for every other step", () => {
    expect(shown("added")).toBe(document);
    expect(shown("reply")).toBeNull();
    expect(shown("check")).toBeNull();
    expect(shown("added", "reply")).toBeNull();
    expect(onlyProposed({ flow: FLOW, proposal: null, selection: { ...NOTHING, nodes: ["added"] } })).toBeNull();
  });
});
