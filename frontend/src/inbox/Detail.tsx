import { ArrowLeft, ExternalLink } from "lucide";
import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { Approval, type CardCommand } from "../chat/cards/Approval";
import { Form } from "../chat/cards/Form";
import { Outcome } from "../chat/cards/Outcome";
import { useDecision, type Decide } from "../chat/cards/useDecision";
import { Waiting } from "../chat/cards/Waiting";
import type { AskItem } from "../generated/frames";
import type { QuestionDetail } from "../generated/wire";
import { assertNever } from "../shared/assertNever";
import { keep, ofPerson, readKept, useTick } from "../shared/hooks";
import { Icon } from "../shared/Icon";
import { Markdown } from "../shared/Markdown";
import { t } from "../shared/strings";
import { ago, clock, moment } from "../shared/time";
import { Pairs } from "../shared/Value";
import { Verbatim } from "../shared/Words";

export interface DetailProps {
  detail: QuestionDetail;
  decide: Decide;
  command?: CardCommand;
  /** On a phone the list is behind the question. */
  onBack?: () => void;
}

/** One question: what will happen, the agent's account, and what the run did until it asked. */
export function Detail({ detail, decide, command, onBack }: DetailProps): JSX.Element {
  const { row } = detail;
  useTick(30_000);
  return (
    <article class="case">
      <header class="case-head">
        {onBack ? (
          <Back onBack={onBack} />
        ) : null}
        <h2 class="title" dir="auto">
          <Verbatim text={"ask" in detail.card ? detail.card.ask : row.title} />
        </h2>
        <p class="case-sub">
          <bdi>{row.agent}</bdi>
          <span>
            {t("inbox.run")} <code>{detail.run.slice(0, 4)}</code>
          </span>
          <span>
            {t("inbox.step")} <code>{detail.node}</code>
          </span>
          <time dateTime={row.askedAt} title={moment(row.askedAt)}>
            {row.by ? t("inbox.askedBy", { ago: ago(row.askedAt), by: row.by }) : t("inbox.askedAgo", { ago: ago(row.askedAt) })}
          </time>
        </p>
      </header>
      <div class="case-grid">
        <div class="case-main">
          <Card detail={detail} decide={decide} command={command} />
        </div>
        <aside class="case-side">
          {detail.soFar.length ? (
            <section class="card">
              <h3 class="overline case-title">{t("inbox.soFar")}</h3>
              <ol class="timeline case-far">
                {detail.soFar.map((fact, at) => (
                  <li key={at} aria-current={at === detail.soFar.length - 1 ? "step" : undefined}>
                    <time dateTime={fact.at} title={moment(fact.at)}>
                      {clock(fact.at)}
                    </time>{" "}
                    <span dir="auto">{fact.text}</span>
                  </li>
                ))}
              </ol>
            </section>
          ) : null}
          {detail.conversation ? (
            <a class="btn case-open" href={`/a/${detail.slug}?c=${detail.conversation}`}>
              <Icon of={ExternalLink} />
              {t("inbox.openChat")}
            </a>
          ) : null}
        </aside>
      </div>
    </article>
  );
}

export function Back({ onBack }: { onBack: () => void }): JSX.Element {
  return (
    <button type="button" class="btn btn-ghost btn-small case-back" onClick={onBack}>
      <Icon of={ArrowLeft} flip />
      {t("inbox.back")}
    </button>
  );
}

function Card({ detail, decide, command }: { detail: QuestionDetail; decide: Decide; command?: CardCommand }): JSX.Element | null {
  const { card } = detail;
  switch (card.type) {
    case "approval":
      return <Approval key={card.digest} item={card} decide={decide} variant="page" command={command} />;
    case "outcome":
      return <Outcome key={card.digest} item={card} decide={decide} variant="page" />;
    case "form":
      return <Form key={card.digest} item={card} decide={decide} variant="page" />;
    case "waiting":
      return <Waiting key={card.digest} item={card} decide={decide} variant="page" />;
    case "ask":
      return <AskCard key={card.digest} item={card} decide={decide} />;
    default:
      return assertNever(card);
  }
}

/** A question in words, with its answer box. */
function AskCard({ item, decide }: { item: AskItem; decide: Decide }): JSX.Element {
  const deciding = useDecision(item.digest, decide);
  const keptAt = ofPerson(`answer ${item.question}`);
  const [text, setText] = useState(() => readKept<string>(keptAt) ?? "");
  const id = useId();
  const pending = item.state === "pending";
  useEffect(() => keep(keptAt, pending && text ? text : undefined), [text, pending]);
  const open = pending && !deciding.conflict;
  return (
    <form
      class="card case-ask"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) void deciding.run({ decision: "answer", text: text.trim() });
      }}
    >
      <Markdown text={item.text} />
      {item.show.length ? <Pairs pairs={item.show.map(({ label, value, channel }) => ({ label, value, key: channel }))} /> : null}
      {open ? (
        <div class="field">
          <label class="label" for={id}>
            {t("inbox.answerLabel")}
          </label>
          <textarea id={id} class="textarea" rows={3} dir="auto" value={text} maxLength={20_000} onInput={(event) => setText(event.currentTarget.value)} />
          {deciding.error ? <p class="error">{deciding.error.message}</p> : null}
          <div class="form-foot">
            <button type="submit" class="btn btn-primary" disabled={!text.trim() || deciding.busy !== null} aria-busy={deciding.busy === "answer"}>
              {t("inbox.answerSend")}
            </button>
          </div>
        </div>
      ) : (
        <p class="case-answer" dir="auto">
          {item.answer ?? deciding.error?.message ?? t("inbox.gone")}
        </p>
      )}
    </form>
  );
}
