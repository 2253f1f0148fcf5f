/** @jsxImportSource react */
// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/editor/store/wire";
import { box, choose, draw, enter, fireEvent, FLOW, kindFields, LANGUAGE, pause, press, screen, type, useTyped } from "./scene";

const CRM = { describe: "Customers.", tools: ["findCustomer", { name: "openTicket", remote: "create_ticket", inputs: { about: { type: "string", required: true } } }] };
const NEEDS: JsonObject = { mcp: { crm: CRM }, knowledge: { handbook: { describe: "What the handbook says." } }, database: { books: { describe: "The order book." } } };
const fields = (kind: string, ...keys: string[]) => kindFields(kind).filter((field) => keys.includes(field.key));
const around = (node: JsonObject, requires = NEEDS): JsonObject => ({ ...FLOW, requires, nodes: [node, ...(Array.isArray(FLOW.nodes) ? FLOW.nodes : [])] });
const requires = LANGUAGE.flow.filter((field) => field.key === "requires");

describe("what a step asks or reads", () => {
  useTyped();

  it("is one of the collections that the flow requires, with what it holds", () => {
    const scene = draw({ on: { node: "look" }, fields: fields("knowledge", "from"), flow: around({ id: "look", type: "knowledge", from: "", ask: "x", output: "rows" }) });
    fireEvent.click(box("Ask"));
    expect(screen.getAllByRole("option").map((each) => each.textContent)).toEqual([expect.stringContaining("What the handbook says.")]);
    fireEvent.click(screen.getByRole("option", { name: /^handbook/ }));
    expect(scene.at("nodes", 0, "from")).toBe("handbook");
  });

  it("is one of the databases", () => {
    const scene = draw({ on: { node: "look" }, fields: fields("database", "from"), flow: around({ id: "look", type: "database", from: "", output: "plan" }) });
    choose("Read", /^books/);
    expect(scene.at("nodes", 0, "from")).toBe("books");
  });
});

describe("the tools of a server", () => {
  useTyped();
  const tools = (scene: ReturnType<typeof draw>) => scene.at("requires", "mcp", "crm", "tools");

  it("are typed as names", () => {
    const scene = draw({ on: { flow: true }, fields: requires, flow: around({ id: "look", type: "ask", ask: "x", output: "answer" }, { mcp: { crm: { ...CRM, tools: ["findCustomer"] } } }) });
    type("Add to May call", "openTicket");
    enter("Add to May call");
    expect(tools(scene)).toEqual(["findCustomer", "openTicket"]);
    type("May call, entry 1", "findCustomers");
    pause();
    expect(tools(scene)).toEqual(["findCustomers", "openTicket"]);
  });

  it("have fields of their own once more is said about one", () => {
    const scene = draw({ on: { flow: true }, fields: requires, flow: around({ id: "look", type: "ask", ask: "x", output: "answer" }) });
    press("Say more about May call, entry 1");
    expect(tools(scene)).toEqual([{ name: "findCustomer" }, CRM.tools[1]]);
    expect(screen.getAllByLabelText(/^Name there/)).toHaveLength(2);
  });

  it("show the arguments that are declared for them", () => {
    const scene = draw({ on: { node: "open" }, fields: fields("tool", "args"), flow: around({ id: "open", type: "tool", tool: "openTicket", args: {} }) });
    type(/^Arguments: About/, "{{question}}");
    pause();
    expect(scene.at("nodes", 0, "args")).toEqual({ about: "{{question}}" });
  });
});
