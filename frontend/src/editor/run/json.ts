import { basicSetup } from "codemirror";
import { json } from "@codemirror/lang-json";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { look } from "../../code/look";

export interface Typed {
  text: () => string;
  end: () => void;
}

/** An editor for JSON in this element. */
export function editJson(parent: HTMLElement, given: { text: string; label: string; onChange: () => void }): Typed {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: given.text,
      extensions: [
        basicSetup,
        json(),
        look(given.label),
        EditorView.lineWrapping,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) given.onChange();
        }),
      ],
    }),
  });
  view.focus();
  return { text: () => view.state.doc.toString(), end: () => view.destroy() };
}
