/** @jsxImportSource react */
import { Check, CircleAlert, Square, X } from "lucide-react";
import { useEffect, useRef, type ReactElement } from "react";
import type { Ask } from "../../generated/asks";
import { t, type StringKey } from "../../shared/strings";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import { askStore, asking, counted } from "./asks";
import { Lines } from "./Lines";

const SAID: Partial<Record<Ask["state"], StringKey>> = {
  working: "ask.said_working",
  proposed: "ask.said_proposed",
  answered: "ask.said_answered",
};

/** What became of the ask: its steps while it works, then the proposal, the answer, or why there is none. */
export function Box({ ask, again }: { ask: Ask; again: (text: string) => void }): ReactElement {
  const key = SAID[ask.state];
  return (
    <div className="ed-ask-box" data-state={ask.state}>
      <p className="sr" role="status">
        {key ? t(key, { changes: counted(ask.lines.length) }) : ask.note}
      </p>
      <p className="ed-ask-asked">
        <span title={ask.text}>{t("ask.you_asked", { text: ask.text })}</span>
        <Usage ask={ask} />
        {ask.demo ? (
          <span className="ed-ask-demo" title={t("ask.demo_long")}>
            {t("ask.demo")}
          </span>
        ) : null}
      </p>
      <Inside ask={ask} again={again} />
    </div>
  );
}

/** What it cost: tokens, and money where the model has a price. */
function Usage({ ask }: { ask: Ask }): ReactElement | null {
  const { inputTokens: input, outputTokens: output, cost } = ask;
  if (input === null || output === null || input + output === 0) return null;
  const words = t("ask.usage", { count: (input + output).toLocaleString() });
  const money = cost === null || cost === 0 ? "" : ` · ${t("ask.cost", { cost: cost.toPrecision(2) })}`;
  return (
    <span title={t("ask.usage_long", { input: input.toLocaleString(), output: output.toLocaleString(), model: ask.model })}>
      {words}
      {money}
    </span>
  );
}

function Inside({ ask, again }: { ask: Ask; again: (text: string) => void }): ReactElement {
  switch (ask.state) {
    case "working":
      return <Working ask={ask} />;
    case "proposed":
      return <Proposal ask={ask} />;
    case "accepted":
      return <Accepted ask={ask} />;
    case "answered":
      return <Words ask={ask} />;
    case "dropped":
    case "stopped":
    case "failed":
      return <Nothing ask={ask} again={again} />;
  }
}

function Working({ ask }: { ask: Ask }): ReactElement {
  const busy = askStore((state) => state.busy);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [ask.steps.length]);
  return (
    <>
      <ul ref={list} className="ed-ask-steps" aria-label={t("ask.steps")} tabIndex={ask.steps.length > 5 ? 0 : undefined}>
        {ask.steps.map((step, index) => (
          <li key={index} data-ok={step.ok} data-said={step.tool === ""}>
            {step.tool === "" ? null : step.ok ? <Check size={13} aria-hidden="true" /> : <CircleAlert size={13} aria-hidden="true" />}
            <span>{step.words}</span>
          </li>
        ))}
        <li className="ed-ask-now">
          <span className="ed-ask-pulse" aria-hidden="true" />
          <span>{ask.began ? t("ask.thinks") : t("ask.waits")}</span>
        </li>
      </ul>
      <div className="ed-ask-acts">
        <button type="button" className="btn" disabled={busy} onClick={() => void asking.stop()}>
          <Square size={12} aria-hidden="true" /> {t("ask.stop")}
        </button>
      </div>
    </>
  );
}

function Proposal({ ask }: { ask: Ask }): ReactElement {
  const busy = askStore((state) => state.busy);
  return (
    <>
      <p className="ed-ask-reply">
        {ask.reply ? `${ask.reply} ` : ""}
        <strong>{counted(ask.lines.length)}</strong>, {ask.newErrors.length ? t("ask.with_errors") : t("ask.checked")}
      </p>
      <Note ask={ask} />
      {ask.newErrors.length ? (
        <ul className="ed-ask-errors">
          {ask.newErrors.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      ) : null}
      {ask.fits ? <Lines lines={ask.lines} /> : <p className="ed-ask-note">{t("ask.unfit")}</p>}
      <div className="ed-ask-acts">
        <Refused ask={ask} />
        <button type="button" className="btn btn-ghost" disabled={busy} onClick={() => void asking.drop()}>
          {t("ask.drop")}
        </button>
        <button type="button" className="btn btn-primary" disabled={busy || !ask.fits} onClick={() => void asking.accept()}>
          {t("ask.accept")}
        </button>
      </div>
    </>
  );
}

function Accepted({ ask }: { ask: Ask }): ReactElement {
  const revision = useEditor((state) => state.revision);
  const undo = useEditor((state) => state.undo);
  // Once somebody edits further, undo would take back something else.
  const last = undo !== null && revision === ask.acceptedRevision;
  return (
    <>
      {ask.reply ? <p className="ed-ask-reply">{ask.reply}</p> : null}
      <div className="ed-ask-acts">
        <p className="ed-ask-done">
          <Check size={14} aria-hidden="true" /> {t("ask.accepted", { changes: counted(ask.count) })}
        </p>
        {last ? (
          <button type="button" className="btn" onClick={() => void editor.undo().then((good) => good && asking.close())}>
            {t("ask.undo")}
          </button>
        ) : null}
        <Close />
      </div>
    </>
  );
}

function Words({ ask }: { ask: Ask }): ReactElement {
  return (
    <>
      <p className="ed-ask-reply">{ask.reply || t("ask.no_reply")}</p>
      <div className="ed-ask-acts">
        <p className="ed-ask-note">{ask.note}</p>
        <Close />
      </div>
      <Refused ask={ask} />
    </>
  );
}

function Nothing({ ask, again }: { ask: Ask; again: (text: string) => void }): ReactElement {
  const words = ask.state === "dropped" ? t("ask.dropped") : ask.note || t("ask.failed");
  return (
    <>
      <div className="ed-ask-acts">
        <p className="ed-ask-note" data-bad={ask.state === "failed"}>
          {words}
        </p>
        {ask.state === "dropped" ? null : (
          <button type="button" className="btn" onClick={() => again(ask.text)}>
            {t("ask.again")}
          </button>
        )}
        <Close />
      </div>
      <Refused ask={ask} />
    </>
  );
}

function Note({ ask }: { ask: Ask }): ReactElement | null {
  return ask.note ? <p className="ed-ask-note">{ask.note}</p> : null;
}

/** What the model tried and may not do; for whoever wonders why it took so long, or did less than was asked. */
function Refused({ ask }: { ask: Ask }): ReactElement | null {
  if (!ask.refused.length) return null;
  return (
    <details className="ed-ask-refused">
      <summary>{t("ask.refused", { count: ask.refused.length })}</summary>
      <ul>
        {ask.refused.map((each, index) => (
          <li key={index}>
            <code>{each.tool}</code> {each.message}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Close(): ReactElement {
  return (
    <button type="button" className="btn btn-ghost ed-ask-close" aria-label={t("ask.close")} title={t("ask.close")} onClick={asking.close}>
      <X size={14} aria-hidden="true" />
    </button>
  );
}
