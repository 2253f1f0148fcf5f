import type { JSX } from "preact";
import type { AnswerItem, Json } from "../generated/frames";
import type { ApiError } from "../shared/api";
import { CopyButton } from "../shared/CopyButton";
import { asFile } from "../shared/files";
import { Markdown } from "../shared/Markdown";
import { readWhole } from "../shared/shape";
import type { Stream } from "../shared/streams";
import { t } from "../shared/strings";
import { Value } from "../shared/Value";
import { ForkButton } from "./ForkButton";
import { useCalm } from "./useCalm";

const asMarkdown = { wrapText: (text: string) => <Markdown text={text} /> };

/** An output of the run: words as Markdown while they arrive, everything else by its shape. */
export function Answer({ item, stream, named, onFork }: { item: AnswerItem; stream: Stream | undefined; named: boolean; onFork?: () => Promise<ApiError | null> }): JSX.Element {
  const text = item.streaming ? (stream && stream.attempt >= item.attempt ? stream.text : "") : typeof item.value === "string" ? item.value : "";
  const { text: shown, busy } = useCalm(text, item.streaming);
  const inWords = item.streaming || (typeof item.value === "string" && readWhole(item.value) === undefined);
  return (
    <div class="msg agent" aria-busy={busy}>
      {named ? <p class="answer-label">{item.label}</p> : null}
      <div class={busy ? "bubble answer streaming" : "bubble answer"}>
        {inWords ? <Markdown text={shown} streaming={busy} /> : <Value value={item.value} how={asMarkdown} />}
        {item.streaming && !shown ? <span class="caret caret-alone" aria-hidden="true" /> : null}
      </div>
      {busy ? null : (
        <div class="answer-foot">
          {item.demo ? (
            <span class="demo-label" title={t("chat.demoHelp")}>
              {t("chat.demo")}
            </span>
          ) : null}
          {asFile(item.value) ? null : <CopyButton text={plainText(item.value)} label={t("chat.copyAnswer")} />}
          {onFork ? <ForkButton onFork={onFork} /> : null}
        </div>
      )}
    </div>
  );
}

export function plainText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
