/** @jsxImportSource react */
import { Check, ChevronRight, Copy } from "lucide-react";
import { useEffect, useId, useState, type ReactElement, type ReactNode } from "react";
import type { Json } from "../../generated/frames";
import type { TraceText, TraceValue } from "../../generated/runs";
import { t } from "../../shared/strings";
import { count } from "./view";

const SHORT = 60;

/** A value as words where it is short; null where it needs a block of its own. */
export function shortOf(value: Json): string | null {
  if (value === null) return t("trace.nothing");
  if (value === true) return t("trace.yes");
  if (value === false) return t("trace.no");
  if (typeof value === "number") return String(value);
  if (typeof value === "string") {
    if (value === "") return t("trace.emptyText");
    return value.length <= SHORT && !value.includes("\n") ? value : null;
  }
  if (Array.isArray(value) ? !value.length : !Object.keys(value).length) return t("trace.emptyValue");
  const text = JSON.stringify(value);
  return text.length <= SHORT ? text : null;
}

export const longOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** Copies the text, and says so for a moment. */
export function Copying({ text }: { text: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  const words = copied ? t("shared.copied") : t("shared.copy");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <button type="button" className="ed-trace-copy" aria-label={words} title={words} onClick={copy}>
      {copied ? <Check size={13} /> : <Copy size={13} />}
    </button>
  );
}

/** A text of many lines in a box that scrolls by itself. */
export function Block({ text, mono = false, note = "" }: { text: string; mono?: boolean; note?: string }): ReactElement {
  return (
    <div className="ed-trace-block">
      <Copying text={text} />
      <pre className={mono ? "ed-trace-text ed-trace-mono" : "ed-trace-text"} dir="auto" tabIndex={0}>
        {text}
      </pre>
      {note ? <p className="help">{note}</p> : null}
    </div>
  );
}

/** A text of the trace, with a word where it is not whole. */
export function Said({ of, mono = false }: { of: TraceText; mono?: boolean }): ReactElement {
  return <Block text={of.text} mono={mono} note={of.cut ? t("trace.cutOf", { kept: count(of.text.length), all: count(of.cut) }) : ""} />;
}

/** Channels with their values. */
export function Channels({ values, none }: { values: TraceValue[]; none: string }): ReactElement {
  // What the engine keeps for itself is worth a line only where it says something.
  const shown = values.filter(({ name, value }) => !(name.startsWith("__") && value === null));
  if (!shown.length) return <p className="small muted">{none}</p>;
  return (
    <dl className="ed-trace-values">
      {shown.map(({ name, value, cut }) => {
        const short = cut ? null : shortOf(value);
        const quiet = value === null || value === "" || (typeof value === "object" && !Object.keys(value).length);
        return (
          <div key={name} className={short === null ? "ed-trace-value ed-trace-long" : "ed-trace-value"}>
            <dt className="mono">{name}</dt>
            <dd>
              {short !== null ? (
                <bdi className={quiet ? "muted" : typeof value === "string" ? "" : "mono"}>{short}</bdi>
              ) : (
                <Block text={longOf(value)} mono={typeof value !== "string"} note={cut ? t("trace.cut") : ""} />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** A part of the details that folds. */
export function Section({ title, side, open = true, children }: { title: string; side?: ReactNode; open?: boolean; children: ReactNode }): ReactElement {
  const [shown, setShown] = useState(open);
  const id = useId();
  return (
    <section className="ed-trace-section">
      <h4 className="ed-trace-head">
        <button type="button" aria-expanded={shown} aria-controls={id} onClick={() => setShown(!shown)}>
          <ChevronRight size={14} className="ed-trace-fold" aria-hidden="true" />
          <span>{title}</span>
        </button>
        {side ? <span className="ed-trace-side">{side}</span> : null}
      </h4>
      {shown ? (
        <div id={id} className="ed-trace-body">
          {children}
        </div>
      ) : null}
    </section>
  );
}
