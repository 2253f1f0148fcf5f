import { Check, CircleSlash, Hourglass } from "lucide";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WaitingItem } from "../../generated/frames";
import { Icon } from "../../shared/Icon";
import { Sealed } from "../../shared/Sealed";
import { t } from "../../shared/strings";
import { moment } from "../../shared/time";
import { Verbatim } from "../../shared/Words";
import { Expiry, useExpired } from "./Approval";
import { useDecision, type Decide } from "./useDecision";

export interface WaitingProps {
  item: WaitingItem;
  decide: Decide;
  inboxUrl?: string | null;
  /** A page of its own says the question above the card. */
  variant?: "chat" | "page";
}

/** What somebody else decides: that it waits, for whom, until when. No figures, no account, no deciding buttons. */
export function Waiting(props: WaitingProps): JSX.Element {
  return (
    <Sealed label={props.item.ask}>
      <WaitingBody {...props} />
    </Sealed>
  );
}

function verdict(item: WaitingItem): string {
  const name = item.decidedBy ?? "";
  if (item.state === "approved") return name ? t("chat.approvedBy", { name }) : t("chat.approved");
  if (item.state === "declined") return name ? t("chat.declinedBy", { name }) : t("chat.declined");
  if (item.state === "expired") return t("chat.expired");
  if (item.state === "withdrawn") return t("chat.withdrawn");
  return name ? t("chat.answeredBy", { name }) : t("chat.answered");
}

function WaitingBody({ item, decide, inboxUrl, variant = "chat" }: WaitingProps): JSX.Element {
  const deciding = useDecision(item.digest, decide);
  const [sure, setSure] = useState(false);
  const pending = item.state === "pending";
  const expired = useExpired(item.expiresAt, pending);
  return (
    <article class="decision decision-chat waiting" data-state={item.state}>
      {variant === "chat" ? (
        <header class="question">
          <h3 dir="auto">
            <Verbatim text={item.ask} />
          </h3>
          {pending ? (
            <span class="by by-quiet">
              <Icon of={Hourglass} size={12} />
              {t("chat.waits")}
            </span>
          ) : null}
        </header>
      ) : null}
      {pending ? (
        <footer class="act">
          {deciding.error ? (
            <p class="card-error" role="alert">
              {deciding.error.message}
            </p>
          ) : null}
          {sure ? (
            <div class="act-row">
              <span class="sure-words">{t("chat.withdrawSure")}</span>
              <button
                type="button"
                class="btn btn-danger"
                disabled={deciding.busy !== null}
                aria-busy={deciding.busy === "withdraw"}
                onClick={() => void deciding.run({ decision: "withdraw" })}
              >
                {t("chat.withdraw")}
              </button>
              <button type="button" class="btn btn-ghost" onClick={() => setSure(false)}>
                {t("chat.withdrawNo")}
              </button>
            </div>
          ) : (
            <div class="act-row">
              <span class="waits-words">
                <bdi>{t("chat.waitsFor", { who: item.forWhom })}</bdi>
                {item.expiresAt && !expired ? <small>{t("chat.waitsUntil", { moment: moment(item.expiresAt) })}</small> : null}
              </span>
              {inboxUrl ? (
                <a class="btn" href={inboxUrl}>
                  {t("chat.cardOpen")}
                </a>
              ) : null}
              {item.canWithdraw ? (
                <button type="button" class="btn" onClick={() => setSure(true)}>
                  {t("chat.withdraw")}
                </button>
              ) : null}
              {item.expiresAt ? (
                <span class="act-note">
                  <Expiry at={item.expiresAt} />
                </span>
              ) : null}
            </div>
          )}
        </footer>
      ) : (
        <footer class="act closed" role="status">
          <span class={`verdict verdict-${item.state}`}>
            <Icon of={item.state === "approved" || item.state === "answered" ? Check : CircleSlash} size={14} />
            <bdi>{verdict(item)}</bdi>
          </span>
          {item.reason ? (
            <q class="verdict-reason" dir="auto">
              <Verbatim text={item.reason} />
            </q>
          ) : null}
        </footer>
      )}
    </article>
  );
}
