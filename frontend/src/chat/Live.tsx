import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Item } from "../generated/frames";
import { t } from "../shared/strings";
import { plainText } from "./Answer";
import type { ChatStore } from "./store";

const LONGEST = 600;

function wordsFor(item: Item, before: Item | undefined): string | null {
  const short = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
  switch (item.type) {
    case "answer":
      return !item.streaming && (before?.type !== "answer" || before.streaming) ? t("chat.liveAnswer", { text: short(plainText(item.value)) }) : null;
    case "ask":
      return before ? null : t("chat.liveAsk", { text: short(item.text) });
    case "form":
      return before ? null : t("chat.liveForm", { text: item.title });
    case "approval":
      return before ? null : t("chat.liveApproval", { text: item.ask });
    case "outcome":
      return before ? null : t("chat.liveApproval", { text: item.ask });
    case "waiting":
      return before ? null : t("chat.liveWaiting", { who: item.forWhom });
    case "end":
      return before ? null : t("chat.liveEnd", { text: item.message });
    case "status":
      return item.state === "working" && (before?.type !== "status" || before.state !== "working") ? t("chat.liveWorking") : null;
    case "message":
    case "steps":
      return null;
  }
}

/** Says what happens to those who do not see it. What a page opens with is read by its reader, not said. */
export function Live({ store }: { store: ChatStore }): JSX.Element {
  const [words, setWords] = useState("");
  const before = useRef<{ conversation: string | null; items: ReadonlyMap<string, Item> } | null>(null);
  const { items, conversation } = store.state;
  useEffect(() => {
    const last = before.current;
    before.current = { conversation, items };
    if (!last || last.conversation !== conversation || last.items === items) return;
    const said: string[] = [];
    for (const [id, item] of items) {
      if (last.items.get(id) === item) continue;
      const sentence = wordsFor(item, last.items.get(id));
      if (sentence) said.push(sentence);
    }
    if (said.length) setWords(said.join(" "));
  }, [items, conversation]);
  return (
    <div class="sr" role="log" aria-live="polite" aria-atomic="true">
      {words}
    </div>
  );
}
