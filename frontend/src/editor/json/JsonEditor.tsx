/** @jsxImportSource react */
import { basicSetup } from "codemirror";
import { indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { openSearchPanel } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { Check, CircleAlert, LoaderCircle, Lock, Pencil, Search, WrapText } from "lucide-react";
import { useEffect, useRef, useState, type ReactElement } from "react";
import { t, type StringKey } from "../../shared/strings";
import { look, saysTab } from "../../code/look";
import { editor } from "../store/editor";
import { store, useEditor } from "../store/state";
import type { Problem } from "../store/wire";
import { DraftKeeper, type Saved, type TheirDraft } from "./draft";
import { Merge } from "./Merge";
import { pathAt, rangeOf } from "./path";
import { diagnosticsOf } from "./placing";

export interface JsonEditorProps {
  text: string;
  revision: number;
}

const ICONS = { saved: Check, typing: Pencil, saving: LoaderCircle, failed: CircleAlert, conflict: CircleAlert, readOnly: Lock } as const;
const WORDS: Record<Saved, StringKey> = {
  saved: "editor.saved",
  typing: "editor.typing",
  saving: "editor.saving",
  failed: "editor.failed",
  conflict: "editor.conflict",
  readOnly: "editor.readOnly",
};

/** The flow as text, with its problems in their places. What is typed is checked, saved after a pause, and undoable. */
export function JsonEditor({ text, revision }: JsonEditorProps): ReactElement {
  const id = useEditor((state) => state.id);
  const readOnly = !useEditor((state) => state.canEdit);
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const keeper = useRef<DraftKeeper | null>(null);
  const [saved, setSaved] = useState<{ state: Saved; words?: string }>({ state: readOnly ? "readOnly" : "saved" });
  const [place, setPlace] = useState({ line: 1, column: 1, path: "" });
  const [theirs, setTheirs] = useState<TheirDraft | null>(null);

  const showProblems = (problems: readonly Problem[]) => {
    const code = view.current;
    if (code) code.dispatch(setDiagnostics(code.state, diagnosticsOf(code.state, problems)));
  };

  useEffect(() => {
    if (!host.current) return;
    const draft = new DraftKeeper(id, { text, revision }, readOnly, {
      onSaved: (state, words) => setSaved({ state, words }),
      onProblems: (problems) => {
        store.setState({ problems });
        showProblems(problems);
      },
      onConflict: setTheirs,
      onState: (state) => {
        showProblems(state.problems);
        void editor.refresh();
      },
    });
    keeper.current = draft;
    const kept = draft.unsaved();
    const code = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: kept?.text ?? text,
        extensions: [
          keymap.of([
            {
              key: "Mod-s",
              preventDefault: true,
              run: () => {
                void draft.save();
                return true;
              },
            },
            indentWithTab,
          ]),
          basicSetup,
          json(),
          lintGutter(),
          look(t("editor.label")),
          EditorState.readOnly.of(readOnly),
          readOnly ? [] : saysTab(t("editor.tab")),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) draft.change(update.state.doc.toString());
            if (!update.docChanged && !update.selectionSet) return;
            const head = update.state.selection.main.head;
            const line = update.state.doc.lineAt(head);
            setPlace({ line: line.number, column: head - line.from + 1, path: pathAt(update.state, head) });
          }),
        ],
      }),
    });
    view.current = code;
    showProblems(store.getState().problems);
    if (kept) draft.begin(kept);
    const leave = () => {
      if (document.visibilityState === "hidden") void draft.save();
    };
    const warn = (event: BeforeUnloadEvent) => {
      if (!draft.dirty) return;
      void draft.save();
      event.preventDefault();
    };
    document.addEventListener("visibilitychange", leave);
    addEventListener("beforeunload", warn);
    return () => {
      document.removeEventListener("visibilitychange", leave);
      removeEventListener("beforeunload", warn);
      draft.end();
      code.destroy();
      view.current = keeper.current = null;
    };
  }, [id, readOnly]);

  // Changed elsewhere: shown here at once where nothing is typed.
  useEffect(() => {
    const code = view.current;
    if (!code || !keeper.current?.follow(text, revision)) return;
    code.dispatch({ changes: { from: 0, to: code.state.doc.length, insert: text } });
    showProblems(store.getState().problems);
  }, [text, revision]);

  const jump = useEditor((state) => state.jump);
  useEffect(() => {
    const code = view.current;
    if (!code || !jump) return;
    const range = jump.path === "" ? { from: 0, to: 0 } : rangeOf(code.state, jump.path);
    code.dispatch({ selection: { anchor: range.from, head: range.to }, effects: EditorView.scrollIntoView(range.from, { y: "center" }) });
    code.focus();
  }, [jump]);

  const tidy = () => {
    const code = view.current;
    if (!code) return;
    try {
      const tidied = `${JSON.stringify(JSON.parse(code.state.doc.toString()), null, 2)}\n`;
      if (tidied !== code.state.doc.toString()) code.dispatch({ changes: { from: 0, to: code.state.doc.length, insert: tidied } });
    } catch {
      setSaved({ state: saved.state, words: t("editor.tidyRefused") });
    }
  };
  const settle = (chosen: string) => {
    const code = view.current;
    if (!code || !theirs) return;
    setTheirs(null);
    keeper.current?.settle(theirs, chosen);
    // One undoable change: what stood here before is an undo away.
    if (chosen !== code.state.doc.toString()) code.dispatch({ changes: { from: 0, to: code.state.doc.length, insert: chosen } });
    code.focus();
  };
  const Drawing = ICONS[saved.state];
  return (
    <div className="ed-json">
      {theirs ? <Merge theirs={theirs} mine={() => view.current?.state.doc.toString() ?? ""} onSettle={settle} /> : null}
      <div className="ed-json-code" ref={host} hidden={theirs !== null} />
      <div className="ed-json-bar">
        <span className="ed-json-saved" data-state={saved.state} data-saved="" role="status">
          <Drawing size={14} aria-hidden="true" />
          {t(WORDS[saved.state])}
          {saved.words && saved.state !== "conflict" ? <span className="clip">{saved.words}</span> : null}
          {saved.state === "failed" ? (
            <button type="button" className="link" onClick={() => void keeper.current?.save()}>
              {t("shared.retry")}
            </button>
          ) : null}
        </span>
        <code className="ed-json-path clip">{place.path}</code>
        <span className="ed-json-place">{t("editor.place", { line: place.line, column: place.column })}</span>
        <button type="button" className="btn btn-ghost btn-small" onClick={() => view.current && openSearchPanel(view.current)}>
          <Search size={14} aria-hidden="true" />
          {t("editor.find")}
        </button>
        {readOnly ? null : (
          <button type="button" className="btn btn-ghost btn-small" onClick={tidy}>
            <WrapText size={14} aria-hidden="true" />
            {t("editor.tidy")}
          </button>
        )}
      </div>
    </div>
  );
}
