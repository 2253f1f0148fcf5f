/** @jsxImportSource react */
import { Flag } from "lucide-react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { t } from "../../shared/strings";
import { END, labelOf, nodesOf, waysOf } from "../store/document";
import { store, useEditor } from "../store/state";
import type { XY } from "../store/wire";
import { kindsFor } from "../palette/kindsFor";
import { addBeside, addStep, connect } from "./acts";
import { KindIcon } from "./KindIcon";
import { hueOf, kindOf } from "./kinds";
import { HEIGHT } from "./places";

export interface Adding {
  /** Where the list opens, on the screen. */
  screen: XY;
  /** Where the step goes, on the canvas. */
  at: XY;
  /** The step that the new one comes after. */
  after?: string | null;
  /** The new step goes between the one before and what follows it, as from the palette; else it is one more way on. */
  between?: boolean;
  /** Only what is there already is offered: a line is drawn without a pointer. */
  onlyThere?: boolean;
}

interface Choice {
  key: string;
  title: string;
  note: string;
  icon: ReactElement;
  group: string;
  act: () => void;
}

const LIST_WIDTH = 264;
const LIST_HEIGHT = 320;

/** A list at the pointer: the next step, new or one that is there. */
export function QuickAdd({ adding, onClose }: { adding: Adding; onClose: () => void }): ReactElement {
  const language = useEditor((state) => state.language);
  const flow = useEditor((state) => state.flow);
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const { after, onlyThere, between } = adding;

  const choices = useMemo((): Choice[] => {
    const found: Choice[] = [];
    if (!onlyThere) {
      for (const shelf of kindsFor(language, words)) {
        for (const kind of shelf.kinds) {
          found.push({
            key: `+${kind.type}`,
            title: kind.title,
            note: kind.type,
            group: t("edit.add.new"),
            icon: <KindIcon icon={kind.icon} hue={hueOf(kind)} title={kind.title} size={20} />,
            act: () => {
              const at = { x: adding.at.x, y: adding.at.y - HEIGHT / 2 + 48 };
              const plain = waysOf(flow).filter((way) => way.from === after && (way.kind === "plain" || way.kind === "route"));
              const goesBetween = between && after && plain.length === 1 && plain[0]?.kind === "plain";
              void (goesBetween ? addBeside(kind, at) : addStep({ kind, at, after: after ?? null }));
            },
          });
        }
      }
    }
    if (!after) return found;
    const wanted = words.toLowerCase().trim();
    const fits = (name: string) => !wanted || name.toLowerCase().includes(wanted);
    if (fits(END) || fits(t("edit.add.end"))) {
      found.push({ key: END, title: t("edit.add.end"), note: END, group: t("edit.add.there"), icon: <Flag size={14} aria-hidden="true" />, act: () => void connect(after, END) });
    }
    for (const node of nodesOf(flow)) {
      if (node.id === after || (!fits(node.id) && !fits(labelOf(node.id)))) continue;
      const kind = kindOf(store.getState().language, node.type);
      found.push({
        key: node.id,
        title: labelOf(node.id),
        note: node.id,
        group: t("edit.add.there"),
        icon: <KindIcon icon={kind?.icon ?? ""} hue={hueOf(kind)} title={kind?.title ?? node.type} size={20} />,
        act: () => void connect(after, node.id),
      });
    }
    return found;
  }, [language, flow, words, after, onlyThere, between, adding.at]);

  // The list takes the focus, and gives it back to the canvas when it goes.
  useLayoutEffect(() => {
    const here = box.current;
    const canvas = here?.closest<HTMLElement>(".ed-canvas");
    const before = document.activeElement;
    here?.querySelector("input")?.focus();
    return () => {
      if (!here?.contains(document.activeElement)) return;
      const from = (before instanceof HTMLElement || before instanceof SVGElement) && before !== canvas && canvas?.contains(before) ? before : canvas;
      from?.focus({ preventScroll: true });
    };
  }, []);

  const chosen = Math.min(at, Math.max(0, choices.length - 1));
  useEffect(() => {
    const away = (event: PointerEvent) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) onClose();
    };
    document.addEventListener("pointerdown", away, true);
    return () => document.removeEventListener("pointerdown", away, true);
  }, [onClose]);
  useEffect(() => {
    box.current?.querySelector(`[data-at="${chosen}"]`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const take = (choice: Choice | undefined) => {
    if (!choice) return;
    choice.act();
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
    else if (event.key === "ArrowDown") setAt((chosen + 1) % Math.max(1, choices.length));
    else if (event.key === "ArrowUp") setAt((chosen - 1 + choices.length) % Math.max(1, choices.length));
    else if (event.key === "Enter") take(choices[chosen]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const left = Math.max(8, Math.min(adding.screen.x, innerWidth - LIST_WIDTH - 12));
  const top = Math.max(56, Math.min(adding.screen.y, innerHeight - LIST_HEIGHT - 12));
  const title = onlyThere ? t("edit.add.connect") : after ? t("edit.add.next") : t("edit.palette.search");
  return (
    <div className="ed-quick" role="dialog" aria-label={title} ref={box} style={{ left, top, width: LIST_WIDTH }} onKeyDown={onKeyDown}>
      <input
        className="ed-quick-search"
        placeholder={title}
        aria-label={title}
        role="combobox"
        aria-expanded="true"
        aria-controls="ed-quick-list"
        aria-activedescendant={choices[chosen] ? `ed-quick-${chosen}` : undefined}
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
      />
      <div className="ed-quick-list" role="listbox" id="ed-quick-list" aria-label={title}>
        {choices.map((choice, index) => (
          <div key={choice.key}>
            {choices[index - 1]?.group === choice.group ? null : (
              <p className="overline" aria-hidden="true">
                {choice.group}
              </p>
            )}
            <button type="button" tabIndex={-1} role="option" id={`ed-quick-${index}`} data-at={index} aria-selected={index === chosen} className="ed-palette-kind" onPointerEnter={() => setAt(index)} onClick={() => take(choice)}>
              {choice.icon}
              <span className="clip">{choice.title}</span>
              <small className="clip">{choice.note}</small>
            </button>
          </div>
        ))}
        {choices.length ? null : <p className="ed-palette-none">{t("edit.palette.none", { words })}</p>}
      </div>
    </div>
  );
}
