/** @jsxImportSource react */
// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { belongs } from "../../src/editor/fields/scope";
import type { Field } from "../../src/generated/language";
import { draw, FLOW, kindFields, LANGUAGE, useTyped } from "./scene";

const drawn = (path: string): Element | null => document.querySelector(`[data-path="${path}"]`);
const keyed = (fields: readonly Field[], key: string): Field => fields.find((field) => field.key === key) ?? expect.fail(key);

describe("what nothing acts on yet", () => {
  useTyped();

  it("is proposed by no panel, and shown where a flow has it", () => {
    draw({ on: { flow: true }, fields: LANGUAGE.flow, flow: FLOW });
    expect(drawn("page")).toBeNull();
    expect(drawn("views")).toBeNull();
    expect(drawn("name")).not.toBeNull();
    draw({ on: { flow: true }, fields: LANGUAGE.flow, flow: { ...FLOW, page: { title: "Lesson", hide: ["history"] }, views: [] } });
    expect(drawn("page.title")).not.toBeNull();
    expect(drawn("views")).not.toBeNull();
    expect(drawn("shell")).toBeNull();
  });

  it("is known to every place that chooses fields", () => {
    const views = keyed(LANGUAGE.flow, "views");
    expect(belongs(views, {})).toBe(false);
    expect(belongs(views, { views: [] })).toBe(true);
    expect(belongs(keyed(kindFields("llm"), "prompt"), {})).toBe(true);
  });

  it("is every type of a field", () => {
    const type = keyed(LANGUAGE.formField, "type");
    expect(type.choices?.some((choice) => choice.value === "file" && choice.offered !== false)).toBe(true);
  });
});
