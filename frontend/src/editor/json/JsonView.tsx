/** @jsxImportSource react */
import { lazy, Suspense, useEffect, useState, type ReactElement } from "react";
import { asApiError, get } from "../../shared/api";
import { t } from "../../shared/strings";
import { store, useEditor } from "../store/state";

const JsonEditor = lazy(() => import("./JsonEditor").then(({ JsonEditor }) => ({ default: JsonEditor })));

interface Draft {
  text: string;
  revision: number;
}

/** The draft's own text, as the server writes it; read again whenever the draft got another revision. */
function useText(): { draft: Draft | null; refused: string } {
  const id = useEditor((state) => state.id);
  const revision = useEditor((state) => state.revision);
  const first = store.getState();
  const [draft, setDraft] = useState<Draft | null>(first.textRevision === first.revision ? { text: first.text, revision: first.revision } : null);
  const [refused, setRefused] = useState("");
  useEffect(() => {
    const { text, textRevision } = store.getState();
    if (textRevision === revision) {
      setDraft({ text, revision });
      return;
    }
    let stale = false;
    get<Draft>(`/api/flows/${id}/draft`).then(
      (read) => {
        if (stale) return;
        store.setState({ text: read.text, textRevision: read.revision });
        setDraft({ text: read.text, revision: read.revision });
      },
      (thrown: unknown) => setRefused(asApiError(thrown).message),
    );
    return () => {
      stale = true;
    };
  }, [id, revision]);
  return { draft, refused };
}

export function JsonView(): ReactElement {
  const { draft, refused } = useText();
  const readable = useEditor((state) => state.flow !== null);
  const wait = (
    <div className="ed-json-wait" aria-hidden="true">
      {[60, 40, 72, 52, 66, 34].map((wide) => (
        <span key={wide} className="skeleton skeleton-line" style={{ inlineSize: `${wide}%` }} />
      ))}
    </div>
  );
  return (
    <section className="ed-json-view" aria-label={t("edit.view.json")}>
      {readable ? null : (
        <p className="notice notice-warn ed-unreadable" role="alert">
          {t("edit.unreadable")}
        </p>
      )}
      {refused ? <p className="notice notice-bad">{refused}</p> : null}
      {draft ? (
        <Suspense fallback={wait}>
          <JsonEditor text={draft.text} revision={draft.revision} />
        </Suspense>
      ) : (
        wait
      )}
    </section>
  );
}
