import { ensureSyntaxTree } from "@codemirror/language";
import type { Diagnostic } from "@codemirror/lint";
import type { EditorState } from "@codemirror/state";
import type { Problem } from "../store/wire";
import { rangeOf } from "./path";

/** A big document is parsed this long before its problems are placed. */
const PARSE_MS = 200;

/** The problems of a flow at their places in its text. */
export function diagnosticsOf(state: EditorState, problems: readonly Problem[]): Diagnostic[] {
  ensureSyntaxTree(state, state.doc.length, PARSE_MS);
  return problems
    .map((problem): Diagnostic => {
      const { from, to } = problem.path ? rangeOf(state, problem.path) : placeInWords(state, problem.message);
      return { from, to, severity: problem.level, message: problem.hint ? `${problem.message}\n${problem.hint}` : problem.message, source: problem.code };
    })
    .sort((a, b) => a.from - b.from);
}

/** JSON that cannot be read has no paths: its message names the line. */
function placeInWords(state: EditorState, message: string): { from: number; to: number } {
  const found = /line (\d+), column (\d+)/.exec(message);
  const line = state.doc.line(Math.min(state.doc.lines, Math.max(1, Number(found?.[1] ?? 1))));
  const from = Math.min(line.to, line.from + Math.max(0, Number(found?.[2] ?? 1) - 1));
  return found ? { from, to: Math.max(from, Math.min(state.doc.length, from + 1)) } : { from: line.from, to: line.to };
}
