import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";

import { stepsOf } from "../store/paths";

/** The whole text, parsed: a busy machine may have come no further than its beginning. */
const parsed = (state: EditorState) => ensureSyntaxTree(state, state.doc.length, 1000) ?? syntaxTree(state);

export interface Range {
  from: number;
  to: number;
}

const VALUES = new Set(["Object", "Array", "String", "Number", "True", "False", "Null"]);

function keyOf(state: EditorState, property: SyntaxNode): string | null {
  const name = property.getChild("PropertyName");
  if (!name) return null;
  try {
    return String(JSON.parse(state.sliceDoc(name.from, name.to)));
  } catch {
    return state.sliceDoc(name.from + 1, name.to - 1);
  }
}

function valueOf(parent: SyntaxNode): SyntaxNode | null {
  for (let child = parent.firstChild; child; child = child.nextSibling) if (VALUES.has(child.name)) return child;
  return null;
}

function itemOf(array: SyntaxNode, at: number): SyntaxNode | null {
  let index = 0;
  for (let child = array.firstChild; child; child = child.nextSibling) {
    if (!VALUES.has(child.name)) continue;
    if (index === at) return child;
    index += 1;
  }
  return null;
}

/** Where a path stands in the text: the key that names it, with its value when that is short, else the nearest part of it
 * that exists. The whole document is its first line. */
export function rangeOf(state: EditorState, path: string): Range {
  let value = valueOf(parsed(state).topNode);
  let named: SyntaxNode | null = value;
  for (const step of stepsOf(path)) {
    if (!value) break;
    if (typeof step === "number" && value.name === "Array") {
      const item = itemOf(value, step);
      if (!item) break;
      named = value = item;
    } else if (value.name === "Object") {
      let found: SyntaxNode | null = null;
      for (const property of value.getChildren("Property")) if (keyOf(state, property) === String(step)) found = property;
      if (!found) break;
      named = found;
      value = valueOf(found);
    } else break;
  }
  return named ? shown(state, named) : { from: 0, to: Math.min(state.doc.length, state.doc.line(1).to) };
}

/** What is marked: a short part whole, of a long one its key or its first line. */
function shown(state: EditorState, node: SyntaxNode): Range {
  const line = state.doc.lineAt(node.from);
  if (node.to <= line.to) return { from: node.from, to: node.to };
  const name = node.getChild("PropertyName");
  return name ? { from: name.from, to: name.to } : { from: node.from, to: Math.max(node.from + 1, line.to) };
}

/** The path of a place in the text, as problems write it. */
export function pathAt(state: EditorState, at: number): string {
  const steps: string[] = [];
  for (let node: SyntaxNode | null = parsed(state).resolveInner(at, -1); node; node = node.parent) {
    const parent: SyntaxNode | null = node.parent;
    if (node.name === "Property") {
      const key = keyOf(state, node) ?? "";
      steps.unshift(/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
    } else if (parent?.name === "Array" && VALUES.has(node.name)) {
      let index = 0;
      for (let before = node.prevSibling; before; before = before.prevSibling) if (VALUES.has(before.name)) index += 1;
      steps.unshift(`[${index}]`);
    }
  }
  return steps.join("").replace(/^\./, "");
}
