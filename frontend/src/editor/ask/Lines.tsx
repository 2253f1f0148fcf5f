/** @jsxImportSource react */
import type { ReactElement } from "react";
import type { ChangeLine } from "../../generated/edits";
import type { Json } from "../../generated/frames";
import { t, type StringKey } from "../../shared/strings";
import { editor } from "../store/editor";
import { part } from "./part";

const SIGNS: Record<ChangeLine["sign"], { mark: string; words: StringKey }> = {
  "+": { mark: "+", words: "ask.added" },
  "~": { mark: "~", words: "ask.changed" },
  "-": { mark: "−", words: "ask.removed" },
};
/** Values up to so many characters stand in the line itself; of longer ones, a part of up to so many. */
const SHORT = 44;
const MOST = 240;

/** What the proposal changes, a line each, made of the operations that were applied. */
export function Lines({ lines }: { lines: readonly ChangeLine[] }): ReactElement {
  return (
    <ul className="ed-ask-lines" tabIndex={lines.length > 6 ? 0 : undefined} aria-label={t("ask.changes", { count: lines.length })}>
      {lines.map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </ul>
  );
}

function Line({ line }: { line: ChangeLine }): ReactElement {
  const { sign, node } = line;
  const hasValues = sign === "~" && (line.old !== undefined || line.new !== undefined);
  const long = hasValues && (written(line.old).length > SHORT || written(line.new).length > SHORT);
  return (
    <li data-sign={sign}>
      <i aria-hidden="true">{SIGNS[sign].mark}</i>
      <span className="sr">{t(SIGNS[sign].words)}: </span>
      <span className="ed-ask-line">
        {node && sign !== "-" ? (
          <button type="button" className="ed-ask-node" title={t("ask.show_node", { name: node })} onClick={() => editor.choose({ nodes: [node] })}>
            {line.words}
          </button>
        ) : (
          <span>{line.words}</span>
        )}
        {hasValues && !long ? <Values line={line} /> : null}
        {long ? <Long line={line} /> : null}
      </span>
    </li>
  );
}

function Values({ line }: { line: ChangeLine }): ReactElement {
  return (
    <span className="ed-ask-values">
      <del>{written(line.old)}</del> <span aria-hidden="true">→</span> <ins>{written(line.new)}</ins>
    </span>
  );
}

/** A long text: the part that differs, and on demand all of it, before and after. */
function Long({ line }: { line: ChangeLine }): ReactElement {
  const { before, old, now, after } = part(line.old === undefined ? "" : written(line.old), line.new === undefined ? "" : written(line.new));
  const short = old.length <= MOST && now.length <= MOST;
  return (
    <>
      {short ? (
        <span className="ed-ask-part">
          {before}
          {old.trim() ? <del>{old.trim()}</del> : null} {now.trim() ? <ins>{now.trim()}</ins> : null}
          {after}
        </span>
      ) : null}
      <details className="ed-ask-long">
        <summary>{t("ask.show")}</summary>
        <div>
          <b>{t("ask.before")}</b>
          <pre>{written(line.old)}</pre>
          <b>{t("ask.after")}</b>
          <pre>{written(line.new)}</pre>
        </div>
      </details>
    </>
  );
}

function written(value: Json | undefined): string {
  if (value === undefined || value === null) return "—";
  return typeof value === "string" ? value : JSON.stringify(value);
}
