/** @jsxImportSource react */
import { Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import type { Problem } from "../store/wire";

/** Puts a problem right, where there is one obvious way and the person may edit. */
export function Fix({ problem }: { problem: Problem }): ReactNode {
  const canEdit = useEditor((state) => state.canEdit);
  const fix = problem.fix;
  if (!canEdit || !fix?.length) return null;
  return (
    <button type="button" className="btn btn-small ed-fix" aria-label={t("edit.fix.of", { message: problem.message })} onClick={() => void editor.edit("", fix)}>
      <Wrench size={12} aria-hidden="true" />
      {t("edit.fix")}
    </button>
  );
}
