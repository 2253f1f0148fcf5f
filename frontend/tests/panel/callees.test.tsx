/** @jsxImportSource react */
// @vitest-environment happy-dom
import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { Callees } from "../../src/generated/files";
import { draw, FLOW, kindFields, type, useTyped, box } from "./scene";

const FOUND: Callees = {
  flows: [
    {
      address: "../look-up/flow.json",
      name: "Look-up",
      description: "Looks customers up.",
      inputs: [{ name: "wanted", type: "string", description: "" }, { name: "most", type: "number", description: "" }],
      outputs: [{ name: "rows", type: "list", description: "" }],
    },
  ],
  agents: [{ address: "finder", name: "finder", description: "Finds things.", inputs: [], outputs: [] }],
};
const flowOf = (node: object) => ({ ...FLOW, nodes: [{ id: "one", ...node }] });

async function drawn(node: { type: string; [key: string]: unknown }) {
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify(FOUND), { headers: { "content-type": "application/json" } }));
  const scene = draw({ on: { node: "one" }, fields: kindFields(node.type), flow: flowOf(node) });
  await act(async () => vi.advanceTimersByTimeAsync(0));
  return scene;
}

const offered = (path: string): (string | null)[] => {
  fireEvent.click(document.querySelector(`[data-path="${path}"] [role=combobox]`)!);
  return [...document.querySelectorAll(".ed-options [data-value]")].map((each) => each.getAttribute("data-value"));
};

describe("a step that runs another flow", () => {
  useTyped();

  // LG-subflows-01, LG-subflows-02
  it("offers the flows of the workspace, and then what the chosen one takes and gives", async () => {
    const scene = await drawn({ type: "flow", flow: "", input: {}, output: {} });
    expect(offered("nodes[0].flow")).toEqual(["../look-up/flow.json"]);
    fireEvent.click(document.querySelector('[data-value="../look-up/flow.json"]')!);
    expect(scene.at("nodes", 0, "flow")).toBe("../look-up/flow.json");
    const names = (path: string) => [...document.querySelectorAll(`[data-path="nodes[0].${path}"] .ed-map-name`)].map((each) => each.textContent);
    expect([names("input"), names("output")]).toEqual([["wanted", "most"], ["rows"]]);
    expect(offered("nodes[0].output.rows")).toContain("answer");
    type("Its inputs: Most", "3");
    fireEvent.blur(box("Its inputs: Most"));
    expect(scene.at("nodes", 0, "input")).toEqual({ most: 3 });
  });

  // LG-agents-04
  it("offers the agents of the registry by their names", async () => {
    await drawn({ type: "agent", agents: [""], agent: "", output: "plan" });
    expect(offered("nodes[0].agents[0]")).toEqual(["finder"]);
  });

  it("takes an address that is nowhere here as it is typed", async () => {
    const scene = await drawn({ type: "flow", flow: "", input: {}, output: {} });
    const input = document.querySelector('[data-path="nodes[0].flow"] input')!;
    fireEvent.change(input, { target: { value: "./flows/new.json" } });
    fireEvent.blur(input);
    expect(scene.at("nodes", 0, "flow")).toBe("./flows/new.json");
  });
});
