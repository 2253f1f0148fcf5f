import { Check, CircleHelp, RotateCw, SkipForward } from "lucide";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OutcomeItem } from "../../generated/frames";
import { Icon } from "../../shared/Icon";
import { Sealed } from "../../shared/Sealed";
import { t } from "../../shared/strings";
import { Verbatim } from "../../shared/Words";
import { Figures } from "./Figures";
import { useArmed, useDecision, type Decide } from "./useDecision";

export interface OutcomeProps {
  item: OutcomeItem;
  decide: Decide;
  variant?: "chat" | "page";
}

/** A write of which nobody knows whether it happened: a person looks, and says. */
export function Outcome(props: OutcomeProps): JSX.Element {
  return (
    <Sealed label={props.item.ask}>
      <OutcomeBody {...props} />
    </Sealed>
  );
}

const ICONS = { happened: Check, again: RotateCw, skip: SkipForward } as const;
const WORDS = { happened: "chat.happened", again: "chat.again", skip: "chat.skip" } as const;
const HELP = { happened: "chat.happenedHelp", again: "chat.againHelp", skip: "chat.skipHelp" } as const;
const DONE = { happened: "chat.outcomeDone.happened", again: "chat.outcomeDone.again", skip: "chat.outcomeDone.skip" } as const;

function OutcomeBody({ item, decide, variant = "chat" }: OutcomeProps): JSX.Element {
  const deciding = useDecision(item.digest, decide);
  const armed = useArmed(item.digest);
  const [sure, setSure] = useState(false);
  const open = item.state === "pending" && item.canDecide && !deciding.conflict;
  const choose = (decision: "happened" | "again" | "skip") => {
    if (!armed) return;
    if (decision === "again" && !sure) setSure(true);
    else void deciding.run({ decision });
  };
  return (
    <article class={`decision decision-${variant}`} data-state={item.state}>
      {variant === "chat" ? (
        <header class="question">
          <h3 dir="auto">
            <Verbatim text={item.ask} />
          </h3>
          <span class="by by-bad">{t("chat.outcomeBadge")}</span>
        </header>
      ) : null}
      <section class="part">
        {variant === "page" ? <h3 class="part-title">{t("chat.outcomeBadge")}</h3> : null}
        <p class="part-note">{t("chat.outcomeHelp")}</p>
      </section>
      {item.figures.length ? (
        <section class="part figures">
          <Figures figures={item.figures} />
        </section>
      ) : null}
      {open ? (
        <footer class="act">
          {deciding.error ? (
            <p class="card-error" role="alert">
              {deciding.error.message}
            </p>
          ) : null}
          {sure ? (
            <div class="act-row">
              <span class="sure-words">{t("chat.againSure")}</span>
              <button type="button" class="btn btn-danger" aria-busy={deciding.busy === "again"} disabled={deciding.busy !== null} onClick={() => choose("again")}>
                {t("chat.again")}
              </button>
              <button type="button" class="btn btn-ghost" onClick={() => setSure(false)}>
                {t("shared.cancel")}
              </button>
            </div>
          ) : (
            <div class="act-choices">
              {(["happened", "again", "skip"] as const).map((choice) => (
                <button
                  key={choice}
                  type="button"
                  class="btn act-choice"
                  disabled={!armed || deciding.busy !== null}
                  aria-busy={deciding.busy === choice}
                  onClick={() => choose(choice)}
                >
                  <Icon of={ICONS[choice]} />
                  <span>
                    <b>{t(WORDS[choice])}</b>
                    <small>{t(HELP[choice])}</small>
                  </span>
                </button>
              ))}
            </div>
          )}
        </footer>
      ) : (
        <footer class="act closed" role="status">
          <span class="verdict">
            <Icon of={item.answer ? ICONS[item.answer] : CircleHelp} size={14} />
            <bdi>
              {item.answer
                ? item.decidedBy
                  ? t("chat.outcomeBy", { what: t(DONE[item.answer]), name: item.decidedBy })
                  : t(DONE[item.answer])
                : item.state === "withdrawn"
                  ? t("chat.withdrawn")
                  : (deciding.error?.message ?? t("chat.checking"))}
            </bdi>
          </span>
        </footer>
      )}
    </article>
  );
}
