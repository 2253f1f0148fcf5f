/** @jsxImportSource react */
import { CircleAlert, WandSparkles } from "lucide-react";
import { useState, type ReactElement } from "react";
import type { Barrier, Tried } from "../../generated/runs";
import { asApiError, post } from "../../shared/api";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";
import { store, useEditor } from "../store/state";

/** What stands between the draft and a run, each with what to do about it. */
export function Barriers({ tried, onDone }: { tried: Tried; onDone: () => Promise<void> }): ReactElement {
  return (
    <section className="ed-run-blocked" aria-labelledby="ed-run-blocked">
      <h3 className="ed-run-blocked-title" id="ed-run-blocked">
        <CircleAlert size={15} aria-hidden="true" />
        {t("trace.blockedTitle")}
      </h3>
      <ul>
        {tried.barriers.map((barrier, at) => (
          <li key={at}>
            <span className="grow" dir="auto">
              {barrier.message} {barrier.hint ? <span className="muted">{barrier.hint}</span> : null}
            </span>
            {barrier.path ? (
              <button type="button" className="btn btn-small" onClick={() => editor.jump(barrier.path)}>
                {t("trace.show")}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      <Barred barriers={tried.barriers} onDone={onDone} />
      {tried.empty ? null : <p className="small muted">{t("trace.blockedStill")}</p>}
    </section>
  );
}

function Barred({ barriers, onDone }: { barriers: Barrier[]; onDone: () => Promise<void> }): ReactElement | null {
  const missing = barriers.flatMap((one) => (one.unit ? [one.unit] : []));
  // Code is written from a flow that can be read; problems of the flow come first.
  return missing.length < barriers.length ? null : <WriteCode units={missing} onDone={onDone} />;
}

/** Writes whatever code the draft lacks. */
export function MissingCode({ onDone }: { onDone: () => Promise<void> }): ReactElement | null {
  const units = useEditor((state) => state.units);
  const missing = units.filter((unit) => unit.state === "missing" || unit.state === "refused").map((unit) => `${unit.kind}:${unit.name}`);
  return <WriteCode units={missing} onDone={onDone} />;
}

/** Writes the missing code with the model, one unit ("kind:name") after the other. */
function WriteCode({ units, onDone }: { units: string[]; onDone: () => Promise<void> }): ReactElement | null {
  const canEdit = useEditor((state) => state.canEdit);
  const [now, setNow] = useState("");
  const [failed, setFailed] = useState<string[]>([]);
  if (!canEdit || !units.length) return null;
  const write = async () => {
    const wrong: string[] = [];
    for (const unit of units) {
      const [kind = "", name = ""] = unit.split(":");
      setNow(name);
      try {
        await post(`/api/flows/${store.getState().id}/units/${kind}/${name}/generate`);
      } catch (thrown) {
        wrong.push(asApiError(thrown).message);
      }
    }
    setNow("");
    setFailed([...new Set(wrong)]);
    await editor.refresh();
    await onDone();
  };
  return (
    <>
      <button type="button" className="btn btn-small" disabled={now !== ""} aria-busy={now !== ""} onClick={() => void write()}>
        <WandSparkles size={14} />
        {now ? t("trace.writing", { name: now }) : t("trace.writeCode")}
      </button>
      {failed.map((words) => (
        <p key={words} className="error" role="alert">
          {words}
        </p>
      ))}
    </>
  );
}
