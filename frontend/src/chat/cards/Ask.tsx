import { CornerDownRight } from "lucide";
import type { JSX } from "preact";
import type { AskItem } from "../../generated/frames";
import { Icon } from "../../shared/Icon";
import { Markdown } from "../../shared/Markdown";
import { t } from "../../shared/strings";
import { Pairs } from "../../shared/Value";

const asMarkdown = { wrapText: (text: string) => <Markdown text={text} /> };

/** A question in words. It is answered in the composer; the answer then stands under it. */
export function Ask({ item }: { item: AskItem }): JSX.Element {
  return (
    <div class="msg agent ask" data-state={item.state}>
      <div class="bubble question-text">
        <Markdown text={item.text} />
        {item.show.length ? (
          <div class="ask-shown">
            <Pairs pairs={item.show.map(({ label, value, channel }) => ({ label, value, key: channel }))} how={asMarkdown} />
          </div>
        ) : null}
      </div>
      {item.state === "pending" ? null : <p class="ask-state">{closedWords(item)}</p>}
      {item.answer !== null ? (
        <div class="msg user">
          <div class="bubble" dir="auto">
            {item.answer}
          </div>
        </div>
      ) : null}
    </div>
  );
}

function closedWords(item: AskItem): JSX.Element | null {
  if (item.state === "answered") return null;
  return (
    <>
      <Icon of={CornerDownRight} size={13} />
      {t(item.state === "expired" ? "chat.expired" : "chat.withdrawn")}
    </>
  );
}
