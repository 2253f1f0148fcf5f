import { basicSetup } from "codemirror";
import { indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { indentUnit } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { look, saysTab } from "./look";

/** A unit's code, or with `data-code="json"` a file: the form's own text box stays the truth and works without this; the editor writes into it. */
export function enhanceCode(box: HTMLTextAreaElement): void {
  const host = document.createElement("div");
  host.className = "unit-code";
  const label = document.querySelector(`label[for="${CSS.escape(box.id)}"]`);
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: box.value,
      extensions: [
        keymap.of([
          {
            key: "Mod-s",
            preventDefault: true,
            run: () => {
              const save = box.form?.querySelector<HTMLButtonElement>('button[value="save"]');
              if (save) box.form?.requestSubmit(save);
              return true;
            },
          },
          indentWithTab,
        ]),
        basicSetup,
        box.dataset.code === "json" ? json() : [python(), indentUnit.of("    ")],
        look(label?.textContent ?? ""),
        EditorState.readOnly.of(box.readOnly),
        box.readOnly ? [] : saysTab(box.dataset.tab ?? ""),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          box.value = update.state.doc.toString();
          box.dispatchEvent(new Event("input", { bubbles: true }));
        }),
      ],
    }),
  });
  box.hidden = true;
  box.after(host);
  label?.addEventListener("click", () => view.focus());
}
