/** @jsxImportSource react */
import { useEffect, useRef, type ReactNode } from "react";
import type { Proposed, UnitCode } from "../../generated/units";
import { t } from "../../shared/strings";
import { Modal } from "./Modal";

interface CompareDialogProps {
  name: string;
  made: { proposed: Proposed; unit: UnitCode };
  words: string;
  onTake: () => void;
  onDrop: () => void;
  onMend: (code: string) => void;
}

/** What a model wrote beside what is there, before it is taken. */
export function CompareDialog({ name, made, words, onTake, onDrop, onMend }: CompareDialogProps): ReactNode {
  const { proposed, unit } = made;
  const host = useRef<HTMLDivElement>(null);
  const same = proposed.code === unit.code;
  const bad = proposed.problems.length > 0;
  useEffect(() => {
    let gone = false;
    let end = () => {};
    void import("./python").then(({ comparePython }) => {
      if (gone || !host.current) return;
      const view = comparePython(host.current, { code: unit.code, label: t("panel.code.there") }, { code: proposed.code, label: t("panel.code.written") });
      end = view.end;
    });
    return () => {
      gone = true;
      end();
    };
  }, [proposed.code, unit.code]);
  return (
    <Modal
      title={
        <>
          <span className="mono">{name}</span>
          <span className="muted small">{t(same ? "panel.code.same" : "panel.code.compare")}</span>
        </>
      }
      onClose={onDrop}
      foot={
        <>
          <span className="grow bad" role="status">
            {words}
          </span>
          <button type="button" className="btn" onClick={onDrop}>
            {t(unit.code ? "panel.code.keep" : "panel.code.close")}
          </button>
          {bad ? (
            <button type="button" className="btn btn-primary" onClick={() => onMend(proposed.code)}>
              {t("panel.code.mend")}
            </button>
          ) : (
            <button type="button" className={`btn ${unit.origin === "edited" ? "btn-danger-full" : "btn-primary"}`} onClick={onTake}>
              {t(unit.origin === "edited" ? "panel.code.takeOver" : "panel.code.take")}
            </button>
          )}
        </>
      }
    >
      {bad ? (
        <div className="notice notice-bad">
          <div>
            <p className="strong">{t("panel.code.refusedNew")}</p>
            {proposed.problems.map((problem) => (
              <p key={problem}>{problem}</p>
            ))}
          </div>
        </div>
      ) : null}
      <div className="ed-modal-sides">
        <span>{t("panel.code.there")}</span>
        <span>{t("panel.code.written")}</span>
      </div>
      <div className="ed-modal-code" ref={host} />
    </Modal>
  );
}
