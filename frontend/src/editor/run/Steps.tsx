/** @jsxImportSource react */
import { ListTree } from "lucide-react";
import type { ReactElement } from "react";
import type { Trace, TraceStep } from "../../generated/runs";
import { t } from "../../shared/strings";
import { duration } from "../../shared/time";
import { KindIcon } from "../canvas/KindIcon";
import { hueOf, kindOf } from "../canvas/kinds";
import { useEditor } from "../store/state";
import { MakeTest } from "../tests/MakeTest";
import { Mark, STATES, Usage } from "./Marks";
import { visitOf } from "./view";

const over = (trace: Trace): boolean => trace.status === "done" || trace.status === "failed";

/** The run step by step; a step opens its details. */
export function Steps({ trace, onOpen }: { trace: Trace | null; onOpen: (address: string) => void }): ReactElement {
  if (!trace?.steps.length) {
    return (
      <div className="ed-run-empty">
        <span className="glyph">
          <ListTree size={20} />
        </span>
        <p className="heading">{t("trace.noSteps")}</p>
        <p className="small muted">{t("trace.noStepsLead")}</p>
      </div>
    );
  }
  return (
    <div className="ed-run-steps">
      {trace.error ? (
        <div className="notice notice-bad" role="status">
          <span>
            <strong>{t("trace.error")}</strong> {trace.error}
          </span>
        </div>
      ) : null}
      {trace.unread ? <p className="notice notice-warn">{t("trace.unread", { count: trace.unread })}</p> : null}
      {trace.begins ? <p className="small soft ed-run-begins">{t("trace.anewBegun", { title: trace.begins.title })}</p> : null}
      <ol className="ed-run-list">
        {trace.steps.map((step) => (
          <Row key={step.address} step={step} onOpen={onOpen} />
        ))}
      </ol>
      {over(trace) ? (
        <div className="ed-run-make">
          <MakeTest run={trace.run} />
        </div>
      ) : null}
      <p className="ed-run-total">
        <span className="grow">{t("trace.total")}</span>
        <Usage of={trace} />
        <bdi className="num">{duration(trace.ms)}</bdi>
      </p>
    </div>
  );
}

function Row({ step, onOpen }: { step: TraceStep; onOpen: (address: string) => void }): ReactElement {
  const kind = kindOf(useEditor((state) => state.language), step.kind);
  const visit = visitOf(step.address);
  const more = [
    step.route ? t("trace.routeTo", { route: step.route.route, goto: step.route.goto }) : "",
    step.attempts > 1 ? t("trace.attempts", { count: step.attempts }) : "",
    step.calls ? t("trace.calls", { count: step.calls }) : "",
  ].filter(Boolean);
  return (
    <li>
      <button type="button" className="ed-run-row" data-address={step.address} onClick={() => onOpen(step.address)}>
        <KindIcon icon={kind?.icon ?? ""} hue={hueOf(kind)} title={kind?.title ?? step.kind} size={22} />
        <span className="ed-run-words">
          <span className="ed-run-name">
            <bdi>{step.title}</bdi>
            {visit > 1 ? <span className="badge">{t("trace.visit", { n: visit })}</span> : null}
          </span>
          <span className="ed-run-more">
            {more.length ? more.join(" · ") : <code>{step.node}</code>}
          </span>
        </span>
        <span className="ed-run-end">
          <span className="num">{step.ms === null ? t(STATES[step.state]) : duration(step.ms)}</span>
          <Usage of={{ ...step, inputTokens: null, outputTokens: null }} />
        </span>
        <Mark state={step.state} />
      </button>
    </li>
  );
}
