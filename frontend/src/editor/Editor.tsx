/** @jsxImportSource react */
import { ReactFlowProvider } from "@xyflow/react";
import { Plus, X } from "lucide-react";
import { useEffect, useState, type ReactElement } from "react";
import { createPortal } from "react-dom";
import { t, type StringKey } from "../shared/strings";
import { AskBar } from "./ask/AskBar";
import { Bar } from "./bar/Bar";
import { Notices } from "./bar/Notices";
import { Canvas } from "./canvas/Canvas";
import { Empty } from "./canvas/Empty";
import { Find } from "./canvas/Find";
import { takeFocus } from "./canvas/useFocus";
import { Asides } from "./conflict/Asides";
import { JsonView } from "./json/JsonView";
import { Palette } from "./palette/Palette";
import { Panel } from "./panel/Panel";
import { RunPane } from "./run/RunPane";
import { editor } from "./store/editor";
import { nodesOf } from "./store/document";
import { useEditor, type Pane } from "./store/state";
import { TestsPane } from "./tests/TestsPane";
import { useMedia } from "./useMedia";
import { VersionsPane } from "./versions/VersionsPane";

/** Below this width the page is for looking. */
const ROOM = "(min-width: 760px)";
/** From this width on, palette and pane stand beside the canvas instead of over it. */
const WIDE = "(min-width: 1180px)";

const PANES: Record<NonNullable<Pane>, { label: StringKey; of: () => ReactElement | null }> = {
  panel: { label: "edit.pane.panel", of: Panel },
  run: { label: "edit.pane.run", of: RunPane },
  tests: { label: "edit.pane.tests", of: TestsPane },
  versions: { label: "edit.pane.versions", of: VersionsPane },
};

function Side(): ReactElement | null {
  const pane = useEditor((state) => state.pane);
  const open = pane !== null;
  useEffect(() => (open ? takeFocus : undefined), [open]);
  if (pane === null) return null;
  const { label, of: Content } = PANES[pane];
  return (
    <aside
      className="ed-pane"
      data-pane={pane}
      aria-label={t(label)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) editor.openPane(null);
      }}
    >
      <Content />
      <button type="button" className="ed-tool ed-pane-close" aria-label={t("edit.pane.close")} title={t("edit.pane.close")} onClick={() => editor.openPane(null)}>
        <X size={16} aria-hidden="true" />
      </button>
    </aside>
  );
}

/** The field that a jump asks for: the nearest that the panel has for the path. */
function useJumpToField(): void {
  const jump = useEditor((state) => state.jump);
  useEffect(() => {
    if (!jump) return;
    let tries = 0;
    let frame = 0;
    const seek = () => {
      const pane = document.querySelector<HTMLElement>(".ed-pane");
      for (let path = jump.path; path; path = path.replace(/(\.[^.[\]"]+|\[(\d+|"(?:[^"\\]|\\.)*")\]|^[^.[]+)$/, "")) {
        const field = pane?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`);
        const target = field?.matches("input, textarea, select, button, [tabindex], [contenteditable]") ? field : field?.querySelector<HTMLElement>("input, textarea, select, button, [contenteditable=true]");
        if (target) {
          target.focus();
          target.scrollIntoView({ block: "center" });
          return;
        }
        if (tries < 8) break;
      }
      tries += 1;
      if (tries < 12) frame = requestAnimationFrame(seek);
    };
    frame = requestAnimationFrame(seek);
    return () => cancelAnimationFrame(frame);
  }, [jump]);
}

function Stage(): ReactElement {
  const view = useEditor((state) => state.view);
  const readable = useEditor((state) => state.flow !== null);
  const empty = useEditor((state) => state.flow !== null && nodesOf(state.flow).length === 0 && state.proposal === null);
  const finding = useEditor((state) => state.finding);
  const canvas = view === "canvas" && readable;
  return (
    <div className="ed-stage">
      {canvas ? <Canvas /> : <JsonView />}
      {canvas && empty ? <Empty /> : null}
      {canvas && finding ? <Find /> : null}
      <Asides />
      {canvas ? (
        <div className="ed-ask-slot">
          <AskBar />
        </div>
      ) : null}
      <Notices />
    </div>
  );
}

/** The editor: bar, palette, canvas or text, and the pane at the side. */
export function Editor({ bar }: { bar: Element | null }): ReactElement {
  const view = useEditor((state) => state.view);
  const pane = useEditor((state) => state.pane);
  const canEdit = useEditor((state) => state.canEdit);
  const mayEdit = useEditor((state) => state.mayEdit);
  const proposing = useEditor((state) => state.proposal !== null);
  const hasRoom = useMedia(ROOM);
  const isWide = useMedia(WIDE);
  const [listOpen, setListOpen] = useState(false);
  useJumpToField();
  useEffect(() => editor.setRoom(hasRoom), [hasRoom]);
  useEffect(() => setListOpen(false), [isWide, view]);

  const palette = view === "canvas" && canEdit;
  const shown = palette && (isWide || listOpen);
  return (
    <ReactFlowProvider>
      {bar ? createPortal(<Bar />, bar) : <Bar />}
      <div className="ed" data-view={view} data-pane={pane ?? "none"} data-palette={shown || undefined} data-wide={isWide || undefined}>
        {shown ? <Palette onAdded={() => setListOpen(false)} /> : null}
        <Stage />
        {palette && !isWide && !proposing ? (
          <button type="button" className="btn ed-add" aria-expanded={listOpen} onClick={() => setListOpen(!listOpen)}>
            {listOpen ? <X size={15} aria-hidden="true" /> : <Plus size={15} aria-hidden="true" />}
            {t("edit.palette.open")}
          </button>
        ) : null}
        {mayEdit && !hasRoom ? <p className="ed-narrow">{t("edit.narrow")}</p> : null}
        <Side />
      </div>
    </ReactFlowProvider>
  );
}
