import { CircleAlert, CircleStop, RotateCw } from "lucide";
import type { JSX } from "preact";
import type { EndItem } from "../../generated/frames";
import { Icon } from "../../shared/Icon";
import { t } from "../../shared/strings";

const TITLES = { failed: "chat.failed", cancelled: "chat.cancelled", lost: "chat.lost" } as const;

/** How a run ended when it did not end with its answer. */
export function End({ item, onAgain, busy }: { item: EndItem; onAgain: () => void; busy: boolean }): JSX.Element {
  if (item.state === "cancelled") {
    return (
      <p class="end-quiet">
        <Icon of={CircleStop} size={14} />
        {item.message || t("chat.cancelled")}
        {item.canRetry ? (
          <button type="button" class="link" disabled={busy} onClick={onAgain}>
            {t("chat.tryAgain")}
          </button>
        ) : null}
      </p>
    );
  }
  return (
    <div class="end-card">
      <Icon of={CircleAlert} size={18} />
      <div class="end-words">
        <b>{t(TITLES[item.state])}</b>
        <p dir="auto">{item.message}</p>
        {item.code ? <code class="end-code">{item.code}</code> : null}
      </div>
      {item.canRetry ? (
        <button type="button" class="btn" disabled={busy} onClick={onAgain}>
          <Icon of={RotateCw} />
          {t("chat.tryAgain")}
        </button>
      ) : null}
    </div>
  );
}
