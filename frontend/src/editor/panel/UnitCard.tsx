/** @jsxImportSource react */
import { Code, Eye, Pencil, Sparkles } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { UnitKind } from "../../generated/language";
import { t, type StringKey } from "../../shared/strings";
import { useScope } from "../fields/scope";
import { CodeDialog } from "./CodeDialog";
import { CompareDialog } from "./CompareDialog";
import { useUnit } from "./useUnit";

const TONES: Record<string, [StringKey, string]> = {
  current: ["panel.code.state.current", "badge badge-ok"],
  stale: ["panel.code.state.stale", "badge badge-warn"],
  edited: ["panel.code.state.edited", "badge badge-warn"],
  missing: ["panel.code.state.missing", "badge badge-bad"],
  refused: ["panel.code.state.refused", "badge badge-bad"],
};
const ORIGINS: Record<string, StringKey> = {
  generated: "panel.code.origin.generated",
  edited: "panel.code.origin.edited",
  regular: "panel.code.origin.regular",
};
const PREVIEW_LINES = 9;

/** The code that belongs to a step, a tool or a decision: whether it may run, what it is, and how it comes to be. */
export function UnitCard({ kind, name }: { kind: UnitKind; name: string }): ReactNode {
  const scope = useScope();
  const unit = scope.units.find((one) => one.kind === kind && one.name === name);
  const acts = useUnit(scope.id, kind, name);
  const [editing, setEditing] = useState<{ code: string | null } | null>(null);
  const { writing } = acts;
  if (!name || !unit) {
    return (
      <div className="ed-unitcard">
        <div className="ed-unit-head">
          <Code size={13} aria-hidden="true" />
          <span className="ed-unit-name">{t("panel.code")}</span>
        </div>
        <p className="ed-help">{t(name ? "panel.code.unready" : "panel.code.unnamed")}</p>
      </div>
    );
  }
  const [state, tone] = TONES[unit.state] ?? ["panel.code.state.missing", "badge"];
  const origin = ORIGINS[unit.origin];
  const byHand = unit.origin === "edited";
  const regular = unit.origin === "regular";
  const lines = unit.code.split("\n");
  const busy = writing.seconds !== null;
  return (
    <div className="ed-unitcard" data-unit={`${kind}:${name}`} data-state={unit.state}>
      <div className="ed-unit-head">
        <Code size={13} aria-hidden="true" />
        <span className="ed-unit-name mono clip">{name}</span>
        {byHand && unit.state === "current" ? <span className="badge badge-accent">{t("panel.code.state.edited")}</span> : <span className={tone}>{t(state)}</span>}
      </div>
      {unit.code ? (
        <button type="button" className="ed-unit-code" aria-label={t("panel.code.editor", { name })} onClick={() => setEditing({ code: null })}>
          <code>{lines.slice(0, PREVIEW_LINES).join("\n")}</code>
          {lines.length > PREVIEW_LINES ? <span className="ed-unit-more">+{lines.length - PREVIEW_LINES}</span> : null}
        </button>
      ) : null}
      {unit.reason ? (
        <p className="ed-wrong" data-level={unit.state === "stale" || unit.state === "edited" ? "warning" : "error"}>
          {unit.reason}
        </p>
      ) : origin ? (
        <p className="ed-help">{t(origin)}</p>
      ) : null}
      {busy ? (
        <p className="ed-unit-busy" role="status">
          <span className="ed-spin" aria-hidden="true" />
          {t("panel.code.writing", { seconds: writing.seconds ?? 0 })}
          <button type="button" className="link" onClick={acts.stop}>
            {t("panel.code.stop")}
          </button>
        </p>
      ) : null}
      {writing.words ? (
        <p className="ed-wrong" role="status">
          {writing.words}
        </p>
      ) : null}
      <div className="ed-acts">
        {scope.readOnly || regular ? null : (
          <button type="button" className={`btn btn-small ${unit.code ? "" : "btn-primary"}`} disabled={busy} onClick={() => void acts.generate()}>
            <Sparkles size={13} aria-hidden="true" />
            {t(byHand ? "panel.code.over" : unit.code ? "panel.code.again" : "panel.code.generate")}
          </button>
        )}
        <button type="button" className="btn btn-small" onClick={() => setEditing({ code: null })}>
          {scope.readOnly || regular ? <Eye size={13} aria-hidden="true" /> : <Pencil size={13} aria-hidden="true" />}
          {t(scope.readOnly || regular ? "panel.code.look" : "panel.code.edit")}
        </button>
      </div>
      {editing ? <CodeDialog kind={kind} name={name} start={editing.code} onClose={() => setEditing(null)} /> : null}
      {writing.made ? (
        <CompareDialog
          name={name}
          made={writing.made}
          words={writing.words}
          onTake={() => void acts.take(byHand)}
          onDrop={acts.drop}
          onMend={(code) => {
            acts.drop();
            setEditing({ code });
          }}
        />
      ) : null}
    </div>
  );
}
