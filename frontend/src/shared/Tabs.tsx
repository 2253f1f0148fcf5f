import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";

export interface Tab<K extends string> {
  key: K;
  title: ComponentChildren;
}

interface TabsProps<K extends string> {
  label: string;
  tabs: readonly Tab<K>[];
  chosen: K;
  /** The id of the one panel whose content follows the chosen tab. */
  panel: string;
  onChoose: (key: K) => void;
  class?: string;
}

export const tabId = (panel: string, key: string): string => `${panel}-${key}`;

/** Where a key leads from the tab at `at`; null for a key that is not of the tabs. In a page that runs right to left the next
 * tab stands at the left. */
export function tabAfter(key: string, at: number, count: number, rtl: boolean): number | null {
  switch (key) {
    case "ArrowRight":
      return (at + (rtl ? count - 1 : 1)) % count;
    case "ArrowLeft":
      return (at + (rtl ? 1 : count - 1)) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}

/** Tabs over one panel: one stop of the Tab key, the arrows move among them. */
export function Tabs<K extends string>({ label, tabs, chosen, panel, onChoose, class: more }: TabsProps<K>): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || !list.current) return;
    const at = tabs.findIndex(({ key }) => key === chosen);
    const next = tabAfter(event.key, at, tabs.length, getComputedStyle(list.current).direction === "rtl");
    if (next === null) return;
    event.preventDefault();
    list.current.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
    onChoose(tabs[next]!.key);
  };
  return (
    <div ref={list} class={more ? `tabs ${more}` : "tabs"} role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ key, title }) => (
        <button
          key={key}
          type="button"
          role="tab"
          id={tabId(panel, key)}
          class="tab"
          aria-selected={key === chosen}
          aria-controls={panel}
          tabIndex={key === chosen ? 0 : -1}
          onClick={() => onChoose(key)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
