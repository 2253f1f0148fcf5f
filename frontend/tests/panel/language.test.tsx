/** @jsxImportSource react */
// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { cleanup } from "@testing-library/react";
import type { Field } from "../../src/generated/language";
import { INPUTS } from "../../src/editor/fields/inputs";
import { draw, FLOW, kindFields, LANGUAGE, useTyped } from "./scene";

function* walk(fields: readonly Field[], above = ""): Generator<[string, Field]> {
  for (const field of fields) {
    // What nothing acts on yet is drawn where a flow has it, and proposed nowhere.
    if ("offered" in field && field.offered === false) continue;
    yield [`${above}${field.key}`, field];
    yield* walk(field.item ?? [], `${above}${field.key}.`);
    if (field.of) yield* walk([field.of], `${above}${field.key}.*`);
  }
}

const SECTIONS: Record<string, readonly Field[]> = {
  channel: LANGUAGE.channel,
  tool: LANGUAGE.tool,
  flow: LANGUAGE.flow,
  plainEdge: LANGUAGE.plainEdge,
  conditionalEdge: LANGUAGE.conditionalEdge,
  formField: LANGUAGE.formField,
  schema: LANGUAGE.schema,
  ...Object.fromEntries(LANGUAGE.kinds.map((kind) => [`kind ${kind.type}`, kind.fields])),
};

describe("every word of the language", () => {
  useTyped();

  it.each(Object.entries(SECTIONS))("has an input for each field of %s", (_, fields) => {
    for (const [path, field] of walk(fields)) {
      expect(INPUTS[field.widget], path).toBeTypeOf("function");
    }
  });

  // Whatever a person may write in JSON, they can set here: the input is there, and can be typed into.
  it.each(LANGUAGE.kinds.map((kind) => kind.type))("draws each field of a step of the kind %s, under its path and with its name", (type) => {
    const flow = { ...FLOW, nodes: [{ id: "one", ...LANGUAGE.kinds.find((kind) => kind.type === type)?.blank, approval: { ask: "" }, retry: { maxAttempts: 2 } }] };
    draw({ on: { node: "one" }, fields: kindFields(type), flow });
    for (const [path, field] of walk(kindFields(type))) {
      if (path.includes("*")) continue;
      const drawn = document.querySelector(`[data-path="nodes[0].${path}"]`);
      expect(drawn, path).not.toBeNull();
      const can = drawn?.querySelector("input:not([readonly]), textarea:not([readonly]), button");
      if (field.widget !== "shown") expect(can, path).not.toBeNull();
      expect(drawn?.textContent).toContain(field.label);
      expect(drawn?.textContent).toContain(field.help);
    }
  });

  it.each(["channel", "tool", "flow"] as const)("draws each field of a %s", (section) => {
    const on = section === "channel" ? { channel: "question" } : section === "tool" ? { tool: "find" } : { flow: true as const };
    const flow = section === "channel" ? { ...FLOW, state: { question: { type: "file", description: "" } } } : FLOW;
    draw({ on, fields: LANGUAGE[section], flow });
    const base = section === "channel" ? "state.question." : section === "tool" ? "tools[0]." : "";
    for (const [path, field] of walk(LANGUAGE[section])) {
      if (path.includes("*")) continue;
      const drawn = document.querySelector(`[data-path="${base}${path}"]`);
      expect(drawn, path).not.toBeNull();
      if (field.widget !== "shown") expect(drawn?.querySelector("input:not([readonly]), textarea:not([readonly]), button"), path).not.toBeNull();
    }
    cleanup();
  });

  it("lets nobody type who may only look", () => {
    draw({ on: { node: "think" }, fields: kindFields("llm"), readOnly: true });
    for (const input of document.querySelectorAll("input, textarea")) {
      expect(input.matches("[readonly], [disabled]"), input.outerHTML).toBe(true);
    }
    expect(document.querySelector(".ed-act")).toBeNull();
  });
});
