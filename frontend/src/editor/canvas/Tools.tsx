/** @jsxImportSource react */
import { useReactFlow } from "@xyflow/react";
import { LayoutGrid, Maximize, Minus, Plus, Search, StickyNote, type LucideIcon } from "lucide-react";
import type { ReactElement } from "react";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";
import { addComment, arrange } from "./acts";
import type { CanvasNode, LineEdge } from "./graph";
import { HEIGHT } from "./places";
import { glide } from "./glide";
import { showAll } from "./room";

function Tool({ of: Drawing, words, act }: { of: LucideIcon; words: string; act: () => void }): ReactElement {
  return (
    <button type="button" className="ed-tool" aria-label={words} title={words} onClick={act}>
      <Drawing size={16} aria-hidden="true" />
    </button>
  );
}

/** What stands in the corner of the canvas: the view, order, comments. */
export function Tools({ editable }: { editable: boolean }): ReactElement {
  const flow = useReactFlow<CanvasNode, LineEdge>();
  const fit = () => showAll(flow, 220);
  const tidy = async () => {
    await arrange((id) => flow.getInternalNode(id)?.measured.height ?? HEIGHT);
    requestAnimationFrame(() => requestAnimationFrame(fit));
  };
  const note = () => {
    const box = document.querySelector(".ed-canvas")?.getBoundingClientRect();
    if (box) addComment(flow.screenToFlowPosition({ x: box.left + box.width / 2 - 110, y: box.top + box.height / 3 }));
  };
  return (
    <div className="ed-tools" role="group" aria-label={t("edit.tools.label")}>
      {editable ? (
        <div>
          <Tool of={StickyNote} words={t("edit.tools.comment")} act={note} />
          <Tool of={LayoutGrid} words={t("edit.tools.arrange")} act={() => void tidy()} />
        </div>
      ) : null}
      <div>
        <Tool of={Search} words={t("edit.tools.find")} act={() => editor.setFinding(true)} />
      </div>
      <div>
        <Tool of={Plus} words={t("edit.tools.in")} act={() => void flow.zoomIn({ duration: glide(120) })} />
        <Tool of={Minus} words={t("edit.tools.out")} act={() => void flow.zoomOut({ duration: glide(120) })} />
        <Tool of={Maximize} words={t("edit.tools.fit")} act={fit} />
      </div>
    </div>
  );
}
