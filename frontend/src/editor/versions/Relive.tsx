/** @jsxImportSource react */
import { Dialog } from "radix-ui";
import { useState, type ReactElement } from "react";
import { asApiError, post } from "../../shared/api";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";

export interface Relived {
  number: number;
  slug: string;
  agent: string;
}

/** Makes a version live again, once somebody said so; where visitors would approve their own writes, that needs a yes of its own. */
export function Relive({ what, onClose, onDone }: { what: Relived; onClose: () => void; onDone: () => Promise<void> }): ReactElement {
  const { number, slug, agent } = what;
  const [asks, setAsks] = useState(false);
  const [yes, setYes] = useState(false);
  const [failed, setFailed] = useState("");
  const [busy, setBusy] = useState(false);
  const act = async () => {
    setBusy(true);
    try {
      await post(`/api/agents/${slug}/live`, { version: number, ownYes: yes });
    } catch (thrown) {
      const error = asApiError(thrown);
      setAsks(asks || error.code === "OWN_YES_MISSING");
      setFailed(error.message);
      setBusy(false);
      return;
    }
    editor.notify(t("versions.liveDone", { number, agent }), [], false);
    onClose();
    await onDone();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <div className="ed-sheet-shade" aria-hidden="true" />
        <Dialog.Content className="ed-sheet ed-sheet-small">
          <header className="ed-sheet-head">
            <Dialog.Title className="ed-sheet-title">{t("versions.liveTitle", { number })}</Dialog.Title>
          </header>
          <div className="ed-sheet-body">
            <Dialog.Description className="small soft">{t("versions.liveLead", { number, agent })}</Dialog.Description>
            {asks ? (
              <label className="check">
                <input type="checkbox" checked={yes} aria-invalid={!yes} onChange={(event) => setYes(event.target.checked)} />
                <span className="check-text strong">{t("versions.ownYes")}</span>
              </label>
            ) : null}
            {failed ? (
              <p className="error" role="alert">
                {failed}
              </p>
            ) : null}
          </div>
          <footer className="ed-sheet-foot">
            <Dialog.Close className="btn">{t("versions.cancel")}</Dialog.Close>
            <button type="button" className="btn btn-primary" disabled={busy} aria-busy={busy} onClick={() => void act()}>
              {t("versions.liveYes")}
            </button>
          </footer>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
