/** @jsxImportSource react */
import { useEffect, useState, type ReactNode } from "react";
import { t } from "../../shared/strings";

interface LeaveProps {
  question: string;
  yes: string;
  no: string;
  onLeave: () => void;
  onStay: () => void;
}

/** The foot of a dialog that is about to close over what was typed. */
export function Leave({ question, yes, no, onLeave, onStay }: LeaveProps): ReactNode {
  return (
    <>
      <span className="grow strong" role="alert">
        {question}
      </span>
      <button type="button" className="btn btn-danger" onClick={onLeave}>
        {yes}
      </button>
      <button type="button" className="btn btn-primary" autoFocus onClick={onStay}>
        {no}
      </button>
    </>
  );
}

/** Closes a dialog at once where nothing was filled in; else asks first. asks: its foot meanwhile. */
export function useLeaving(filled: boolean, onClose: () => void): { close: () => void; asks: ReactNode } {
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    if (!filled) setAsking(false);
  }, [filled]);
  const asks = asking ? <Leave question={t("panel.leave")} yes={t("panel.leave.yes")} no={t("panel.leave.no")} onLeave={onClose} onStay={() => setAsking(false)} /> : null;
  // Escape a second time goes back to the form, as the button that has the focus does.
  return { close: () => (filled ? setAsking(!asking) : onClose()), asks };
}
