/** @jsxImportSource react */
import { useEffect, useId, useState, type KeyboardEvent, type ReactNode } from "react";
import { t } from "../../shared/strings";
import { pathOf, stepsOf } from "../store/paths";
import { useEditor } from "../store/state";
import type { Steps } from "../fields/scope";

export interface Tab {
  name: string;
  title: string;
  bad?: boolean;
  body: () => ReactNode;
}

/** The parts of a panel. of: the tab that a field is found in, so that a jump to it opens that tab. */
export function Tabs({ tabs, base, of, first }: { tabs: readonly Tab[]; base: Steps; of: (key: string) => string | undefined; first?: string | undefined }): ReactNode {
  const id = useId();
  const [name, setName] = useState(first ?? tabs[0]?.name ?? "");
  const chosen = tabs.find((tab) => tab.name === name) ?? tabs[0];
  useReveal(base, (key) => {
    const wanted = of(key);
    if (wanted) setName(wanted);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    setName(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <>
      <div className="tabs ed-tabs" role="tablist" aria-label={t("panel.label")} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            id={`${id}-${tab.name}`}
            type="button"
            role="tab"
            className="tab"
            aria-selected={tab === chosen}
            aria-controls={`${id}-body`}
            aria-label={tab.bad ? t("panel.tab.problems", { title: tab.title }) : undefined}
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => setName(tab.name)}
          >
            {tab.title}
            {tab.bad ? <span className="dot dot-bad" /> : null}
          </button>
        ))}
      </div>
      <div id={`${id}-body`} className="ed-panel-body" role="tabpanel" aria-labelledby={`${id}-${chosen?.name}`} key={chosen?.name}>
        {chosen?.body()}
      </div>
    </>
  );
}

/** After so many frames a place that is not there is given up. */
const SEEKS = 90;

/** Follows jumps to a path inside base: says the key they go to, and unfolds what hides the place. */
function useReveal(base: Steps, go: (key: string) => void): void {
  const jump = useEditor((state) => state.jump);
  useEffect(() => {
    if (!jump) return;
    const steps = stepsOf(jump.path);
    if (!base.every((step, at) => String(steps[at]) === String(step))) return;
    const key = steps[base.length];
    if (key !== undefined) go(String(key));
    const path = pathOf(steps);
    let frames = 0;
    let frame = 0;
    // What is folded away unfolds first, level by level; the place is there once all of it did.
    const seek = () => {
      const place = document.querySelector<HTMLElement>(`.ed-panel [data-path="${CSS.escape(path)}"]`);
      const target = place?.querySelector<HTMLElement>("input, textarea, button");
      if (target && frames > 1) {
        target.focus();
        target.scrollIntoView({ block: "center" });
        return;
      }
      dispatchEvent(new CustomEvent("lgstudio:reveal", { detail: path }));
      frames += 1;
      if (frames < SEEKS) frame = requestAnimationFrame(seek);
    };
    frame = requestAnimationFrame(seek);
    return () => cancelAnimationFrame(frame);
    // A jump is followed once, when it is made.
  }, [jump]);
}
