import { basicSetup } from "codemirror";
import { json } from "@codemirror/lang-json";
import { ensureSyntaxTree } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import type { FileProblem } from "../../generated/files";
import { look } from "../../code/look";
import { rangeOf } from "../json/path";
import { diagnosticsOf } from "../json/placing";

export interface JsonTextOptions {
  text: string;
  label: string;
  readOnly: boolean;
  onChange: (text: string) => void;
  onSave: () => void;
}

export interface JsonText {
  text: () => string;
  replace: (text: string) => void;
  show: (problems: readonly FileProblem[]) => void;
  /** Puts the cursor where a path, or a line, stands. */
  goTo: (place: { path: string } | { line: number }) => void;
  end: () => void;
}

/** Tests as text, with their problems in their places. */
export function editJson(host: HTMLElement, { text, label, readOnly, onChange, onSave }: JsonTextOptions): JsonText {
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          {
            key: "Mod-s",
            preventDefault: true,
            run: () => {
              onSave();
              return true;
            },
          },
        ]),
        basicSetup,
        json(),
        lintGutter(),
        look(label),
        EditorView.lineWrapping,
        EditorState.readOnly.of(readOnly),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    show: (problems) => view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state, problems))),
    goTo: (place) => {
      ensureSyntaxTree(view.state, view.state.doc.length, 200);
      const { from, to } = "path" in place ? rangeOf(view.state, place.path) : view.state.doc.line(Math.min(view.state.doc.lines, Math.max(1, place.line)));
      view.dispatch({ selection: "path" in place ? { anchor: from, head: to } : { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "start", yMargin: 40 }) });
      view.focus();
    },
    end: () => view.destroy(),
  };
}
