/** @jsxImportSource react */
import { Cpu, FlaskConical } from "lucide-react";
import { useState, type ReactElement } from "react";
import type { AnswerModel } from "../../generated/runs";
import { asApiError, post } from "../../shared/api";
import { t } from "../../shared/strings";

/** Where a model would answer: what to set, and the demo model to go on with. */
export function NoModel({ model, onDone }: { model: AnswerModel; onDone: () => Promise<void> }): ReactElement {
  const [failed, setFailed] = useState("");
  const demo = async () => {
    try {
      await post("/api/models/demo");
      await onDone();
    } catch (thrown) {
      setFailed(asApiError(thrown).message);
    }
  };
  return (
    <div className="ed-run-empty">
      <span className="glyph glyph-model">
        <Cpu size={20} />
      </span>
      <p className="heading">{t("trace.noModelTitle")}</p>
      <p className="small muted">{model.maySet ? t("trace.noModelLead") : t("trace.noModelAsk")}</p>
      {model.maySet ? (
        <div className="empty-acts">
          <a className="btn btn-primary" href="/settings/models">
            <Cpu size={14} />
            {t("trace.setModel")}
          </a>
          <button type="button" className="btn" onClick={() => void demo()}>
            <FlaskConical size={14} />
            {t("trace.useDemo")}
          </button>
        </div>
      ) : null}
      {failed ? (
        <p className="error" role="alert">
          {failed}
        </p>
      ) : null}
    </div>
  );
}
