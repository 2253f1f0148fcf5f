/** @jsxImportSource react */
import { useReactFlow } from "@xyflow/react";
import { ArrowLeft, Check, FilePen, Play } from "lucide-react";
import { useEffect, useState, type ReactElement } from "react";
import type { Json } from "../../generated/frames";
import type { TestCall, TestEvent, TestFailure, TestPrompt, TestQuestion, TestResult } from "../../generated/tests";
import { asApiError } from "../../shared/api";
import { t, type StringKey } from "../../shared/strings";
import { duration } from "../../shared/time";
import type { CanvasNode, LineEdge } from "../canvas/graph";
import { bringInSight } from "../canvas/room";
import { Block, Channels, longOf, Section, shortOf } from "../run/Values";
import { cardOf, count } from "../run/view";
import { editor } from "../store/editor";
import { labelOf, nodeById } from "../store/document";
import { store, useEditor } from "../store/state";
import { readFile, saveFile } from "./file";
import type { Opening } from "./FileDialog";
import { readFiles, start, tests, type Found } from "./kept";
import { lightOf } from "./light";
import { accepting, accepts } from "./make";
import { Mark } from "./Mark";
import { useBusy } from "./TestsPane";

interface ResultProps {
  found: Found;
  onBack: () => void;
  onEdit: (opening: Opening) => void;
}

/** What one test found out; the steps that it went through are lit on the canvas meanwhile. */
export function Result({ found, onBack, onEdit }: ResultProps): ReactElement {
  const { result } = found;
  const flow = useEditor((state) => state.flow);
  const canEdit = useEditor((state) => state.canEdit);
  const busy = useBusy();
  const line = tests((state) => state.files?.find((file) => file.path === result.file)?.tests.find((test) => test.name === result.test)?.line);
  useEffect(() => {
    editor.setRun(lightOf(flow, result));
    return () => {
      if (store.getState().run?.test) editor.setRun(null);
    };
  }, [flow, result]);
  return (
    <div className="ed-trace" data-test={result.test} data-state={result.state}>
      <button type="button" className="btn btn-ghost btn-small ed-trace-back" onClick={onBack}>
        <ArrowLeft size={14} className="icon-flip" />
        {t("tests.back")}
      </button>
      <header className="ed-trace-top">
        <div className="grow">
          <h3 className="ed-trace-title">
            <bdi>{result.test}</bdi>
          </h3>
          <p className="ed-trace-facts">
            <Mark found={found} />
            <span>{t(STATES[result.state])}</span>
            {result.state === "running" ? null : <span className="num">{duration(result.ms)}</span>}
            <code className="clip">{result.file}</code>
          </p>
        </div>
      </header>
      {canEdit ? (
        <div className="row row-wrap">
          <button type="button" className="btn btn-small" disabled={busy} onClick={() => void start({ paths: [result.file], names: [result.test] })}>
            <Play size={13} aria-hidden="true" />
            {t("tests.again")}
          </button>
          <button type="button" className="btn btn-small" onClick={() => onEdit({ path: result.file, line: line ?? 1 })}>
            <FilePen size={13} aria-hidden="true" />
            {t("tests.edit")}
          </button>
        </div>
      ) : null}
      {result.state === "passed" ? (
        <p className="notice notice-ok">
          <Check size={15} className="icon" aria-hidden="true" />
          <span>{t("tests.holds")}</span>
        </p>
      ) : null}
      {result.failures.length ? (
        <section className="ed-tests-wrong" aria-label={t("tests.wrong")}>
          {result.failures.map((failure, at) => (
            <Failure key={at} failure={failure} result={result} />
          ))}
        </section>
      ) : null}
      {result.error ? <Ended result={result} /> : null}
      {result.state === "refused" || result.state === "running" ? null : <Told result={result} />}
    </div>
  );
}

const STATES: Record<TestResult["state"], StringKey> = {
  passed: "tests.state.passed",
  failed: "tests.state.failed",
  refused: "tests.state.refused",
  running: "tests.state.running",
};

const WHAT: Record<TestFailure["what"], StringKey> = {
  run: "tests.what.run",
  state: "tests.what.state",
  output: "tests.what.output",
  path: "tests.what.path",
  visits: "tests.what.visits",
  notVisited: "tests.what.notVisited",
  tools: "tests.what.tools",
  asked: "tests.what.asked",
  approvalBefore: "tests.what.approvalBefore",
  fails: "tests.what.fails",
  views: "tests.what.views",
  file: "tests.what.file",
};

function Failure({ failure, result }: { failure: TestFailure; result: TestResult }): ReactElement {
  const canEdit = useEditor((state) => state.canEdit);
  return (
    <article className="ed-tests-failure">
      <h4>
        <span>{t(WHAT[failure.what])}</span>
        {failure.at ? <code>{failure.at}</code> : null}
      </h4>
      <p dir="auto">
        {failure.message} {failure.hint ? <span className="muted">{failure.hint}</span> : null}
      </p>
      {failure.compared ? (
        <div className="ed-tests-both">
          <Value words={t("tests.wanted")} value={failure.wanted} way={failure.what === "path"} />
          <Value words={t("tests.got")} value={failure.got} way={failure.what === "path"} />
        </div>
      ) : null}
      {canEdit && accepts(failure.what, failure.compared, failure.at) ? <Accept failure={failure} result={result} /> : null}
    </article>
  );
}

/** way: the value is the steps of a run. */
function Value({ words, value, way }: { words: string; value: Json; way: boolean }): ReactElement {
  const short = shortOf(value);
  if (way && Array.isArray(value) && value.length) {
    return (
      <div className="ed-tests-value">
        <p className="overline">{words}</p>
        <Path nodes={value.map(String)} />
      </div>
    );
  }
  return (
    <div className="ed-tests-value">
      <p className="overline">{words}</p>
      {short === null ? <Block text={longOf(value)} mono={typeof value !== "string"} /> : <p className={typeof value === "string" ? "" : "mono"}>{short}</p>}
    </div>
  );
}

/** Lets the test expect what came, and runs it again. */
function Accept({ failure, result }: { failure: TestFailure; result: TestResult }): ReactElement {
  const [busy, setBusy] = useState(false);
  const accept = async () => {
    setBusy(true);
    try {
      const file = await readFile(result.file);
      const next = accepting(file.text, result.test, failure.what, failure.at, failure.got);
      if (next === null) {
        editor.notify(t("tests.form.unreadable", { file: result.file }));
        return;
      }
      await saveFile(result.file, next, file.sha);
      editor.notify(t("tests.accepted", { name: result.test }), [], false);
      await readFiles();
      await start({ paths: [result.file], names: [result.test] });
    } catch (thrown) {
      editor.notify(asApiError(thrown).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" className="btn btn-small" title={t("tests.acceptHelp")} disabled={busy} aria-busy={busy || undefined} onClick={() => void accept()}>
      {t("tests.accept")}
    </button>
  );
}

function Ended({ result }: { result: TestResult }): ReactElement | null {
  const { error, failures } = result;
  // What a failure says already is not said twice.
  if (!error || failures.some((one) => one.message.includes(error.message))) return null;
  return (
    <p className={result.state === "passed" ? "notice" : "notice notice-bad"}>
      <span dir="auto">
        <strong>{t("tests.ended")}.</strong> {error.message}
      </span>
    </p>
  );
}

function Told({ result }: { result: TestResult }): ReactElement {
  const output = Object.entries(result.output).map(([name, value]) => ({ name, value, cut: false }));
  const values = Object.entries(result.values).map(([name, value]) => ({ name, value, cut: result.cut.includes(name) }));
  return (
    <>
      <Section title={t("tests.path")}>
        <Path nodes={result.path} />
      </Section>
      <Section title={t("tests.output")}>
        <Channels values={output} none={t("tests.outputNone")} />
      </Section>
      {result.prompts.length ? (
        <Section title={t("tests.prompts")} open={result.prompts.length === 1}>
          {result.prompts.map((prompt, at) => (
            <Prompt key={at} prompt={prompt} />
          ))}
        </Section>
      ) : null}
      {result.tools.length ? (
        <Section title={t("tests.tools")} open={result.tools.length === 1}>
          {result.tools.map((call, at) => (
            <Call key={at} call={call} />
          ))}
        </Section>
      ) : null}
      {result.asked.length ? (
        <Section title={t("tests.asked")}>
          {result.asked.map((one, at) => (
            <Question key={at} asked={one} />
          ))}
        </Section>
      ) : null}
      {result.events.length ? (
        <Section title={t("tests.events")} open={false}>
          <ol className="timeline ed-tests-events">
            {result.events.map((event, at) => (
              <Event key={at} event={event} />
            ))}
          </ol>
        </Section>
      ) : null}
      <Section title={t("tests.values")} open={false}>
        <Channels values={values} none={t("tests.outputNone")} />
      </Section>
    </>
  );
}

/** Chooses a step on the canvas and brings it in sight. */
function useShow(): (node: string) => void {
  const canvas = useReactFlow<CanvasNode, LineEdge>();
  return (node) => {
    const card = cardOf(store.getState().flow, node);
    if (card === null) return;
    editor.choose({ nodes: [card] });
    bringInSight(canvas, card);
  };
}

function Path({ nodes }: { nodes: string[] }): ReactElement {
  const show = useShow();
  const flow = useEditor((state) => state.flow);
  if (!nodes.length) return <p className="small muted">{t("tests.pathNone")}</p>;
  const known = nodeById(flow);
  return (
    <ol className="ed-tests-path">
      {nodes.map((node, at) => (
        <li key={at}>
          <button type="button" className="chip" title={t("tests.pathShow", { name: node })} disabled={!known.has(node.split("/")[0] ?? node)} onClick={() => show(node)}>
            {node}
          </button>
        </li>
      ))}
    </ol>
  );
}

function Prompt({ prompt }: { prompt: TestPrompt }): ReactElement {
  const { text, length } = prompt;
  return (
    <div className="ed-trace-part">
      <p className="overline">{prompt.visit > 1 ? t("tests.promptOf", { node: labelOf(prompt.node), n: prompt.visit }) : labelOf(prompt.node)}</p>
      <Block text={text} note={length > text.length ? t("tests.cut", { kept: count(text.length), all: count(length) }) : ""} />
      <p className="overline">{t("tests.reply")}</p>
      <Block text={prompt.reply} />
    </div>
  );
}

function Call({ call }: { call: TestCall }): ReactElement {
  return (
    <details className="ed-trace-call">
      <summary>
        <code className="clip grow">{call.name}</code>
        <span className={call.ok ? "badge badge-ok" : "badge badge-bad"}>{t(call.ok ? "tests.toolOk" : "tests.toolBad")}</span>
      </summary>
      {call.error ? <p className="error">{call.error}</p> : null}
      <p className="overline">{t("tests.toolArgs")}</p>
      <Block text={longOf(call.args)} mono />
    </details>
  );
}

function Question({ asked }: { asked: TestQuestion }): ReactElement {
  return (
    <div className="ed-trace-part">
      <p className="overline">{labelOf(asked.node)}</p>
      <p className="ed-trace-ask" dir="auto">
        {asked.words}
      </p>
      <p className="small soft" dir="auto">
        {asked.answer ? t("tests.askedAnswer", { answer: asked.answer }) : t("tests.askedNobody")}
      </p>
    </div>
  );
}

function Event({ event }: { event: TestEvent }): ReactElement {
  return (
    <li data-ok={event.ok}>
      <span dir="auto">{event.words}</span> {event.ms === null ? null : <span className="num muted">{duration(event.ms)}</span>}
    </li>
  );
}
