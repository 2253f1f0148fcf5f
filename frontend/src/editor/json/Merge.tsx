/** @jsxImportSource react */
import { basicSetup } from "codemirror";
import { json } from "@codemirror/lang-json";
import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { CircleAlert } from "lucide-react";
import { useEffect, useRef, type ReactElement } from "react";
import { t } from "../../shared/strings";
import { look } from "../../code/look";
import type { TheirDraft } from "./draft";

export interface MergeProps {
  theirs: TheirDraft;
  mine: () => string;
  onSettle: (text: string) => void;
}

/** Both texts side by side, mine still open to be mended. Whatever is chosen, the other is one undo or one version away. */
export function Merge({ theirs, mine, onSettle }: MergeProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const merge = useRef<MergeView | null>(null);
  useEffect(() => {
    if (!host.current) return;
    const shared = (label: string) => [basicSetup, json(), look(label)];
    const view = new MergeView({
      parent: host.current,
      a: { doc: theirs.text, extensions: [shared(t("editor.theirs")), EditorState.readOnly.of(true)] },
      b: { doc: mine(), extensions: shared(t("editor.mine")) },
      revertControls: "a-to-b",
      collapseUnchanged: { margin: 3, minSize: 6 },
      gutter: true,
    });
    merge.current = view;
    return () => view.destroy();
  }, []);
  return (
    <div className="ed-merge" role="region" aria-label={t("editor.conflict")}>
      <div className="notice notice-warn ed-merge-words">
        <CircleAlert size={16} className="icon" aria-hidden="true" />
        <span className="grow">
          {theirs.by ? t("editor.conflictBy", { by: theirs.by }) : t("editor.conflictKept")} {t("editor.conflictHow")}
        </span>
        <span className="row row-wrap">
          <button type="button" className="btn btn-primary btn-small" onClick={() => onSettle(merge.current?.b.state.doc.toString() ?? mine())}>
            {t("editor.saveMine")}
          </button>
          <button type="button" className="btn btn-small" onClick={() => onSettle(theirs.text)}>
            {t("editor.takeTheirs")}
          </button>
        </span>
      </div>
      <div className="ed-merge-heads">
        <span>{t("editor.theirs")}</span>
        <span>{t("editor.mine")}</span>
      </div>
      <div className="ed-merge-both" ref={host} />
    </div>
  );
}
