import { json } from "@codemirror/lang-json";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { pathAt, rangeOf } from "../../src/editor/json/path";
import { pathOf, stepsOf } from "../../src/editor/store/paths";

const text = `{
  "name": "Order desk",
  "state": { "the key": { "type": "string" } },
  "nodes": [
    { "id": "a" },
    { "id": "b", "prompt": "Hello", "form": {
      "title": "x"
    } }
  ]
}
`;

function state(doc: string): EditorState {
  const made = EditorState.create({ doc, extensions: json() });
  ensureSyntaxTree(made, made.doc.length, 5000);
  return made;
}

const shown = (path: string, doc = text) => {
  const { from, to } = rangeOf(state(doc), path);
  return doc.slice(from, to);
};

describe("paths of problems", () => {
  it("are read step by step", () => {
    expect(stepsOf('nodes[2].prompt["a key"].x')).toEqual(["nodes", 2, "prompt", "a key", "x"]);
    expect(stepsOf("")).toEqual([]);
  });

  it.each(["nodes[2].prompt", 'state["the key"].type', "edges[0].when.no-one", 'page["a \\"b\\" \\\\ c\\n"].x', ""])("%s is written as it is read", (path) => {
    expect(pathOf(stepsOf(path))).toBe(path);
  });

  it.each([
    ["name", '"name": "Order desk"'],
    ["nodes[0]", '{ "id": "a" }'],
    ["nodes[1].prompt", '"prompt": "Hello"'],
    ["nodes[1].form", '"form"'],
    ['state["the key"].type', '"type": "string"'],
    ["nodes[1].missing.deeper", '{ "id": "b", "prompt": "Hello", "form": {'],
    ["nodes[7].id", '"nodes"'],
  ])("%s is marked at its place", (path, marked) => expect(shown(path)).toBe(marked));

  it("the whole document is its first line", () => expect(shown("")).toBe("{"));

  it("broken JSON still has places", () => {
    expect(shown("a.b", '{ "a": { "b": 1, ')).toBe('"b": 1');
    expect(() => shown("a.b", "")).not.toThrow();
    expect(() => shown("a[0]", "[[[{{{")).not.toThrow();
  });

  it("is known of every place in the text", () => {
    expect(pathAt(state(text), text.indexOf("Hello"))).toBe("nodes[1].prompt");
    expect(pathAt(state(text), text.indexOf('"string"') + 2)).toBe('state["the key"].type');
  });
});
