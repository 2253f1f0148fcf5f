import { Clock } from "lucide";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { InboxRow, InboxTab } from "../generated/wire";
import { Icon } from "../shared/Icon";
import { t, type StringKey } from "../shared/strings";
import { ago, moment, span } from "../shared/time";

/** Nearer than this, the list says when a question expires. */
const SOON = 60 * 60_000;

const STATES: Record<InboxRow["state"], StringKey> = {
  pending: "inbox.state.pending",
  answered: "inbox.state.answered",
  approved: "inbox.state.approved",
  declined: "inbox.state.declined",
  closed: "inbox.state.closed",
  expired: "inbox.state.expired",
  withdrawn: "inbox.state.withdrawn",
};

function Tag({ row }: { row: InboxRow }): JSX.Element | null {
  if (row.state !== "pending") {
    const tone = row.state === "approved" || row.state === "answered" ? "badge badge-ok" : row.state === "declined" ? "badge badge-bad" : "badge";
    return <span class={tone}>{t(STATES[row.state])}</span>;
  }
  const left = row.expiresAt ? Date.parse(row.expiresAt) - Date.now() : Infinity;
  if (left < SOON)
    return (
      <span class="badge badge-warn">
        <Icon of={Clock} size={11} />
        {left > 0 ? t("inbox.expiresIn", { span: span(left) }) : t("inbox.state.expired")}
      </span>
    );
  if (row.kind === "outcome") return <span class="badge badge-bad">{t("inbox.unknown")}</span>;
  if (row.kind === "form") return <span class="badge">{t("inbox.form")}</span>;
  return row.kind === "ask" ? <span class="badge">{t("inbox.ask")}</span> : null;
}

export interface ListProps {
  rows: readonly InboxRow[];
  chosen: string | null;
  tab: InboxTab;
  onChoose: (question: string) => void;
}

/** The questions of a tab, newest need first. */
export function List({ rows, chosen, tab, onChoose }: ListProps): JSX.Element {
  const box = useRef<HTMLUListElement>(null);
  useEffect(() => {
    box.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <ul class="inbox-rows" ref={box} aria-label={t("inbox.list")}>
      {rows.map((row) => {
        const at = tab === "decided" && row.decidedAt ? row.decidedAt : row.askedAt;
        const words = [row.agent, row.summary, tab === "decided" ? row.decidedBy : row.by].filter(Boolean);
        return (
          <li key={row.question}>
            <button type="button" class="inbox-row" aria-current={row.question === chosen ? "true" : undefined} onClick={() => onChoose(row.question)}>
              <b class="clip-2">
                <bdi>{row.title}</bdi>
              </b>
              <Tag row={row} />
              <small class="clip">
                {words.map((word, index) => (
                  <span key={index}>
                    {index ? " · " : ""}
                    <bdi>{word}</bdi>
                  </span>
                ))}
              </small>
              <time dateTime={at} title={moment(at)}>
                <bdi>{ago(at)}</bdi>
              </time>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
