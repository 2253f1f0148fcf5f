/** @jsxImportSource react */
import { Check, CircleAlert, CircleSlash, Hourglass, LoaderCircle } from "lucide-react";
import type { ReactElement } from "react";
import type { TraceStep } from "../../generated/runs";
import { t } from "../../shared/strings";
import { count, money } from "./view";

type StepState = TraceStep["state"];

const MARKS = { done: Check, failed: CircleAlert, waiting: Hourglass, running: LoaderCircle, declined: CircleSlash } as const;
export const STATES = {
  running: "trace.state.running",
  done: "trace.state.done",
  failed: "trace.state.failed",
  waiting: "trace.state.waiting",
  declined: "trace.state.declined",
} as const;

/** How a step stands: an icon, whose name screen readers hear. */
export function Mark({ state }: { state: StepState }): ReactElement {
  const Drawing = MARKS[state];
  return (
    <span className="ed-trace-mark" data-state={state} role="img" aria-label={t(STATES[state])} title={t(STATES[state])}>
      <Drawing size={14} />
    </span>
  );
}

interface Spent {
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
}

/** Tokens and money, where a model was asked. */
export function Usage({ of }: { of: Spent }): ReactElement | null {
  if (of.inputTokens === null && of.outputTokens === null && of.cost === null) return null;
  return (
    <span className="ed-trace-usage num" title={t("trace.tokensTitle")}>
      {of.inputTokens !== null || of.outputTokens !== null ? <span>{t("trace.tokens", { in: count(of.inputTokens ?? 0), out: count(of.outputTokens ?? 0) })}</span> : null}
      {of.cost !== null ? <span>{money(of.cost)}</span> : null}
    </span>
  );
}
