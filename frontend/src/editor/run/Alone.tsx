/** @jsxImportSource react */
import { ExternalLink, Play } from "lucide-react";
import { useEffect, useId, useState, type FormEvent, type ReactElement } from "react";
import type { Json } from "../../generated/frames";
import type { SingleAsk, SingleForm, SingleRun, StepDetail, Trace } from "../../generated/runs";
import { ApiError, asApiError, get, post } from "../../shared/api";
import { t } from "../../shared/strings";
import { useEditor } from "../store/state";
import { Detail } from "./Detail";
import { longOf, shortOf } from "./Values";

const OFTEN = 400;
const OVER = ["done", "failed", "cancelled", "lost", "waiting"];

type Part = { step: string } | { tool: string };

/** Runs one step, or one tool, by itself with values that somebody gives, and shows what it did. */
export function Alone({ part }: { part: Part }): ReactElement {
  const flow = useEditor((state) => state.id);
  const [asks, setAsks] = useState<SingleAsk[] | null>(null);
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const [words, setWords] = useState("");
  const [sending, setSending] = useState(false);
  const [begun, setBegun] = useState<SingleRun | null>(null);
  const [trace, setTrace] = useState<Trace | null>(null);
  const which = "step" in part ? `step=${encodeURIComponent(part.step)}` : `tool=${encodeURIComponent(part.tool)}`;
  const last = useLast("step" in part ? part.step : null);
  const revision = useEditor((state) => state.revision);
  useEffect(() => {
    const stop = new AbortController();
    get<SingleForm>(`/api/flows/${flow}/single?${which}`, stop.signal)
      .then((form) => {
        setAsks(form.asks);
        setWords("");
      })
      .catch((thrown: unknown) => {
        if (!stop.signal.aborted) setWords(asApiError(thrown).message);
      });
    return () => stop.abort();
  }, [flow, which, revision]);
  useEffect(() => {
    if (!begun) return;
    let over = false;
    const look = async () => {
      try {
        const found = await get<Trace>(`/api/runs/${begun.run}/steps`);
        if (over) return;
        setTrace(found);
        if (OVER.includes(found.status)) return;
      } catch (thrown) {
        if (!over) setWords(asApiError(thrown).message);
        return;
      }
      timer = setTimeout(() => void look(), OFTEN);
    };
    let timer = setTimeout(() => void look(), OFTEN / 4);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [begun]);

  const run = async (event: FormEvent) => {
    event.preventDefault();
    const values: Record<string, Json> = {};
    const bad: Record<string, string> = {};
    for (const ask of asks ?? []) {
      const said = typed[ask.name] ?? "";
      if (said.trim() === "") continue;
      const value = valueOf(ask.type, said);
      if (value === undefined) bad[ask.name] = t("trace.aloneNoJson");
      else values[ask.name] = value;
    }
    setWrong(bad);
    setWords("");
    if (Object.keys(bad).length || sending) return;
    setTrace(null);
    setSending(true);
    try {
      setBegun(await post<SingleRun>(`/api/flows/${flow}/single`, { ...part, values }));
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      setBegun(null);
      setWrong(thrown.fields);
      setWords(thrown.message);
    } finally {
      setSending(false);
    }
  };
  const works = sending || (begun !== null && (trace === null || !OVER.includes(trace.status)) && !words);
  const address = trace?.steps.at(-1)?.address;
  return (
    <div className="ed-alone">
      <p className="small muted">{t("tool" in part ? "trace.aloneLeadTool" : "trace.aloneLead")}</p>
      <form className="form" onSubmit={(event) => void run(event)}>
        {asks?.length === 0 ? <p className="small muted">{t("trace.aloneNothing")}</p> : null}
        {asks?.map((ask) => (
          <Given key={ask.name} ask={ask} typed={typed[ask.name] ?? ""} wrong={wrong[ask.name] ?? ""} onType={(said) => setTyped((now) => ({ ...now, [ask.name]: said }))} />
        ))}
        <div className="row row-wrap">
          <button className="btn btn-primary" disabled={!asks || works} aria-busy={works}>
            <Play size={14} aria-hidden="true" />
            {t(works ? "trace.aloneRunning" : "trace.aloneRun")}
          </button>
          {last && asks?.length ? (
            <button type="button" className="btn btn-ghost btn-small" onClick={() => setTyped((now) => ({ ...now, ...last }))}>
              {t("trace.aloneFill")}
            </button>
          ) : null}
        </div>
      </form>
      {words ? (
        <p className="notice notice-bad" role="alert">
          {words}
        </p>
      ) : null}
      {trace?.status === "waiting" && begun ? (
        <a className="btn" href={begun.url} target="_blank" rel="noreferrer">
          <ExternalLink size={14} aria-hidden="true" />
          {t("trace.aloneAnswer")}
        </a>
      ) : null}
      {trace?.error && address === undefined ? <p className="notice notice-bad">{trace.error}</p> : null}
      {trace && address !== undefined ? <Detail key={trace.run} trace={trace} address={address} onOpen={() => undefined} /> : null}
    </div>
  );
}

/** What the step read in the run that the canvas shows, as it would be typed; null where it did not run there. */
function useLast(step: string | null): Record<string, string> | null {
  const run = useEditor((state) => state.run);
  const [found, setFound] = useState<{ of: string; values: Record<string, string> } | null>(null);
  const address = step === null ? undefined : run?.steps[step]?.address;
  const of = run && address ? `${run.run} ${address}` : "";
  useEffect(() => {
    if (!run || !address) return;
    const stop = new AbortController();
    get<StepDetail>(`/api/runs/${run.run}/steps/${encodeURIComponent(address)}`, stop.signal)
      .then((detail) => {
        const whole = detail.read.filter((each) => !each.cut && each.value !== null);
        setFound({ of, values: Object.fromEntries(whole.map((each) => [each.name, longOf(each.value)])) });
      })
      .catch((thrown: unknown) => {
        if (!stop.signal.aborted) asApiError(thrown);
      });
    return () => stop.abort();
  }, [run, address, of]);
  return found && found.of === of && Object.keys(found.values).length ? found.values : null;
}

/** What was typed as a value of the type; undefined where it is none. What takes anything takes text as it is. */
export function valueOf(type: string, typed: string): Json | undefined {
  if (type === "string") return typed;
  try {
    const value: Json = JSON.parse(typed);
    return value;
  } catch {
    return type === "any" ? typed : undefined;
  }
}

interface GivenProps {
  ask: SingleAsk;
  typed: string;
  wrong: string;
  onType: (typed: string) => void;
}

function Given({ ask, typed, wrong, onType }: GivenProps): ReactElement {
  const id = useId();
  const starts = ask.default === null ? "" : t("trace.aloneDefault", { value: shortOf(ask.default) ?? longOf(ask.default).slice(0, 60) });
  const told = { "aria-invalid": wrong !== "", "aria-describedby": `${id}-help ${id}-wrong` };
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        <span className="mono">{ask.name}</span>
        <span className="label-note">{ask.type}</span>
      </label>
      {ask.type === "boolean" ? (
        <select id={id} className="select" value={typed} {...told} onChange={(event) => onType(event.target.value)}>
          <option value="">–</option>
          <option value="true">{t("trace.yes")}</option>
          <option value="false">{t("trace.no")}</option>
        </select>
      ) : (
        <textarea
          id={id}
          className={ask.type === "string" ? "textarea ed-alone-text" : "textarea ed-alone-text input-mono"}
          rows={1}
          dir="auto"
          value={typed}
          {...told}
          onChange={(event) => onType(event.target.value)}
        />
      )}
      <p className="help clip-2" id={`${id}-help`} dir="auto">
        {[ask.description, starts].filter(Boolean).join(" ")}
      </p>
      <p className="error" id={`${id}-wrong`} role="alert">
        {wrong}
      </p>
    </div>
  );
}
