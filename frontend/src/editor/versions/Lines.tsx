/** @jsxImportSource react */
import { useState, type ReactElement } from "react";
import type { ChangeLine } from "../../generated/edits";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";
import { nodesOf } from "../store/document";
import { useEditor } from "../store/state";

/** What changed, one line a thing; a line about a step that the draft has shows it on the canvas. */
export function Lines({ lines, shows = true, most = Infinity }: { lines: ChangeLine[]; shows?: boolean; most?: number }): ReactElement {
  const [all, setAll] = useState(false);
  const flow = useEditor((state) => state.flow);
  const known = new Set(nodesOf(flow).map((node) => node.id));
  // One more line takes no more room than the words that there is one.
  const shown = all || lines.length <= most + 1 ? lines : lines.slice(0, most);
  return (
    <ul className="ed-lines">
      {shown.map((line, at) => {
        const node = line.node && known.has(line.node) ? line.node : null;
        return (
          <li key={at} className="ed-line" data-sign={line.sign}>
            <span className="ed-line-sign" aria-hidden="true">
              {line.sign === "-" ? "−" : line.sign}
            </span>
            {shows && node !== null ? (
              <button type="button" className="ed-line-text" title={t("versions.show", { name: node })} onClick={() => editor.select({ nodes: [node] })}>
                {line.words}
              </button>
            ) : (
              <span className="ed-line-text">{line.words}</span>
            )}
          </li>
        );
      })}
      {shown.length < lines.length ? (
        <li>
          <button type="button" className="link ed-lines-more" onClick={() => setAll(true)}>
            {t("versions.showAll", { count: lines.length - shown.length })}
          </button>
        </li>
      ) : null}
    </ul>
  );
}
