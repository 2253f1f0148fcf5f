import { CornerUpLeft, RotateCw, X } from "lucide";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { MessageItem, Shown } from "../generated/frames";
import { Icon } from "../shared/Icon";
import { t } from "../shared/strings";
import { moment } from "../shared/time";
import { Pairs } from "../shared/Value";
import type { Outgoing } from "./unsent";

function Bubble({ text, values }: { text: string; values: readonly Shown[] }): JSX.Element {
  return (
    <div class="bubble">
      {text ? (
        <div class="bubble-text" dir="auto">
          {text}
        </div>
      ) : null}
      {values.length ? (
        <div class="bubble-values">
          <Pairs pairs={[...values]} />
        </div>
      ) : null}
    </div>
  );
}

export function Message({ item }: { item: MessageItem }): JSX.Element {
  return (
    <div class="msg user" title={item.at ? moment(item.at) : undefined}>
      <span class="sr">{item.by || t("chat.you")}:</span>
      <Bubble text={item.text} values={item.values} />
    </div>
  );
}

/** A message behind the turn that is not finished; it can be taken back until its turn comes. */
export function Queued({ item, onRemove }: { item: MessageItem; onRemove: () => Promise<unknown> }): JSX.Element {
  const [busy, setBusy] = useState(false);
  return (
    <div class="msg user queued">
      {item.canRemove ? (
        <button
          type="button"
          class="quiet-button queued-remove"
          disabled={busy}
          aria-label={t("chat.removeQueued")}
          title={t("chat.removeQueued")}
          onClick={async () => {
            setBusy(true);
            await onRemove();
            setBusy(false);
          }}
        >
          <Icon of={X} size={15} />
        </button>
      ) : null}
      <div class="queued-box">
        <Bubble text={item.text} values={item.values} />
        <span class="queued-note" title={t("chat.queuedHelp")}>
          {t("chat.queued")}
        </span>
      </div>
    </div>
  );
}

interface SendingProps {
  message: Outgoing;
  onAgain: () => void;
  /** Missing while the composer cannot take it. */
  onTakeBack?: () => void;
}

/** A message on its way. One that could not be sent stays, to be sent again or taken back into the box. */
export function Sending({ message, onAgain, onTakeBack }: SendingProps): JSX.Element {
  return (
    <div class={message.failed !== null ? "msg user unsent" : "msg user sending"}>
      <div class="queued-box">
        <Bubble text={message.text} values={message.values} />
        {message.failed !== null ? (
          <span class="unsent-note" role="alert">
            {t("chat.notSent", { message: message.failed }).trim()}
            <button type="button" class="link" onClick={onAgain}>
              <Icon of={RotateCw} size={13} />
              {t("chat.tryAgain")}
            </button>
            {onTakeBack ? (
              <button type="button" class="link" onClick={onTakeBack}>
                <Icon of={CornerUpLeft} size={13} flip />
                {t("chat.takeBack")}
              </button>
            ) : null}
          </span>
        ) : null}
      </div>
    </div>
  );
}
