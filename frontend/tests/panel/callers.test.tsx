/** @jsxImportSource react */
// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { isKnown, itemsOf, readables } from "../../src/editor/fields/paths";
import type { JsonObject } from "../../src/editor/store/wire";
import { box, choose, draw, fireEvent, FLOW, kindFields, LANGUAGE, pause, press, screen, type, useTyped } from "./scene";

const fields = (kind: string, ...keys: string[]) => kindFields(kind).filter((field) => keys.includes(field.key));
const SERVERS = { mcp: { crm: { describe: "Customers.", tools: ["findCustomer", { name: "openTicket" }] } } };
const around = (node: JsonObject, more: JsonObject = {}): JsonObject => ({ ...FLOW, ...more, nodes: [node, ...(Array.isArray(FLOW.nodes) ? FLOW.nodes : [])] });

describe("what a step may call", () => {
  useTyped();

  it("is a tool of the flow, a tool of a server, or all of a server", () => {
    const flow = around({ id: "desk", type: "work", prompt: "x", tools: ["find"], output: "answer" }, { requires: SERVERS });
    const scene = draw({ on: { node: "desk" }, fields: fields("work", "tools"), flow });
    fireEvent.click(box("May call, entry 1"));
    expect(screen.getAllByRole("option").map((each) => each.textContent)).toEqual(expect.arrayContaining([expect.stringContaining("find"), expect.stringContaining("openTicket"), expect.stringContaining("crm")]));
    fireEvent.click(screen.getByRole("option", { name: /^crm/ }));
    expect(scene.at("nodes", 0, "tools")).toEqual(["crm"]);
  });

  it("is never a server where a person is to approve", () => {
    const flow = around({ id: "desk", type: "work", prompt: "x", tools: ["crm"], approve: ["find"], output: "answer" }, { requires: SERVERS });
    draw({ on: { node: "desk" }, fields: fields("work", "approve"), flow });
    fireEvent.click(box("Wait for a person before, entry 1"));
    expect(screen.queryByRole("option", { name: /^crm/ })).toBeNull();
    expect(screen.getByRole("option", { name: /^openTicket/ })).toBeTruthy();
  });
});

describe("what another flow gets and gives", () => {
  useTyped();
  const flow = around({ id: "find", type: "flow", flow: "./a.json", input: { id: "{{question}}" }, output: { row: "plan", rest: "" } });

  it("is mapped name by name, each input a template and each output a channel", () => {
    const scene = draw({ on: { node: "find" }, fields: fields("flow", "input", "output"), flow });
    type(/^Its inputs: Id/, "{{answer}}");
    pause();
    choose(/^Its outputs: Rest/, /^answer/);
    expect(scene.at("nodes", 0)).toMatchObject({ input: { id: "{{answer}}" }, output: { row: "plan", rest: "answer" } });
  });
});

describe("what an agent is called with", () => {
  useTyped();
  const flow = around({ id: "ask", type: "agent", agents: ["sql"], agent: "sql", input: { id: "{{question}}" }, output: "plan" });

  it("is each value, or one template that holds them all", () => {
    const scene = draw({ on: { node: "ask" }, fields: fields("agent", "input"), flow });
    expect(screen.getByRole("button", { name: "Each written here" }).getAttribute("aria-pressed")).toBe("true");
    press("All from a channel");
    expect(scene.at("nodes", 0, "input")).toBe("{{}}");
    type(/^Its inputs/, "{{plan}}");
    pause();
    expect(scene.at("nodes", 0, "input")).toBe("{{plan}}");
    press("Each written here");
    expect(scene.at("nodes", 0, "input")).toEqual({});
  });
});

describe("an item of a fan-out", () => {
  const flow = around({ id: "each", type: "fanout", over: "rows", as: "row", to: "say" });

  it("is known to the step that runs for it, and to no other", () => {
    expect(itemsOf(flow, "say")).toEqual(["row"]);
    expect(readables(flow, LANGUAGE, "say")[0]?.path).toBe("row");
    expect([isKnown(flow, LANGUAGE, "row", "say"), isKnown(flow, LANGUAGE, "row", "think"), isKnown(flow, LANGUAGE, "row")]).toEqual([true, false, false]);
  });
});
