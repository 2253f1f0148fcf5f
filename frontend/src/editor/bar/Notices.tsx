/** @jsxImportSource react */
import { useEffect, type ReactElement } from "react";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";
import { useEditor, type Notice } from "../store/state";

const STAYS_MS = 12_000;

function One({ notice }: { notice: Notice }): ReactElement {
  useEffect(() => {
    const timer = setTimeout(() => editor.dismiss(notice.id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [notice.id]);
  return (
    <div className={notice.bad ? "toast toast-bad" : "toast"}>
      <span className="grow" dir="auto">
        {notice.words}
        {notice.hints.map((hint) => (
          <span key={hint} className="ed-notice-hint">
            {hint}
          </span>
        ))}
      </span>
      <button type="button" className="toast-close" aria-label={t("edit.dismiss")} onClick={() => editor.dismiss(notice.id)}>
        ×
      </button>
    </div>
  );
}

export function Notices(): ReactElement {
  const notices = useEditor((state) => state.notices);
  return (
    <div className="toasts ed-notices" role="status" aria-live="polite">
      {notices.map((notice) => (
        <One key={notice.id} notice={notice} />
      ))}
    </div>
  );
}
