import { basicSetup } from "codemirror";
import { indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { ensureSyntaxTree } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { MergeView } from "@codemirror/merge";
import { openSearchPanel } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { Check, CircleAlert, LoaderCircle, Lock, Pencil, Search, WrapText } from "lucide";
import { render, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../shared/Icon";
import { t } from "../shared/strings";
import { DraftKeeper, type Saved } from "./draft";
import { look } from "./look";
import { pathAt, rangeOf } from "./path";
import { Problems } from "./Problems";
import { Units } from "./Units";
import type { FlowBoot, Problem, TheirDraft } from "./wire";

export interface EditorProps {
  boot: FlowBoot;
  /** Places of the server's page that this script keeps current. */
  places: { problems: Element | null; units: Element | null; name: Element | null; saved: Element | null; count: Element | null };
}

/** A big document is parsed this long before its problems are placed. */
const PARSE_MS = 200;

function diagnosticsOf(state: EditorState, problems: readonly Problem[]): Diagnostic[] {
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

export function Editor({ boot, places }: EditorProps): JSX.Element {
  // Nobody edits unless the page says so.
  const readOnly = boot.canEdit !== true;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const keeper = useRef<DraftKeeper | null>(null);
  const [saved, setSaved] = useState<{ state: Saved; words?: string }>({ state: readOnly ? "readOnly" : "saved" });
  const [place, setPlace] = useState({ line: 1, column: 1, path: "" });
  const [theirs, setTheirs] = useState<TheirDraft | null>(null);

  const jump = (path: string) => {
    const editor = view.current;
    if (!editor) return;
    const problem = path === "" ? undefined : rangeOf(editor.state, path);
    const from = problem?.from ?? 0;
    editor.dispatch({ selection: { anchor: from, head: problem?.to ?? from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    editor.focus();
  };

  const showProblems = (problems: readonly Problem[]) => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, problems)));
    if (places.problems) render(<Problems problems={problems} onJump={jump} />, places.problems);
    const errors = problems.filter((problem) => problem.level === "error").length;
    if (places.count instanceof HTMLElement) {
      places.count.hidden = errors === 0;
      places.count.textContent = t("editor.problems", { count: errors });
    }
  };

  useEffect(() => {
    // The page's bar says it too, where the editor's own line is out of sight.
    if (places.saved) places.saved.textContent = saved.state === "readOnly" ? "" : t(WORDS[saved.state]);
  }, [saved.state]);

  useEffect(() => {
    const draft = new DraftKeeper(boot.id, boot, readOnly, {
      onSaved: (state, words) => setSaved({ state, words }),
      onProblems: showProblems,
      onConflict: setTheirs,
      onState: (state) => {
        showProblems(state.problems);
        if (places.units) render(<Units flow={boot.id} units={state.units} />, places.units);
        if (places.name && state.name) places.name.textContent = state.name;
      },
    });
    keeper.current = draft;
    const kept = draft.unsaved();
    const editor = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: kept?.text ?? boot.text,
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
    view.current = editor;
    for (const part of [places.problems, places.units]) part?.replaceChildren();
    if (places.units) render(<Units flow={boot.id} units={boot.units} />, places.units);
    showProblems(boot.problems);
    if (kept) draft.begin(kept);
    const leave = () => {
      if (document.visibilityState === "hidden") void draft.save();
    };
    const warn = (event: BeforeUnloadEvent) => {
      if (draft.dirty) {
        void draft.save();
        event.preventDefault();
      }
    };
    document.addEventListener("visibilitychange", leave);
    addEventListener("beforeunload", warn);
    return () => {
      document.removeEventListener("visibilitychange", leave);
      removeEventListener("beforeunload", warn);
      editor.destroy();
    };
  }, []);

  const tidy = () => {
    const editor = view.current;
    if (!editor) return;
    try {
      const text = `${JSON.stringify(JSON.parse(editor.state.doc.toString()), null, 2)}\n`;
      if (text !== editor.state.doc.toString()) editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
    } catch {
      setSaved({ state: saved.state, words: t("editor.tidyRefused") });
    }
  };

  const settle = (text: string) => {
    const editor = view.current;
    if (!editor || !theirs) return;
    const chosen = theirs;
    setTheirs(null);
    keeper.current?.settle(chosen, text);
    // One undoable change: what stood here before is an undo away.
    if (text !== editor.state.doc.toString()) editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
    editor.focus();
  };

  return (
    <div class="flow-edit">
      {theirs ? <Conflict theirs={theirs} mine={() => view.current?.state.doc.toString() ?? ""} onSettle={settle} /> : null}
      <div class="flow-edit-code" ref={host} hidden={theirs !== null} />
      <div class="flow-edit-bar">
        <SavedWords state={saved.state} words={saved.words} onRetry={() => void keeper.current?.save()} />
        <code class="flow-edit-path clip">{place.path}</code>
        <span class="flow-edit-place">{t("editor.place", { line: place.line, column: place.column })}</span>
        <button type="button" class="btn btn-ghost btn-small" onClick={() => view.current && openSearchPanel(view.current)}>
          <Icon of={Search} size={14} />
          {t("editor.find")}
        </button>
        {readOnly ? null : (
          <button type="button" class="btn btn-ghost btn-small" onClick={tidy}>
            <Icon of={WrapText} size={14} />
            {t("editor.tidy")}
          </button>
        )}
      </div>
    </div>
  );
}

const ICONS = { saved: Check, typing: Pencil, saving: LoaderCircle, failed: CircleAlert, conflict: CircleAlert, readOnly: Lock } as const;
const WORDS = {
  saved: "editor.saved",
  typing: "editor.typing",
  saving: "editor.saving",
  failed: "editor.failed",
  conflict: "editor.conflict",
  readOnly: "editor.readOnly",
} as const;

function SavedWords({ state, words, onRetry }: { state: Saved; words?: string; onRetry: () => void }): JSX.Element {
  return (
    <span class="flow-edit-saved" data-state={state} data-saved role="status">
      <Icon of={ICONS[state]} size={14} />
      {t(WORDS[state])}
      {words && state !== "conflict" ? <span class="flow-edit-why clip">{words}</span> : null}
      {state === "failed" ? (
        <button type="button" class="link" onClick={onRetry}>
          {t("shared.retry")}
        </button>
      ) : null}
    </span>
  );
}

interface ConflictProps {
  theirs: TheirDraft;
  mine: () => string;
  onSettle: (text: string) => void;
}

/** Both texts side by side, mine still open to be mended. Whatever is chosen, the other is one undo or one version away. */
function Conflict({ theirs, mine, onSettle }: ConflictProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const merge = useRef<MergeView | null>(null);
  useEffect(() => {
    const shared = (label: string) => [basicSetup, json(), look(label)];
    const view = new MergeView({
      parent: host.current!,
      a: { doc: theirs.text, extensions: [shared(t("editor.theirs")), EditorState.readOnly.of(true)] },
      b: { doc: mine(), extensions: shared(t("editor.mine")) },
      revertControls: "a-to-b",
      collapseUnchanged: { margin: 3, minSize: 6 },
      gutter: true,
    });
    merge.current = view;
    return () => view.destroy();
  }, []);
  return (
    <div class="flow-conflict" role="region" aria-label={t("editor.conflict")}>
      <div class="notice notice-warn flow-conflict-words">
        <Icon of={CircleAlert} />
        <span class="grow">
          {theirs.by ? t("editor.conflictBy", { by: theirs.by }) : t("editor.conflictKept")} {t("editor.conflictHow")}
        </span>
        <span class="row row-wrap">
          <button type="button" class="btn btn-primary btn-small" onClick={() => onSettle(merge.current?.b.state.doc.toString() ?? mine())}>
            {t("editor.saveMine")}
          </button>
          <button type="button" class="btn btn-small" onClick={() => onSettle(theirs.text)}>
            {t("editor.takeTheirs")}
          </button>
        </span>
      </div>
      <div class="flow-conflict-heads">
        <span>{t("editor.theirs")}</span>
        <span>{t("editor.mine")}</span>
      </div>
      <div class="flow-conflict-both" ref={host} />
    </div>
  );
}
