/** @jsxImportSource react */
import { useReactFlow } from "@xyflow/react";
import { Search } from "lucide-react";
import { useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { t } from "../../shared/strings";
import { addBeside } from "../canvas/acts";
import { KindIcon } from "../canvas/KindIcon";
import { HEIGHT, WIDTH } from "../canvas/places";
import { useEditor } from "../store/state";
import type { KindShape } from "../store/wire";
import { hueOf } from "../canvas/kinds";
import { kindsFor } from "./kindsFor";

/** What a dragged kind is called among the things that can be dropped. */
export const DRAGGED = "application/x-lgstudio-kind";

/** Every kind of step, by group: to search, to click, or to drag to its place. */
export function Palette({ onAdded }: { onAdded?: () => void }): ReactElement {
  const language = useEditor((state) => state.language);
  // What is proposed is decided on first: until then nothing is added under it.
  const waits = useEditor((state) => state.proposal !== null);
  const [words, setWords] = useState("");
  const shelves = useMemo(() => kindsFor(language, words), [language, words]);
  const flow = useReactFlow();
  const list = useRef<HTMLDivElement>(null);

  const add = (kind: KindShape | undefined) => {
    const box = document.querySelector(".ed-canvas")?.getBoundingClientRect();
    if (!kind || !box || waits) return;
    const middle = flow.screenToFlowPosition({ x: box.left + box.width / 2, y: box.top + box.height / 2.6 });
    void addBeside(kind, { x: middle.x - WIDTH / 2, y: middle.y - HEIGHT / 2 });
    onAdded?.();
  };
  const walk = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    const all = [...(list.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const at = all.findIndex((each) => each === document.activeElement);
    const next = all[at + by];
    if (next) next.focus();
    else if (by < 0) list.current?.parentElement?.querySelector("input")?.focus();
  };
  return (
    <nav className="ed-palette" aria-label={t("edit.palette.label")} onKeyDown={walk}>
      <div className="ed-palette-search">
        <Search size={14} aria-hidden="true" />
        <input
          type="search"
          value={words}
          placeholder={t("edit.palette.search")}
          aria-label={t("edit.palette.search")}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") add(shelves[0]?.kinds[0]);
            if (event.key === "Escape") setWords("");
          }}
        />
      </div>
      <div className="ed-palette-list" ref={list}>
        {!language ? <PaletteSkeleton /> : null}
        {language && !shelves.length ? <p className="ed-palette-none">{t("edit.palette.none", { words })}</p> : null}
        {shelves.map((shelf) => (
          <section key={shelf.name} aria-label={shelf.title}>
            <h2 className="overline">{shelf.title}</h2>
            {shelf.kinds.map((kind) => (
              <button
                key={kind.type}
                type="button"
                className="ed-palette-kind"
                data-kind={kind.type}
                title={waits ? t("edit.proposalFirst") : kind.summary}
                draggable={!waits}
                disabled={waits}
                onClick={() => add(kind)}
                onDragStart={(event) => {
                  event.dataTransfer.setData(DRAGGED, kind.type);
                  event.dataTransfer.effectAllowed = "copy";
                }}
              >
                <KindIcon icon={kind.icon} hue={hueOf(kind)} title={kind.title} />
                <span className="clip">{kind.title}</span>
                <small>{kind.type}</small>
              </button>
            ))}
          </section>
        ))}
      </div>
    </nav>
  );
}

function PaletteSkeleton(): ReactElement {
  return (
    <div aria-hidden="true" className="ed-palette-wait">
      {[1, 2, 3, 4, 5].map((each) => (
        <span key={each} className="skeleton skeleton-line" />
      ))}
    </div>
  );
}
