/** @jsxImportSource react */
import { Plus } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { t } from "../../shared/strings";
import type { Json } from "../store/wire";
import { creating, isChannelName } from "./create";
import { Floating } from "./Floating";
import { shownText, useKey } from "./Line";
import { AddButton } from "./parts";
import { channelsIn, isKnown, isPath, pieces, readables, type Readable } from "./paths";
import type { InputProps } from "./Row";
import { useScope, useWord } from "./scope";
import { useTyping } from "./typing";

/** What stands open before the caret: `{{` and the path begun. */
const OPENED = /\{\{\s*([\w$@.-]*)$/;

/** A text with {{paths}} in it: they stand out, and are completed as they are typed. */
export function Template(props: InputProps & { lines?: number }): ReactNode {
  const { field, value, set, at, id, saidBy, bad, readOnly, name, lines = field.widget === "prompt" && (field.max ?? 0) > 10_000 ? 6 : 2 } = props;
  const { flow, language } = useScope();
  const { on } = useWord();
  const node = "node" in on ? on.node : "";
  const read = (typed: string): { value: Json | undefined } => ({ value: typed === "" && !field.required ? undefined : typed });
  const typing = useTyping<Json | undefined>(useKey(at), shownText(value), read, set);
  const box = useRef<HTMLTextAreaElement>(null);
  const mark = useRef<HTMLSpanElement>(null);
  const [caret, setCaret] = useState<number | null>(null);
  const [active, setActive] = useState(0);
  const begun = caret === null ? null : (OPENED.exec(typing.text.slice(0, caret))?.[1] ?? null);
  const known = useMemo(() => readables(flow, language, node), [flow, language, node]);
  const fits = begun === null ? [] : ranked(known, begun);
  const unknown = begun && isPath(begun) && !isKnown(flow, language, begun.split(".")[0] ?? "", node) && !fits.some((one) => one.path === begun) ? begun : null;
  const count = fits.length + (unknown ? 1 : 0);
  const open = begun !== null && count > 0 && !readOnly;
  const at0 = Math.min(active, count - 1);
  const create = creating(useScope(), field, props.holder);

  // Channels that the text reads and that there are not; what is being typed is not asked about.
  const strange = typing.text === shownText(value) ? [...new Set(channelsIn(typing.text))].filter((each) => isChannelName(each) && !isKnown(flow, language, each, node)) : [];

  // What the caret is put after once the text is drawn.
  const goTo = useRef<number | null>(null);
  useEffect(() => {
    if (goTo.current === null) return;
    box.current?.setSelectionRange(goTo.current, goTo.current);
    setCaret(null);
    goTo.current = null;
  });

  const insert = (path: string) => {
    if (caret === null || begun === null) return;
    const before = typing.text.slice(0, caret - begun.length);
    // What closes already is written over; a word that goes on behind the caret is not.
    const rest = typing.text.slice(caret).replace(/^[\w$@.-]*\s*\}\}/, "");
    typing.type(`${before}${path}}}${rest}`);
    goTo.current = before.length + path.length + 2;
    box.current?.focus();
  };
  const choose = (index: number) => {
    const fit = fits[index];
    if (fit) insert(fit.path);
    else if (unknown) {
      create(unknown.split(".")[0] ?? "", null);
      insert(unknown);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setActive((at0 + (event.key === "ArrowDown" ? 1 : -1) + count) % count);
    } else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) {
      event.preventDefault();
      choose(at0);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      setCaret(null);
    }
  };
  const follow = () => {
    const element = box.current;
    setCaret(element && element.selectionStart === element.selectionEnd ? element.selectionStart : null);
    setActive(0);
  };

  return (
    <div className="ed-template" data-lines={lines} data-bad={bad || undefined}>
      <div className="ed-template-mirror" aria-hidden="true">
        {pieces(typing.text).map((piece, index) =>
          piece.path === undefined ? (
            <span key={index}>{piece.text}</span>
          ) : (
            <mark key={index} data-known={isKnown(flow, language, piece.path.split(".")[0] ?? "", node)}>
              {piece.text}
            </mark>
          ),
        )}{" "}
      </div>
      {open && caret !== null ? (
        <div className="ed-template-mirror ed-template-caret" aria-hidden="true">
          {typing.text.slice(0, caret)}
          <span ref={mark}>&#8203;</span>
        </div>
      ) : null}
      <textarea
        ref={box}
        id={id}
        value={typing.text}
        readOnly={readOnly}
        rows={1}
        dir="auto"
        spellCheck
        placeholder={field.placeholder || undefined}
        aria-label={name}
        aria-describedby={saidBy}
        aria-invalid={bad || undefined}
        aria-autocomplete="list"
        aria-controls={open ? `${id}-list` : undefined}
        aria-activedescendant={open ? `${id}-${at0}` : undefined}
        onChange={(event) => {
          typing.type(event.target.value);
          follow();
        }}
        onKeyDown={onKeyDown}
        onKeyUp={(event) => {
          if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) follow();
        }}
        onClick={follow}
        onBlur={() => {
          setCaret(null);
          typing.settle();
        }}
      />
      {open ? (
        <Floating key={caret} anchor={mark} wide>
          <div id={`${id}-list`} role="listbox" aria-label={t("panel.template.list")} className="ed-options">
            {fits.map((one, index) => (
              <Row key={one.path} id={`${id}-${index}`} active={index === at0} onChoose={() => choose(index)} onOver={() => setActive(index)} one={one} />
            ))}
            {unknown ? (
              <div
                id={`${id}-${fits.length}`}
                role="option"
                aria-selected={false}
                data-active={at0 === fits.length}
                className="ed-option"
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(fits.length)}
              >
                <span className="ed-option-sign">
                  <Plus size={13} />
                </span>
                <span className="ed-option-words">{t("panel.create.channel", { name: unknown.split(".")[0] ?? "" })}</span>
              </div>
            ) : null}
          </div>
        </Floating>
      ) : null}
      {readOnly || open || !strange.length ? null : (
        <div className="ed-template-acts">
          {strange.map((unknownName) => (
            <AddButton key={unknownName} words={t("panel.create.channel", { name: unknownName })} onAdd={() => create(unknownName, null)} />
          ))}
        </div>
      )}
    </div>
  );
}

interface RowProps {
  id: string;
  one: Readable;
  active: boolean;
  onChoose: () => void;
  onOver: () => void;
}

function Row({ id, one, active, onChoose, onOver }: RowProps): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) element.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div ref={element} id={id} role="option" aria-selected={active} data-active={active} className="ed-option" onMouseDown={(event) => event.preventDefault()} onMouseEnter={onOver} onClick={onChoose}>
      <span className="ed-option-words">
        <span className="mono">{one.path}</span>
        {one.help ? <span className="ed-option-help clip">{one.help}</span> : null}
      </span>
      <span className="ed-option-note">{one.type}</span>
    </div>
  );
}

/** Those that go on as typed, before those that have it somewhere; parts only once a dot or their name is typed. */
function ranked(known: readonly Readable[], begun: string): Readable[] {
  const wanted = begun.toLowerCase();
  const first = known.filter((one) => one.path.toLowerCase().startsWith(wanted) && (begun !== "" || !one.path.includes(".")));
  const inside = wanted ? known.filter((one) => !first.includes(one) && one.path.toLowerCase().includes(wanted)) : [];
  return [...first, ...inside].slice(0, 40);
}
