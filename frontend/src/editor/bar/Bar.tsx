/** @jsxImportSource react */
import { Check, CircleAlert, CloudOff, FlaskConical, History, LoaderCircle, Lock, Play, Redo2, Rocket, SlidersHorizontal, Undo2, type LucideIcon } from "lucide-react";
import { useEffect, type ReactElement } from "react";
import { t, type StringKey } from "../../shared/strings";
import { Problems } from "../problems/Problems";
import { editor } from "../store/editor";
import { useEditor, type View } from "../store/state";
import type { Saving } from "../store/queue";

const SAVING: Record<Saving, [StringKey, LucideIcon]> = {
  saved: ["edit.saved", Check],
  saving: ["edit.saving", LoaderCircle],
  offline: ["edit.offline", CloudOff],
  failed: ["edit.failed", CircleAlert],
};

/** What became of what was done: kept on the server, on its way, or kept in this browser until the line is back. */
function SavedWords(): ReactElement {
  const saving = useEditor((state) => state.saving);
  const words = useEditor((state) => state.savingWords);
  const mayEdit = useEditor((state) => state.mayEdit);
  const [key, Drawing] = SAVING[saving];
  if (!mayEdit) {
    return (
      <span className="ed-saved" data-saving="readOnly">
        <Lock size={13} aria-hidden="true" />
        {t("edit.lookOnly")}
      </span>
    );
  }
  return (
    <span className="ed-saved" data-saving={saving} role="status" title={words || undefined}>
      <Drawing size={13} aria-hidden="true" />
      <span>{t(key)}</span>
      {saving === "offline" || saving === "failed" ? (
        <button type="button" className="link" onClick={() => editor.retry()}>
          {t("shared.retry")}
        </button>
      ) : null}
    </span>
  );
}

function Views(): ReactElement {
  const view = useEditor((state) => state.view);
  const readable = useEditor((state) => state.flow !== null);
  const views: [View, StringKey][] = [
    ["canvas", "edit.view.canvas"],
    ["json", "edit.view.json"],
  ];
  return (
    <div className="segments ed-views" role="group" aria-label={t("edit.view.label")}>
      {views.map(([name, key]) => (
        <button key={name} type="button" className="segment" aria-pressed={view === name} disabled={name === "canvas" && !readable} onClick={() => editor.setView(name)}>
          {t(key)}
        </button>
      ))}
    </div>
  );
}

export function Turns(): ReactElement | null {
  const undo = useEditor((state) => state.undo);
  const redo = useEditor((state) => state.redo);
  const canEdit = useEditor((state) => state.canEdit);
  // Under a proposal nothing is taken back: it is decided on first.
  const waits = useEditor((state) => state.proposal !== null);
  if (!canEdit) return null;
  const words = (key: StringKey, label: string | undefined) => (waits ? t("edit.proposalFirst") : label ? `${t(key)}: ${label}` : t(key));
  return (
    <>
      <button type="button" className="btn btn-ghost btn-icon" aria-label={t("edit.undo")} title={words("edit.undo", undo?.label)} disabled={!undo || waits} onClick={() => void editor.undo()}>
        <Undo2 size={16} aria-hidden="true" />
      </button>
      <button type="button" className="btn btn-ghost btn-icon" aria-label={t("edit.redo")} title={words("edit.redo", redo?.label)} disabled={!redo || waits} onClick={() => void editor.redo()}>
        <Redo2 size={16} aria-hidden="true" />
      </button>
    </>
  );
}

/** Opens what the flow says of itself: its name, channels, tools and needs. */
function FlowSettings(): ReactElement {
  const shown = useEditor(({ pane, selection }) => pane === "panel" && !selection.nodes.length && !selection.edges.length && (selection.part === null || "flow" in selection.part));
  const turn = () => {
    editor.choose({});
    editor.openPane(shown ? null : "panel");
  };
  return (
    <button type="button" className="btn btn-ghost btn-icon" aria-pressed={shown} aria-label={t("edit.flowSettings")} title={t("edit.flowSettings")} onClick={turn}>
      <SlidersHorizontal size={16} aria-hidden="true" />
    </button>
  );
}

/** Which version is live, and whether the draft is another one by now. */
function Live(): ReactElement {
  const live = useEditor((state) => state.live);
  const changes = useEditor((state) => state.changes);
  if (live === null) return <span className="badge badge-round ed-live">{t("edit.draft")}</span>;
  const words = changes === 0 ? t("edit.live", { number: live }) : changes === null ? t("edit.liveChanged", { number: live }) : t("edit.liveChanges", { number: live, count: changes });
  return <span className={`badge badge-round ed-live ${changes === 0 ? "badge-ok" : ""}`}>{words}</span>;
}

/** The bar's part of the editor: which flow, how it stands, how it is looked at, and what is done with it. */
export function Bar(): ReactElement {
  const id = useEditor((state) => state.id);
  const name = useEditor((state) => state.name);
  const pane = useEditor((state) => state.pane);
  const canRun = useEditor((state) => state.canRun);
  const canPublish = useEditor((state) => state.canPublish);
  useEffect(() => {
    // The page's title says what the flow is called now.
    document.title = `${name} · ${document.title.split(" · ").at(-1) ?? ""}`;
  }, [name]);
  const open = (wanted: "run" | "tests" | "versions") => editor.openPane(pane === wanted ? null : wanted);
  return (
    <>
      <nav className="crumbs" aria-label={t("edit.crumbs")}>
        <a href="/flows">{t("edit.flows")}</a>
        <span className="crumbs-mark" aria-hidden="true">
          /
        </span>
        <h1 aria-current="page" data-flow-name="">
          {name}
        </h1>
      </nav>
      <Live />
      <Problems />
      <SavedWords />
      <span className="grow" />
      <Views />
      <Turns />
      <FlowSettings />
      <button type="button" className="btn btn-ghost ed-bar-tests" title={t("edit.tests")} aria-pressed={pane === "tests"} onClick={() => open("tests")}>
        <FlaskConical size={15} aria-hidden="true" />
        <span className="ed-bar-words">{t("edit.tests")}</span>
      </button>
      <button type="button" className="btn btn-ghost ed-bar-versions" title={t("edit.versions")} aria-pressed={pane === "versions"} onClick={() => open("versions")}>
        <History size={15} aria-hidden="true" />
        <span className="ed-bar-words">{t("edit.versions")}</span>
      </button>
      {canRun ? (
        <button type="button" className="btn" title={t("edit.run")} aria-pressed={pane === "run"} onClick={() => open("run")}>
          <Play size={14} aria-hidden="true" />
          <span className="ed-bar-words">{t("edit.run")}</span>
        </button>
      ) : null}
      {canPublish ? (
        <a className="btn btn-primary" title={t("edit.publish")} href={`/flows/${id}/publish`}>
          <Rocket size={15} aria-hidden="true" />
          <span className="ed-bar-words">{t("edit.publish")}</span>
        </a>
      ) : null}
    </>
  );
}
