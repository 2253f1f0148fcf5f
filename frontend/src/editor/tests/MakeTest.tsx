/** @jsxImportSource react */
import { FlaskConical } from "lucide-react";
import { useState, type ReactElement } from "react";
import type { RunTest } from "../../generated/tests";
import { asApiError, post } from "../../shared/api";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import { handOver } from "./TestsPane";

/** Writes a test of what a run did, and shows it in the Tests pane before it is kept. */
export function MakeTest({ run }: { run: string }): ReactElement | null {
  const canEdit = useEditor((state) => state.canEdit);
  const [busy, setBusy] = useState(false);
  if (!canEdit) return null;
  const make = async () => {
    setBusy(true);
    try {
      handOver(await post<RunTest>(`/api/runs/${run}/test`));
    } catch (thrown) {
      editor.notify(asApiError(thrown).message);
      setBusy(false);
    }
  };
  return (
    <button type="button" className="btn btn-small" disabled={busy} aria-busy={busy || undefined} onClick={() => void make()}>
      <FlaskConical size={14} aria-hidden="true" />
      {t(busy ? "tests.makeBusy" : "tests.make")}
    </button>
  );
}
