/** @jsxImportSource react */
import { useReactFlow } from "@xyflow/react";
import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useRef, type KeyboardEvent, type ReactElement } from "react";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import { finding, stepsWith } from "./found";
import { glide } from "./glide";
import { takeFocus } from "./useFocus";

/** Search over the flow: what fits is marked, Enter goes from one to the next. */
export function Find(): ReactElement {
  const flow = useEditor((state) => state.flow);
  const { words, found, at } = finding();
  const canvas = useReactFlow();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    box.current?.focus();
    box.current?.select();
    return () => {
      finding.setState({ words: "", found: [], at: 0 });
      takeFocus();
    };
  }, []);
  useEffect(() => {
    const ids = stepsWith(flow, words);
    if (ids.join() !== finding.getState().found.join()) finding.setState({ found: ids, at: 0 });
  }, [flow, words]);

  const show = (index: number) => {
    const id = found[(index + found.length) % Math.max(1, found.length)];
    if (!id) return;
    finding.setState({ at: (index + found.length) % found.length });
    editor.choose({ nodes: [id] });
    void canvas.fitView({ nodes: [{ id }], maxZoom: Math.max(0.8, canvas.getZoom()), minZoom: 0.8, duration: glide(180) });
  };
  const chosen = useEditor((state) => state.selection.nodes[0]);
  const here = chosen !== undefined && found[at] === chosen;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") editor.setFinding(false);
    else if (event.key === "Enter") show(here ? at + (event.shiftKey ? -1 : 1) : at);
    else return;
    event.preventDefault();
  };
  return (
    <div className="ed-find" role="search">
      <Search size={14} aria-hidden="true" />
      <input ref={box} type="search" aria-label={t("edit.find.label")} placeholder={t("edit.find.label")} value={words} onChange={(event) => finding.setState({ words: event.target.value })} onKeyDown={onKeyDown} />
      <span className="ed-find-count" role="status">
        {words ? (found.length ? t("edit.find.at", { at: at + 1, count: found.length }) : t("edit.find.none")) : ""}
      </span>
      <button type="button" className="ed-tool" aria-label={t("edit.find.before")} disabled={!found.length} onClick={() => show(at - 1)}>
        <ChevronUp size={15} aria-hidden="true" />
      </button>
      <button type="button" className="ed-tool" aria-label={t("edit.find.next")} disabled={!found.length} onClick={() => show(here ? at + 1 : at)}>
        <ChevronDown size={15} aria-hidden="true" />
      </button>
      <button type="button" className="ed-tool" aria-label={t("edit.find.close")} onClick={() => editor.setFinding(false)}>
        <X size={15} aria-hidden="true" />
      </button>
    </div>
  );
}
