/** @jsxImportSource react */
import { ArrowLeft, Pencil, StepForward } from "lucide-react";
import { useEffect, useState, type ReactElement } from "react";
import type { ModelAsked, PersonAsked, SingleRun, StepDetail, ToolAsked, Trace, TraceFault, TraceStep } from "../../generated/runs";
import { asApiError, get } from "../../shared/api";
import { t } from "../../shared/strings";
import { duration } from "../../shared/time";
import { KindIcon } from "../canvas/KindIcon";
import { hueOf, kindOf } from "../canvas/kinds";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import { Anew, canBegin } from "./Anew";
import { Mark, STATES, Usage } from "./Marks";
import { Block, Channels, longOf, Said, Section } from "./Values";
import { visitOf } from "./view";

interface Read {
  detail: StepDetail | null;
  failed: string;
}

/** One step of a run as it is kept; read again when the step's state is another one. */
function useDetail(run: string, address: string, state: string): Read {
  const [read, setRead] = useState<Read & { of: string }>({ detail: null, failed: "", of: "" });
  const of = `${run} ${address}`;
  useEffect(() => {
    const stop = new AbortController();
    get<StepDetail>(`/api/runs/${run}/steps/${encodeURIComponent(address)}`, stop.signal)
      .then((detail) => setRead({ detail, failed: "", of }))
      .catch((thrown: unknown) => {
        if (!stop.signal.aborted) setRead({ detail: null, failed: asApiError(thrown).message, of });
      });
    return () => stop.abort();
  }, [run, address, state, of]);
  return read.of === of ? read : { detail: null, failed: "" };
}

export interface DetailProps {
  trace: Trace;
  address: string;
  /** Opens another visit of the same step. */
  onOpen: (address: string) => void;
  onBack?: () => void;
  /** Shows the run that somebody begins anew at this step; without it none can be. */
  onBegun?: (begun: SingleRun) => void;
}

/** What one step read, wrote, asked and called. */
export function Detail({ trace, address, onOpen, onBack, onBegun }: DetailProps): ReactElement {
  const step = trace.steps.find((one) => one.address === address);
  const { detail, failed } = useDetail(trace.run, address, `${step?.state ?? ""}${step?.attempts ?? 0}`);
  return (
    <div className="ed-trace" data-address={address}>
      {onBack ? (
        <button type="button" className="btn btn-ghost btn-small ed-trace-back" onClick={onBack}>
          <ArrowLeft size={14} className="icon-flip" />
          {t("trace.back")}
        </button>
      ) : null}
      {step ? <Head step={step} trace={trace} onOpen={onOpen} onBegun={onBegun} /> : null}
      {failed ? <p className="notice notice-bad">{failed}</p> : null}
      {detail ? <Parts detail={detail} /> : failed ? null : <Waiting />}
    </div>
  );
}

function Waiting(): ReactElement {
  return (
    <div className="ed-trace-wait" aria-busy="true" aria-label={t("shared.loading")}>
      <span className="skeleton skeleton-line" />
      <span className="skeleton skeleton-block" />
      <span className="skeleton skeleton-line" />
    </div>
  );
}

type HeadProps = Pick<DetailProps, "trace" | "onOpen" | "onBegun"> & { step: TraceStep };

function Head({ step, trace, onOpen, onBegun }: HeadProps): ReactElement {
  const [anew, setAnew] = useState(false);
  const kind = kindOf(useEditor((state) => state.language), step.kind);
  const canEdit = useEditor((state) => state.canEdit);
  const visits = trace.steps.filter((one) => one.node === step.node);
  return (
    <header className="ed-trace-top">
      <KindIcon icon={kind?.icon ?? ""} hue={hueOf(kind)} title={kind?.title ?? step.kind} size={28} />
      <div className="grow">
        <h3 className="ed-trace-title">
          <bdi>{step.title}</bdi> <code>{step.node}</code>
        </h3>
        <p className="ed-trace-facts">
          <Mark state={step.state} />
          <span>{t(STATES[step.state])}</span>
          {step.ms !== null ? <span className="num">{duration(step.ms)}</span> : null}
          {step.attempts > 1 ? <span>{t("trace.attempts", { count: step.attempts })}</span> : null}
          <Usage of={step} />
        </p>
        {visits.length > 1 ? (
          <div className="ed-trace-visits" role="group" aria-label={t("trace.earlier")}>
            {visits.map((one) => (
              <button type="button" key={one.address} className="chip" aria-pressed={one.address === step.address} onClick={() => onOpen(one.address)}>
                {t("trace.visit", { n: visitOf(one.address) })}
              </button>
            ))}
          </div>
        ) : null}
      </div>
      {canEdit && onBegun && canBegin(step.address) ? (
        <button type="button" className="btn btn-ghost btn-icon btn-small" aria-label={t("trace.anew")} title={t("trace.anew")} onClick={() => setAnew(true)}>
          <StepForward size={14} className="icon-flip" />
        </button>
      ) : null}
      {anew && onBegun ? (
        <Anew
          run={trace.run}
          address={step.address}
          onClose={() => setAnew(false)}
          onBegun={(begun) => {
            setAnew(false);
            onBegun(begun);
          }}
        />
      ) : null}
      {canEdit ? (
        <button
          type="button"
          className="btn btn-ghost btn-icon btn-small"
          aria-label={t("trace.edit")}
          title={t("trace.edit")}
          onClick={() => {
            editor.select({ nodes: [step.node] });
            editor.openPane("panel");
          }}
        >
          <Pencil size={14} />
        </button>
      ) : null}
    </header>
  );
}

function Parts({ detail }: { detail: StepDetail }): ReactElement {
  const { step, read, written, models, calls, people, faults } = detail;
  const working = step.state === "running" || step.state === "waiting";
  return (
    <>
      {faults.map((fault, at) => (
        <Fault key={at} fault={fault} />
      ))}
      <Section title={t("trace.input")}>
        <Channels values={read} none={t("trace.inputNone")} />
      </Section>
      {people.map((asked) => (
        <Person key={asked.question} asked={asked} />
      ))}
      {models.map((asked) => (
        <Model key={asked.key} asked={asked} alone={models.length === 1} />
      ))}
      {calls.length ? (
        <Section title={t("trace.toolCalls")} side={t("trace.calls", { count: calls.length })}>
          {calls.map((call) => (
            <Call key={call.key} call={call} open={calls.length === 1} />
          ))}
          <p className="help">{t("trace.secretsMasked")}</p>
        </Section>
      ) : null}
      <Section title={t("trace.output")}>
        <Channels values={written} none={working ? t("trace.outputNotYet") : t("trace.outputNone")} />
      </Section>
      {step.route ? (
        <Section title={t("trace.route")}>
          <p className="ed-trace-route">
            <span className="badge badge-round">{step.route.route}</span> <span aria-hidden="true">→</span> <code>{step.route.goto}</code>
          </p>
          {step.route.limited ? <p className="help">{t("trace.routeLimited")}</p> : null}
        </Section>
      ) : null}
    </>
  );
}

function Fault({ fault }: { fault: TraceFault }): ReactElement {
  const after = {
    retry: t("trace.faultRetry"),
    onError: t("trace.faultOnError", { node: fault.goto ?? "" }),
    skip: t("trace.faultSkip"),
    end: t("trace.faultEnd"),
  };
  return (
    <div className={fault.next === "retry" || fault.next === "skip" ? "notice notice-warn" : "notice notice-bad"}>
      <span>
        <bdi>{fault.message}</bdi> <span className="soft">{after[fault.next]}</span>
      </span>
    </div>
  );
}

const ROLES = { system: "trace.role.system", user: "trace.role.user", assistant: "trace.role.assistant", tool: "trace.role.tool" } as const;
const isRole = (role: string): role is keyof typeof ROLES => role in ROLES;

function Model({ asked, alone }: { asked: ModelAsked; alone: boolean }): ReactElement {
  const title = alone ? t("trace.prompt") : `${t("trace.prompt")} · ${t("trace.attempt", { n: asked.attempt })}`;
  return (
    <Section
      title={title}
      open={alone || asked.state !== "failed"}
      side={
        <>
          {asked.demo ? <span className="badge badge-warn">{t("trace.demo")}</span> : null}
          <bdi className="clip">{asked.demo || !asked.model ? asked.entry : asked.model}</bdi>
        </>
      }
    >
      {asked.messages.map((message, at) => (
        <div key={at} className="ed-trace-part">
          {asked.messages.length > 1 ? <p className="overline">{isRole(message.role) ? t(ROLES[message.role]) : message.role}</p> : null}
          <Said of={message.content} />
        </div>
      ))}
      <div className="ed-trace-part">
        <p className="overline">{t("trace.reply")}</p>
        {asked.reply.text ? <Said of={asked.reply} /> : asked.error ? <p className="error">{asked.error}</p> : <p className="small muted">{t("trace.replyNone")}</p>}
      </div>
      <p className="ed-trace-facts">
        {asked.ms !== null ? <span className="num">{duration(asked.ms)}</span> : null}
        {asked.firstTokenMs !== null ? <span className="num">{t("trace.firstToken", { time: duration(asked.firstTokenMs) })}</span> : null}
        <Usage of={asked} />
      </p>
    </Section>
  );
}

const EFFECTS = { read: "trace.effect.read", idempotent: "trace.effect.idempotent", write: "trace.effect.write" } as const;
const CALLS = {
  started: "trace.call.started",
  done: "trace.call.done",
  failed: "trace.call.failed",
  unknown: "trace.call.unknown",
  settled: "trace.call.settled",
} as const;

function Call({ call, open }: { call: ToolAsked; open: boolean }): ReactElement {
  const bad = call.state === "failed" || call.state === "unknown" || (call.status ?? 0) >= 400;
  return (
    <details className="ed-trace-call" open={open}>
      <summary>
        <span className="badge">{call.method}</span>
        <code className="clip grow">{call.target}</code>
        {call.status !== null ? <span className={bad ? "badge badge-bad num" : "badge badge-ok num"}>{call.status}</span> : <span className={bad ? "badge badge-bad" : "badge"}>{t(CALLS[call.state])}</span>}
      </summary>
      <p className="ed-trace-facts">
        <code>{call.unit}</code>
        <span>{t(EFFECTS[call.effect])}</span>
        {call.status !== null ? <span>{t(CALLS[call.state])}</span> : null}
        {call.ms !== null ? <span className="num">{duration(call.ms)}</span> : null}
      </p>
      {call.error ? <p className="error">{call.error}</p> : null}
      <p className="overline">{t("trace.request")}</p>
      {call.request.text ? <Said of={call.request} mono /> : <p className="small muted">{t("trace.requestNone")}</p>}
      {call.response ? (
        <>
          <p className="overline">{t("trace.response")}</p>
          <Said of={call.response} mono />
        </>
      ) : null}
    </details>
  );
}

const ASKED = {
  pending: "trace.asked.pending",
  answered: "trace.asked.answered",
  approved: "trace.asked.approved",
  declined: "trace.asked.declined",
  closed: "trace.asked.closed",
  expired: "trace.asked.expired",
  withdrawn: "trace.asked.withdrawn",
} as const;
const isAsked = (state: string): state is keyof typeof ASKED => state in ASKED;

function Person({ asked }: { asked: PersonAsked }): ReactElement {
  const state = isAsked(asked.state) ? t(ASKED[asked.state]) : asked.state;
  return (
    <Section title={t("trace.people")} side={asked.by ? t("trace.askedBy", { state, name: asked.by }) : state}>
      <p className="ed-trace-ask" dir="auto">
        {asked.ask}
      </p>
      {asked.reason ? (
        <p className="small soft" dir="auto">
          {asked.reason}
        </p>
      ) : null}
      {asked.answer !== null ? <Block text={longOf(asked.answer)} mono={typeof asked.answer !== "string"} /> : null}
    </Section>
  );
}
