/** @jsxImportSource react */
import { Check, CircleAlert, CircleDot, LoaderCircle, Lock, Pencil } from "lucide-react";
import { useEffect, useRef, useState, type ReactElement } from "react";
import type { FileProblem } from "../../generated/files";
import { ApiError, asApiError } from "../../shared/api";
import { t, type StringKey } from "../../shared/strings";
import { Leave } from "../panel/Leave";
import { Modal } from "../panel/Modal";
import { useEditor } from "../store/state";
import { FileKeeper, readFile, type FileState, type Theirs } from "./file";
import type { JsonText } from "./jsontext";
import { keyOf, openTest, readFiles, start } from "./kept";

/** A file to open: a stored one at a line, or a text with a new test in it that is not stored yet. */
export interface Opening {
  path: string;
  line?: number;
  text?: string;
  was?: string;
  name?: string;
  leftOut?: string[];
}

const ICONS = { saved: Check, new: CircleDot, typing: Pencil, saving: LoaderCircle, failed: CircleAlert, conflict: CircleAlert, readOnly: Lock } as const;
const WORDS: Record<FileState, StringKey> = {
  saved: "tests.editor.saved",
  new: "tests.editor.new",
  typing: "tests.editor.typing",
  saving: "tests.editor.saving",
  failed: "tests.editor.failed",
  conflict: "tests.editor.failed",
  readOnly: "tests.editor.readOnly",
};

/** A file of tests as text. What is typed is saved after a pause and checked against the draft. */
export function FileDialog({ opening, onClose }: { opening: Opening; onClose: () => void }): ReactElement {
  const { path } = opening;
  const canEdit = useEditor((state) => state.canEdit);
  // Who began to write goes on, whatever the page may do meanwhile.
  const [readOnly] = useState(!canEdit);
  const isNew = opening.text !== undefined;
  const [problems, setProblems] = useState<FileProblem[] | null>(null);
  const [state, setState] = useState<{ state: FileState; words: string }>({ state: readOnly ? "readOnly" : isNew ? "new" : "saved", words: "" });
  const [theirs, setTheirs] = useState<Theirs | null>(null);
  const [leaving, setLeaving] = useState(false);
  const [failed, setFailed] = useState("");
  const [there, setThere] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const code = useRef<JsonText | null>(null);
  const keeper = useRef<FileKeeper | null>(null);

  const show = (found: FileProblem[]) => {
    setProblems(found);
    code.current?.show(found);
  };
  useEffect(() => {
    let gone = false;
    const begin = async () => {
      const stored = opening.text === undefined ? readFile(path) : null;
      const [{ editJson }, file] = await Promise.all([import("./jsontext"), stored]);
      if (gone || !host.current) return;
      const text = opening.text ?? file?.text ?? "";
      const first = file ? { stored: file.text, was: file.sha, readOnly } : { stored: null, was: opening.was ?? "", readOnly };
      const mine = new FileKeeper(path, text, first, {
        onState: (next, words) => setState({ state: next, words }),
        onSaved: (saved) => {
          setFailed("");
          show(saved.problems);
        },
        onTheirs: setTheirs,
      });
      keeper.current = mine;
      code.current = editJson(host.current, {
        text,
        label: t("tests.editor.label"),
        readOnly,
        onChange: (typed) => mine.change(typed),
        onSave: () => void mine.save(),
      });
      setThere(true);
      if (file) show(file.problems);
      if (opening.line !== undefined) code.current.goTo({ line: opening.line });
      else if (opening.name) code.current.goTo({ path: `tests[${countOf(text) - 1}]` });
    };
    begin().catch((thrown: unknown) => {
      // The editor itself may be what could not be fetched.
      if (!gone) setFailed(thrown instanceof ApiError ? thrown.message : t("shared.partMissing"));
    });
    const warn = (event: BeforeUnloadEvent) => {
      if (!keeper.current?.dirty) return;
      void keeper.current.save();
      event.preventDefault();
    };
    addEventListener("beforeunload", warn);
    return () => {
      gone = true;
      removeEventListener("beforeunload", warn);
      keeper.current?.end();
      code.current?.end();
      keeper.current = code.current = null;
    };
  }, [path]);

  const close = async () => {
    const unsaved = state.state === "failed" || state.state === "conflict" || state.state === "new";
    if (unsaved && !readOnly && there) setLeaving(true);
    // What was typed last may be refused still: then the dialog stays, and says so.
    else if (readOnly || !keeper.current?.dirty || (await keeper.current.save())) onClose();
  };
  const save = async () => {
    if (!(await keeper.current?.save())) return;
    if (!opening.name) return;
    const { name } = opening;
    onClose();
    openTest(keyOf(path, name));
    try {
      await readFiles();
      await start({ paths: [path], names: [name] });
    } catch (thrown) {
      asApiError(thrown);
    }
  };
  const settle = (take: boolean) => {
    const mine = code.current?.text() ?? "";
    if (!theirs || !keeper.current) return;
    setTheirs(null);
    if (take && theirs.text === null) {
      onClose();
      return;
    }
    const next = take ? (theirs.text ?? "") : mine;
    keeper.current.settle(theirs, next);
    if (take) code.current?.replace(next);
  };
  const Drawing = ICONS[state.state];
  const foot = leaving ? (
    <Leave question={t("tests.editor.leave")} yes={t("tests.editor.leaveYes")} no={t("tests.editor.leaveNo")} onLeave={onClose} onStay={() => setLeaving(false)} />
  ) : (
    <>
      <span className="ed-json-saved" data-state={state.state} role="status">
        <Drawing size={14} aria-hidden="true" />
        {t(WORDS[state.state])}
        {state.words && state.state !== "conflict" ? <span className="clip">{state.words}</span> : null}
      </span>
      <span className="grow" />
      <button type="button" className="btn" onClick={() => void close()}>
        {t("tests.editor.close")}
      </button>
      {isNew && !readOnly ? (
        <button type="button" className="btn btn-primary" disabled={!there} onClick={() => void save()}>
          {t("tests.editor.save")}
        </button>
      ) : null}
    </>
  );
  return (
    <Modal title={<span className="mono">{path}</span>} onClose={() => void close()} foot={foot}>
      {theirs ? (
        <div className="notice notice-warn ed-tests-theirs" role="alert">
          <span className="grow">{theirs.text === null ? t("tests.editor.theirsGone") : t("tests.editor.theirs", { by: theirs.by })}</span>
          <button type="button" className="btn btn-small" onClick={() => settle(true)}>
            {t("tests.editor.takeTheirs")}
          </button>
          <button type="button" className="btn btn-small" onClick={() => settle(false)}>
            {t("tests.editor.keepMine")}
          </button>
        </div>
      ) : null}
      {theirs?.text != null ? (
        <details className="ed-modal-about ed-tests-other" open>
          <summary>{t("tests.editor.readTheirs")}</summary>
          <pre className="code" tabIndex={0} dir="ltr">
            {theirs.text}
          </pre>
        </details>
      ) : null}
      {opening.leftOut?.length ? (
        <div className="notice">
          <div>
            <strong>{t("tests.editor.leftOut")}</strong>
            <ul className="ed-tests-leftout">
              {opening.leftOut.map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          </div>
        </div>
      ) : null}
      {failed ? <p className="notice notice-bad">{failed}</p> : there ? null : <p className="muted">{t("shared.loading")}</p>}
      <div className="ed-modal-code" ref={host} />
      {problems === null ? null : <ProblemList problems={problems} onGo={(at) => code.current?.goTo({ path: at })} />}
    </Modal>
  );
}

function ProblemList({ problems, onGo }: { problems: FileProblem[]; onGo: (path: string) => void }): ReactElement {
  if (!problems.length) {
    return (
      <p className="ed-problem-none ed-tests-fine">
        <Check size={14} className="ok" aria-hidden="true" />
        {t("tests.editor.noProblems")}
      </p>
    );
  }
  return (
    <section className="ed-tests-problems" aria-label={t("tests.editor.problems", { count: problems.length })}>
      {problems.map((problem, at) => (
        <button key={at} type="button" className="problem problem-open" title={problem.code} onClick={() => onGo(problem.path)}>
          <span className={problem.level === "error" ? "dot dot-bad" : "dot dot-warn dot-square"} />
          <span dir="auto">
            <span className="sr">{t(problem.level === "error" ? "editor.error" : "editor.warning")}: </span>
            {problem.message}
          </span>
          {problem.hint ? (
            <span className="problem-hint" dir="auto">
              {problem.hint}
            </span>
          ) : null}
          {problem.path ? <span className="problem-path">{problem.path}</span> : null}
        </button>
      ))}
    </section>
  );
}

/** How many tests the text has. */
function countOf(text: string): number {
  try {
    const read: { tests?: unknown } = JSON.parse(text);
    return Array.isArray(read.tests) ? read.tests.length : 0;
  } catch {
    return 0;
  }
}
