/** @jsxImportSource react */
// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { Field } from "../../src/generated/language";
import { box, choose, draw, enter, fireEvent, FLOW, kindFields, LANGUAGE, pause, press, screen, type, useTyped } from "./scene";

const field = (fields: typeof LANGUAGE.channel, ...keys: string[]) => fields.filter((each) => keys.includes(each.key));

describe("what is added and removed", () => {
  useTyped();

  it("is an approval, a retry, a shape", () => {
    const scene = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "approval", "retry") });
    press("Add approval");
    expect(scene.at("nodes", 3, "approval")).toEqual({ ask: "" });
    type("Question on the card", "Send it?");
    pause();
    expect(scene.at("nodes", 3, "approval", "ask")).toBe("Send it?");
    press("Add retry");
    expect(scene.at("nodes", 3, "retry")).toEqual({ maxAttempts: 2 });
    press("Remove approval");
    press("Remove retry");
    expect(Object.keys(scene.at("nodes", 3) ?? {})).toEqual(["id", "type", "prompt", "output"]);
  });
});

describe("form fields", () => {
  useTyped();

  it("have every attribute, are renamed, reordered and removed", () => {
    const scene = draw({ on: { node: "ask_it" }, fields: field(kindFields("form"), "fields") });
    press("Add a field");
    expect(scene.at("nodes", 2, "fields")).toEqual({ name: { type: "string" }, field: { type: "string" } });
    type("Name of field", "size");
    enter("Name of field");
    expect(Object.keys(scene.at("nodes", 2, "fields") ?? {})).toEqual(["name", "size"]);
    press("Details of size");
    type(/^Label/, "Size");
    type(/^Help/, "In metres.");
    pause();
    choose("Type of size", /number/);
    fireEvent.click(screen.getByRole("switch", { name: /Required/ }));
    type(/^Default/, "3");
    pause();
    expect(scene.at("nodes", 2, "fields", "size")).toEqual({ type: "number", label: "Size", description: "In metres.", required: true, default: 3 });
    type("Add to Options", "5");
    enter("Add to Options");
    expect(scene.at("nodes", 2, "fields", "size", "options")).toEqual([5]);
    press("Move size up");
    expect(Object.keys(scene.at("nodes", 2, "fields") ?? {})).toEqual(["size", "name"]);
    press("Remove name");
    expect(Object.keys(scene.at("nodes", 2, "fields") ?? {})).toEqual(["size"]);
  });

  it("keep a name that another field has, and say so", () => {
    const flow = { ...FLOW, nodes: [{ id: "ask_it", type: "form", fields: { a: { type: "string" }, b: { type: "string" } }, output: "plan" }] };
    const scene = draw({ on: { node: "ask_it" }, fields: field(kindFields("form"), "fields"), flow });
    type("Name of b", "a");
    enter("Name of b");
    expect(scene.edits).toHaveLength(0);
    expect(box("Name of b").value).toBe("a");
    expect(screen.getByText("“a” is taken.")).toBeTruthy();
  });

  it("have rows on a list, and lose what only a list has with another type", () => {
    const scene = draw({ on: { node: "ask_it" }, fields: field(kindFields("form"), "fields") });
    press("Details of name");
    choose("Type of name", /list/);
    press("Add one row");
    press("Add a column");
    expect(scene.at("nodes", 2, "fields", "name")).toEqual({ type: "list", of: { field: { type: "string" } } });
    choose("Type of name", /boolean/);
    expect(scene.at("nodes", 2, "fields", "name")).toEqual({ type: "boolean" });
  });

  it("come from a channel instead", () => {
    const scene = draw({ on: { node: "ask_it" }, fields: field(kindFields("form"), "fields") });
    press("From a channel");
    expect(typeof scene.at("nodes", 2, "fields")).toBe("string");
    fireEvent.change(box("Fields"), { target: { value: "{{plan}}" } });
    pause();
    expect(scene.at("nodes", 2, "fields")).toBe("{{plan}}");
    press("Written here");
    expect(scene.at("nodes", 2, "fields")).toEqual({});
  });
});

describe("the shape of an answer", () => {
  useTyped();

  it("is made, nested, required and limited", () => {
    const scene = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "schema") });
    press("Add shape of the answer");
    press("Add a property");
    type("Name of property", "items");
    enter("Name of property");
    expect(scene.at("nodes", 3, "schema")).toEqual({ type: "object", properties: { items: { type: "string" } }, required: ["items"] });
    press("Details of items");
    choose("Type of items", "list");
    expect(scene.at("nodes", 3, "schema", "properties", "items")).toEqual({ type: "list", items: { type: "string" } });
    fireEvent.click(screen.getByRole("switch", { name: "Must be there" }));
    expect(scene.at("nodes", 3, "schema")).not.toHaveProperty("required");
  });

  it("has limits of its type only", () => {
    const scene = draw({ on: { node: "think" }, fields: field(kindFields("llm"), "schema") });
    press("Details of many");
    type(/^Minimum/, "1");
    pause();
    expect(scene.at("nodes", 0, "schema", "properties", "many")).toEqual({ type: "number", minimum: 1 });
    expect(screen.queryByLabelText(/^Shortest/)).toBeNull();
    choose("Type of many", "string");
    expect(scene.at("nodes", 0, "schema", "properties", "many")).toEqual({ type: "string" });
  });

  it("takes a renamed property along where it is required", () => {
    const scene = draw({ on: { node: "think" }, fields: field(kindFields("llm"), "schema") });
    type("Name of want", "wish");
    enter("Name of want");
    expect(scene.at("nodes", 0, "schema", "required")).toEqual(["wish"]);
    expect(Object.keys(scene.at("nodes", 0, "schema", "properties") ?? {})).toEqual(["wish", "many"]);
  });
});

describe("maps and lists", () => {
  useTyped();

  it("offer a tool's inputs, and take numbers as numbers", () => {
    const scene = draw({ on: { node: "find_it" }, fields: field(kindFields("tool"), "args") });
    expect(document.querySelector(".ed-map")?.textContent).toContain("wanted");
    type("Arguments: Wanted", "{{question}}");
    pause();
    type("Arguments: Most", "5");
    pause();
    expect(scene.at("nodes", 1, "args")).toEqual({ wanted: "{{question}}", most: 5 });
    type("Arguments: Wanted", "");
    pause();
    expect(scene.at("nodes", 1, "args")).toEqual({ most: 5 });
  });

  it("hold settings with a default and a description", () => {
    const scene = draw({ on: { flow: true }, fields: field(LANGUAGE.flow, "requires") });
    press("Add to settings");
    type("Name of name", "officeUrl");
    enter("Name of name");
    type(/^Default/, "http://here");
    pause();
    expect(scene.at("requires", "settings")).toEqual({ officeUrl: { default: "http://here" } });
    type("Add to Secrets", "API_KEY");
    enter("Add to Secrets");
    expect(scene.at("requires", "env")).toEqual(["API_KEY"]);
    press("Add to services");
    expect(scene.at("requires", "services")).toEqual({ name: "" });
  });

  it("add, change, reorder and remove entries, and stop where the language stops", () => {
    const many = Array.from({ length: 7 }, (_, at) => `Question ${at}`);
    const scene = draw({ on: { flow: true }, fields: field(LANGUAGE.flow, "suggestions"), flow: { ...FLOW, suggestions: many } });
    type("Add to Suggestions", "One more");
    enter("Add to Suggestions");
    expect(scene.at("suggestions")).toHaveLength(8);
    expect(screen.queryByLabelText("Add to Suggestions")).toBeNull();
    expect(screen.getByText(/There are 8/)).toBeTruthy();
    type("Suggestions, entry 1", "Changed");
    pause();
    press("Move Suggestions, entry 1 down");
    expect(scene.at("suggestions", 1)).toBe("Changed");
    press("Remove Suggestions, entry 2");
    expect(scene.at("suggestions")).not.toContain("Changed");
  });
});

describe("a list of words", () => {
  useTyped();

  it("has entries with fields of their own", () => {
    const limits = LANGUAGE.conditionalEdge.find((each) => each.key === "limits")?.of;
    if (!limits) throw new Error("the language has no limits");
    const parts: Field = { key: "parts", label: "Parts", help: "Some.", widget: "list", type: "list", required: false, since: "0.1", tab: "step", of: limits };
    const scene = draw({ on: { flow: true }, fields: [parts] });
    press("Add to parts");
    expect(scene.at("parts")).toEqual([{ max: 2, then: "" }]);
    type(/^At most/, "5");
    pause();
    press("Add to parts");
    press("Move Parts, entry 1 down");
    expect(scene.at("parts", 1)).toEqual({ max: 5, then: "" });
    press("Remove Parts, entry 1");
    expect(scene.at("parts")).toEqual([{ max: 5, then: "" }]);
  });
});
