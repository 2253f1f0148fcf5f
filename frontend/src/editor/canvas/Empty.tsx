/** @jsxImportSource react */
import { useReactFlow } from "@xyflow/react";
import type { ReactElement } from "react";
import { t } from "../../shared/strings";
import { store, useEditor } from "../store/state";
import { addStep } from "./acts";
import { KindIcon } from "./KindIcon";
import { hueOf } from "./kinds";
import type { CanvasNode, LineEdge } from "./graph";
import { showAll } from "./room";

/** What a canvas without steps says: what to do first, and the first steps that are usual. */
export function Empty(): ReactElement {
  const language = useEditor((state) => state.language);
  const canEdit = useEditor((state) => state.canEdit);
  const flow = useReactFlow<CanvasNode, LineEdge>();
  const firsts = language?.kinds.filter((kind) => kind.offered).slice(0, 4) ?? [];
  const add = async (type: string) => {
    const kind = store.getState().language?.kinds.find((each) => each.type === type);
    if (!kind) return;
    await addStep({ kind, at: { x: 0, y: 0 } });
    requestAnimationFrame(() => showAll(flow, 220));
  };
  return (
    <div className="ed-empty">
      <h2 className="heading">{t("edit.empty.title")}</h2>
      <p className="lead">{t(canEdit ? "edit.empty.lead" : "edit.empty.looking")}</p>
      {canEdit ? (
        <div className="ed-empty-acts">
          {firsts.map((kind) => (
            <button key={kind.type} type="button" className="ed-empty-kind" onClick={() => void add(kind.type)}>
              <KindIcon icon={kind.icon} hue={hueOf(kind)} title={kind.title} />
              <span>
                <b>{kind.title}</b>
                <small>{kind.summary}</small>
              </span>
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
