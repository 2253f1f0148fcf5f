/** @jsxImportSource react */
import { FlaskConical, Play, Plus } from "lucide-react";
import { useEffect, useRef, useState, type ReactElement } from "react";
import type { RunTest } from "../../generated/tests";
import { t } from "../../shared/strings";
import { duration } from "../../shared/time";
import { MissingCode } from "../run/Barriers";
import { editor } from "../store/editor";
import { store, useEditor } from "../store/state";
import { FileDialog, type Opening } from "./FileDialog";
import { FileList } from "./FileList";
import { isStale, keyOf, openTest, readFiles, start, tests } from "./kept";
import { NewTest } from "./NewTest";
import { Result } from "./Result";
import { useTests } from "./useTests";

/** What stands over the pane. */
type Over = { file: Opening } | { form: true } | null;

/** A test that was made of a run and waits to be looked at. */
let handed: RunTest | null = null;

/** Opens the pane with a test that was made of a run, which is not stored yet. */
export function handOver(made: RunTest): void {
  handed = made;
  editor.openPane("tests");
}

function taken(): Over {
  const made = handed;
  handed = null;
  return made && { file: { path: made.path, text: made.text, was: made.was, name: made.name, leftOut: made.leftOut } };
}

/** The flow's tests: which there are, whether they hold, and what each found out. */
export function TestsPane(): ReactElement {
  useTests();
  const files = tests((state) => state.files);
  const open = tests((state) => state.open);
  const [over, setOver] = useState<Over>(taken);
  const found = tests((state) => (open === null ? undefined : state.found.get(open)));
  useEffect(
    () => () => {
      if (store.getState().run?.test) editor.setRun(null);
    },
    [],
  );
  const place = useRef<HTMLElement>(null);
  useKeptFocus(place, open);
  return (
    <section className="ed-tests" aria-label={t("tests.title")} ref={place}>
      <Head onNew={() => setOver({ form: true })} />
      <Strip />
      <div className="ed-run-scroll">
        {open !== null && found ? (
          <Result key={open} found={found} onBack={() => openTest(null)} onEdit={(opening) => setOver({ file: opening })} />
        ) : files === null ? (
          <Waiting />
        ) : files.length ? (
          <FileList files={files} onEdit={(opening) => setOver({ file: opening })} />
        ) : (
          <Empty onNew={() => setOver({ form: true })} />
        )}
      </div>
      {over && "file" in over ? (
        <FileDialog
          opening={over.file}
          onClose={() => {
            setOver(null);
            void readFiles();
          }}
        />
      ) : null}
      {over && "form" in over ? (
        <NewTest
          files={files ?? []}
          onClose={() => setOver(null)}
          onSaved={(path, name) => {
            setOver(null);
            void readFiles();
            openTest(keyOf(path, name));
            void start({ paths: [path], names: [name] });
          }}
        />
      ) : null}
    </section>
  );
}

/** A row that opens what its test found out goes away with the focus: the way back has it then, and later the row again. */
function useKeptFocus(place: { current: HTMLElement | null }, open: string | null): void {
  const before = useRef(open);
  useEffect(() => {
    const left = before.current;
    before.current = open;
    if (left === open || document.activeElement !== document.body) return;
    const wanted = open !== null ? ".ed-trace-back" : `.ed-test-open[data-key="${CSS.escape(left ?? "")}"]`;
    place.current?.querySelector<HTMLElement>(wanted)?.focus();
  }, [open, place]);
}

function Head({ onNew }: { onNew: () => void }): ReactElement {
  const canEdit = useEditor((state) => state.canEdit);
  const some = tests((state) => state.files?.some((file) => file.tests.length) ?? false);
  const busy = useBusy();
  return (
    <header className="ed-run-head ed-tests-head">
      <h2 className="heading grow">{t("tests.title")}</h2>
      {canEdit ? (
        <button type="button" className="btn btn-ghost btn-small" onClick={onNew}>
          <Plus size={14} aria-hidden="true" />
          {t("tests.new")}
        </button>
      ) : null}
      {canEdit && some ? (
        <button type="button" className="btn btn-small" disabled={busy} aria-busy={busy || undefined} onClick={() => void start({})}>
          <Play size={13} aria-hidden="true" />
          {t("tests.runAll")}
        </button>
      ) : null}
    </header>
  );
}

export function useBusy(): boolean {
  return tests((state) => state.starting || state.run?.state === "working");
}

/** How it stands as a whole: at work, all hold, some do not, or why none could be run. */
function Strip(): ReactElement | null {
  const failed = tests((state) => state.failed);
  const run = tests((state) => state.run);
  const files = tests((state) => state.files);
  const found = tests((state) => state.found);
  const starting = tests((state) => state.starting);
  const revision = useEditor((state) => state.documentRevision);
  const missing = useEditor((state) => state.units.some((unit) => unit.state === "missing" || unit.state === "refused"));
  if (failed) {
    return (
      <div className="ed-run-strip ed-run-bad" role="alert">
        <span className="grow">{failed}</span>
        <button type="button" className="btn btn-small" onClick={() => void readFiles()}>
          {t("shared.retry")}
        </button>
      </div>
    );
  }
  if (run?.state === "working" || starting) {
    const done = run?.results.filter((one) => one.state !== "running").length ?? 0;
    const total = run?.total ?? 0;
    return (
      <div className="ed-tests-working" role="status">
        <span>{total ? t("tests.runningOf", { done, total }) : t("tests.running")}</span>
        <span className="progress" aria-hidden="true">
          <span style={{ inlineSize: `${total ? Math.max(4, (100 * done) / total) : 4}%` }} />
        </span>
      </div>
    );
  }
  if (run?.state === "failed") {
    return (
      <div className="ed-tests-failed" role="alert">
        <p>{run.message}</p>
        {missing ? <MissingCode onDone={() => start({})} /> : null}
      </div>
    );
  }
  const known = (files ?? []).flatMap((file) => file.tests.flatMap((test) => found.get(keyOf(file.path, test.name)) ?? []));
  if (!known.length) return null;
  const bad = known.filter(({ result }) => result.state !== "passed").length;
  const stale = known.some((one) => isStale(one, revision, files));
  const ms = run?.ms ?? 0;
  return (
    <p className="ed-tests-sum" role="status" data-state={bad ? "failed" : "passed"} data-stale={stale || undefined}>
      <strong>{bad ? t("tests.someFail", { failed: bad, count: known.length }) : t("tests.allHold", { count: known.length })}</strong>
      {stale ? <span>{t("tests.before")}</span> : ms ? <span className="num">{duration(ms)}</span> : null}
    </p>
  );
}

function Empty({ onNew }: { onNew: () => void }): ReactElement {
  const canEdit = useEditor((state) => state.canEdit);
  return (
    <div className="ed-run-empty">
      <span className="glyph">
        <FlaskConical size={20} />
      </span>
      <p className="heading">{t("tests.empty")}</p>
      <p className="small muted">{t("tests.emptyLead")}</p>
      {canEdit ? (
        <>
          <button type="button" className="btn btn-primary" onClick={onNew}>
            <Plus size={14} aria-hidden="true" />
            {t("tests.new")}
          </button>
          <p className="small muted">{t("tests.emptyRun")}</p>
        </>
      ) : null}
    </div>
  );
}

function Waiting(): ReactElement {
  return (
    <div className="ed-trace" aria-busy="true" aria-label={t("shared.loading")}>
      <span className="skeleton skeleton-line" />
      <span className="skeleton skeleton-block" />
      <span className="skeleton skeleton-line" />
    </div>
  );
}
