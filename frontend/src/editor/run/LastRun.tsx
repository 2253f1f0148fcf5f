/** @jsxImportSource react */
import { useEffect, useState, type ReactElement } from "react";
import type { Trace } from "../../generated/runs";
import { asApiError, get } from "../../shared/api";
import { t } from "../../shared/strings";
import { useEditor } from "../store/state";
import { Detail } from "./Detail";

/** What a step did in the run that the canvas shows: the same details as in the run pane, for the step's panel. */
export function LastRun({ node }: { node: string }): ReactElement | null {
  const run = useEditor((state) => state.run);
  const [trace, setTrace] = useState<Trace | null>(null);
  const [failed, setFailed] = useState("");
  const [visit, setVisit] = useState<string | null>(null);
  const step = run?.steps[node];
  useEffect(() => {
    if (!run) return;
    get<Trace>(`/api/runs/${run.run}/steps`)
      .then((found) => {
        setTrace(found);
        setFailed("");
      })
      .catch((thrown: unknown) => setFailed(asApiError(thrown).message));
  }, [run]);
  const address = visit !== null && trace?.steps.some((one) => one.address === visit && one.node === node) ? visit : (step?.address ?? null);
  if (failed) return <p className="notice notice-bad">{failed}</p>;
  if (!step || address === null) return <p className="small muted">{t("trace.noSteps")}</p>;
  return trace ? <Detail key={address} trace={trace} address={address} onOpen={setVisit} /> : null;
}
