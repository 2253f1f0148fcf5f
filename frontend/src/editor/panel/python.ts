import { basicSetup } from "codemirror";
import { indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { indentUnit } from "@codemirror/language";
import { MergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { look, saysTab } from "../../code/look";
import { t } from "../../shared/strings";

export interface Typed {
  text: () => string;
  end: () => void;
}

const shared = (label: string): Extension[] => [basicSetup, python(), indentUnit.of("    "), look(label)];

/** An editor for Python in this element. */
export function editPython(parent: HTMLElement, given: { code: string; label: string; readOnly: boolean; onChange: (code: string) => void; onSave: () => void }): Typed {
  const save = () => {
    given.onSave();
    return true;
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: given.code,
      extensions: [
        keymap.of([{ key: "Mod-s", preventDefault: true, run: save }, indentWithTab]),
        ...shared(given.label),
        EditorState.readOnly.of(given.readOnly),
        given.readOnly ? [] : saysTab(t("editor.tab")),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) given.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  view.focus();
  return { text: () => view.state.doc.toString(), end: () => view.destroy() };
}

/** Two codes side by side, what differs marked. */
export function comparePython(parent: HTMLElement, there: { code: string; label: string }, made: { code: string; label: string }): Typed {
  const still = EditorState.readOnly.of(true);
  const view = new MergeView({
    parent,
    a: { doc: there.code, extensions: [...shared(there.label), still] },
    b: { doc: made.code, extensions: [...shared(made.label), still] },
    collapseUnchanged: { margin: 4, minSize: 8 },
    gutter: true,
  });
  return { text: () => view.b.state.doc.toString(), end: () => view.destroy() };
}
