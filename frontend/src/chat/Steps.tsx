import { Check, ChevronDown, CircleAlert, Hourglass, LoaderCircle } from "lucide";
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { StepLine, StepsItem } from "../generated/frames";
import { useMedia } from "../shared/hooks";
import { Icon } from "../shared/Icon";
import { t } from "../shared/strings";
import { duration } from "../shared/time";

const MARKS = { done: Check, failed: CircleAlert, waiting: Hourglass, running: LoaderCircle } as const;
const STATES = {
  done: "chat.stepDone",
  failed: "chat.stepFailed",
  waiting: "chat.stepWaiting",
  running: "chat.stepRunning",
} as const;

/** How many steps stand on the line; the ones before are counted. */
const ON_LINE = 3;
const ON_PHONE_LINE = 1;

function Mark({ step }: { step: StepLine }): JSX.Element {
  return (
    <span class={`step-mark step-${step.state}`}>
      <Icon of={MARKS[step.state]} size={13} label={t(STATES[step.state])} />
    </span>
  );
}

/** What the run did: one quiet line, all of it on demand. working: the run goes on, whether a step says so or not. */
export function Steps({ item, working }: { item: StepsItem; working: boolean }): JSX.Element | null {
  const [open, setOpen] = useState(false);
  const id = useId();
  const onLine = useMedia("(max-width: 640px)") ? ON_PHONE_LINE : ON_LINE;
  const hidden = Math.max(0, item.steps.length - onLine);
  if (!item.steps.length) return null;
  const busy = item.steps.some((step) => step.state === "running");
  return (
    <div class="steps-box">
      <button
        type="button"
        class="steps-line"
        aria-expanded={open}
        aria-controls={id}
        title={t(open ? "chat.stepsHide" : "chat.stepsShow")}
        onClick={() => setOpen(!open)}
      >
        {hidden ? <span class="steps-part">{t("chat.stepsMore", { n: hidden })}</span> : null}
        {item.steps.slice(-onLine).map((step) => (
          <span key={step.address} class={step.state === "running" ? "steps-part steps-now" : "steps-part"}>
            <Mark step={step} />
            <span class="steps-title" dir="auto">
              {step.title}
            </span>
          </span>
        ))}
        {working && !busy ? (
          <span class="steps-part steps-now">
            <span class="step-mark step-running">
              <Icon of={LoaderCircle} size={13} />
            </span>
            <span class="steps-title">{t("chat.working")}</span>
          </span>
        ) : null}
        {busy || working || !item.ms ? null : (
          <span class="steps-part">
            <bdi class="steps-time">{duration(item.ms)}</bdi>
          </span>
        )}
        <span class="steps-fold" data-open={open}>
          <Icon of={ChevronDown} size={13} />
        </span>
      </button>
      {open ? (
        <ol class="steps-list" id={id}>
          {item.steps.map((step) => (
            <li key={step.address}>
              <Mark step={step} />
              <span dir="auto">{step.title}</span>
              <code>{step.address}</code>
              <bdi class="steps-ms">{step.ms === null ? t(STATES[step.state]) : duration(step.ms)}</bdi>
            </li>
          ))}
        </ol>
      ) : null}
    </div>
  );
}
