/** @jsxImportSource react */
// @vitest-environment happy-dom
import { cleanup, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Field, Widget } from "../../src/generated/language";
import type { Json, JsonObject, Problem, Target } from "../../src/editor/store/wire";
import { draw, FLOW, LANGUAGE, useTyped } from "./scene";

/** A flow in which there is something of everything that a field may name. */
const WHOLE: JsonObject = {
  ...FLOW,
  requires: {
    mcp: { office: { describe: "The office.", tools: [{ name: "letters", describe: "Lists letters." }] } },
    knowledge: { handbook: { describe: "The handbook." } },
    database: { books: { describe: "The books." } },
  },
};

/** What the input of each kind is, and what it must offer to choose from. */
const INPUT: Record<Widget, { of: string; offers?: string }> = {
  line: { of: "input, textarea" },
  text: { of: "textarea" },
  prompt: { of: ".ed-template > textarea" },
  code: { of: "textarea.input-mono" },
  switch: { of: "[role=switch]" },
  number: { of: "input[inputmode=decimal]" },
  choice: { of: "[role=combobox]" },
  channel: { of: "[role=combobox]", offers: "question" },
  node: { of: "[role=combobox]", offers: "say" },
  route: { of: "[role=combobox]", offers: "one" },
  tool: { of: "[role=combobox]", offers: "find" },
  collection: { of: "[role=combobox]", offers: "handbook" },
  database: { of: "[role=combobox]", offers: "books" },
  flow: { of: "[role=combobox]" },
  agent: { of: "[role=combobox]" },
  color: { of: ".ed-color > input.input" },
  list: { of: ".ed-chips, .ed-entries" },
  map: { of: ".ed-map" },
  object: { of: ".ed-group" },
  fields: { of: ".ed-rows" },
  schema: { of: ".ed-shape" },
  json: { of: "textarea, input" },
  shown: { of: "output" },
};

/** A value that the field may have, with one of everything that it may hold. */
function sample(field: Field): Json {
  switch (field.widget) {
    case "switch":
      return true;
    case "number":
      return field.min ?? 1;
    case "choice":
    case "shown":
      return field.choices?.[0]?.value ?? "x";
    case "list":
      return [field.of ? sample(field.of) : "x"];
    case "map":
      return { one: field.of ? sample(field.of) : "x" };
    case "object":
      return filled(field.item ?? []);
    case "fields":
      return { one: { type: "string" } };
    case "schema":
      return { type: "object", properties: { one: { type: "string" } } };
    case "json":
      return { some: "thing" };
    default:
      return INPUT[field.widget].offers ?? "x";
  }
}

/** A word with all of its fields; a type beside which each of the others may stand is chosen by the caller. */
const filled = (fields: readonly Field[], type = ""): JsonObject =>
  Object.fromEntries(fields.map((field) => [field.key, field.key === "type" && type ? type : sample(field)]));

interface Place {
  path: string;
  field: Field;
  /** An entry of a list or a map has no label of its own. */
  entry: boolean;
}

/** Every field at its place in a filled word, those inside lists and maps as well. */
function* places(fields: readonly Field[], above: string): Generator<Place> {
  for (const field of fields) yield* placesOf(field, above ? `${above}.${field.key}` : field.key, false);
}

function* placesOf(field: Field, path: string, entry: boolean): Generator<Place> {
  yield { path, field, entry };
  yield* places(field.item ?? [], path);
  if (!field.of) return;
  // Names of channels are chips, chosen where the list is.
  if (field.widget === "list" && field.of.widget !== "channel") yield* placesOf(field.of, `${path}[0]`, true);
  if (field.widget === "map") yield* placesOf(field.of, `${path}.one`, true);
}

function inputAt({ path, field, entry }: Place): Element | null {
  // A key of a map of objects holds fields and is no field.
  if (entry && field.widget === "object") return document.querySelector(`[data-path^="${path}."]`);
  return document.querySelector(`[data-path="${path}"]`)?.querySelector(INPUT[field.widget].of) ?? null;
}

const node = (type: string): JsonObject => ({ ...filled(LANGUAGE.kinds.find((kind) => kind.type === type)!.fields), id: "one", type });

interface Word {
  on: Target;
  base: string;
  fields: readonly Field[];
  flow: JsonObject;
}

const conditional = { ...filled(LANGUAGE.conditionalEdge), from: "say", routes: { one: "find_it" } };
const WORDS: Record<string, Word> = {
  ...Object.fromEntries(
    LANGUAGE.kinds.map((kind) => [`step ${kind.type}`, { on: { node: "one" }, base: "nodes[0]", fields: kind.fields, flow: { ...WHOLE, nodes: [node(kind.type), { id: "say", type: "llm" }] } }]),
  ),
  flow: { on: { flow: true }, base: "", fields: LANGUAGE.flow, flow: { ...WHOLE, ...filled(LANGUAGE.flow) } },
  tool: { on: { tool: "find" }, base: "tools[0]", fields: LANGUAGE.tool, flow: { ...WHOLE, tools: [{ ...filled(LANGUAGE.tool), name: "find" }] } },
  channel: { on: { channel: "one" }, base: "state.one", fields: LANGUAGE.channel, flow: { ...WHOLE, state: { question: {}, one: filled(LANGUAGE.channel) } } },
  edge: { on: { edge: { from: "say", to: "END" } }, base: "edges[0]", fields: LANGUAGE.plainEdge, flow: { ...WHOLE, edges: [{ from: "say", to: "END" }] } },
  decision: { on: { edge: { from: "say" } }, base: "edges[0]", fields: LANGUAGE.conditionalEdge, flow: { ...WHOLE, edges: [conditional] } },
};

/** A list is opened for each field of the flow: a busy machine takes its time. */
const SLOW = 60_000;

describe("each field of each word, where a flow has it", () => {
  useTyped();

  it.each(Object.entries(WORDS))("%s: stands at its path in the input that fits it, with its name and what it means", (_, { on, base, fields, flow }) => {
    draw({ on, fields, flow });
    const every = [...places(fields, base)];
    expect(every.length).toBeGreaterThan(1);
    for (const place of every) {
      const input = inputAt(place);
      expect(input, `${place.path} (${place.field.widget})`).not.toBeNull();
      if (place.entry) continue;
      const drawn = document.querySelector(`[data-path="${place.path}"]`);
      expect(drawn?.getAttribute("data-widget"), place.path).toBe(place.field.widget);
      expect(drawn?.textContent, place.path).toContain(place.field.label);
      expect(drawn?.textContent, place.path).toContain(place.field.help);
    }
    cleanup();
  });

  it.each(Object.entries(WORDS))("%s: offers what a field may name", (_, { on, base, fields, flow }) => {
    draw({ on, fields, flow });
    for (const place of places(fields, base)) {
      const { offers } = INPUT[place.field.widget.valueOf() === "list" && place.field.of?.widget === "channel" ? "channel" : place.field.widget];
      const wanted = place.field.widget === "choice" ? place.field.choices?.[0]?.value : offers;
      const input = wanted === undefined ? null : document.querySelector(`[data-path="${place.path}"] [role=combobox]`);
      if (wanted === undefined) continue;
      expect(input, place.path).not.toBeNull();
      if (!input) continue;
      fireEvent.click(input);
      const said = [...document.querySelectorAll(".ed-options [data-value]")].map((each) => each.getAttribute("data-value"));
      // A chip that is there is offered no second time.
      if (place.field.widget === "list") expect(said, place.path).toContain("answer");
      else expect(said, place.path).toContain(wanted);
      fireEvent.blur(input);
    }
    cleanup();
  }, SLOW);

  it.each(Object.entries(WORDS))("%s: says what is wrong with a field beside it", (_, { on, base, fields, flow }) => {
    const every = [...places(fields, base)].filter((place) => !(place.entry && place.field.widget === "object"));
    const problems = every.map(({ path }): Problem => ({ code: "X", level: "error", path, message: `Wrong: ${path}.`, hint: "" }));
    draw({ on, fields, flow, problems });
    for (const { path } of every) {
      const drawn = document.querySelector(`[data-path="${path}"]`);
      expect(drawn?.textContent, path).toContain(`Wrong: ${path}.`);
    }
    cleanup();
  });
});
