/** @jsxImportSource react */
import { Check, ChevronsUpDown, Plus } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { t } from "../../shared/strings";
import { Floating } from "./Floating";

export interface Option {
  value: string;
  /** What is shown; the value where it is left out. */
  label?: string;
  note?: string;
  help?: string;
}

export interface ComboProps {
  id: string;
  value: string;
  options: readonly Option[];
  /** Called with what was chosen; "" takes the choice back. */
  onChoose: (value: string) => void;
  /** Offers to make what was typed; null offers nothing. */
  create?: ((typed: string) => { words: string; make: () => void } | null) | undefined;
  /** May a text stay that is none of the options? */
  free?: boolean;
  /** May nothing be chosen? */
  none?: string | undefined;
  name: string;
  saidBy?: string | undefined;
  bad?: boolean;
  readOnly?: boolean;
  mono?: boolean;
  placeholder?: string;
}

interface Line {
  key: string;
  words: ReactNode;
  note?: string | undefined;
  help?: string | undefined;
  chosen: boolean;
  act: () => void;
  make?: boolean;
}

/** One of several, found by typing. */
export function Combo(props: ComboProps): ReactNode {
  const { id, value, options, onChoose, create, free = false, none, name, saidBy, bad = false, readOnly = false, mono = false, placeholder } = props;
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const known = options.find((one) => one.value === value);
  const shown = typed ?? known?.label ?? value;
  const wanted = (typed ?? "").trim().toLowerCase();
  const fits = options.filter((one) => !wanted || `${one.label ?? ""} ${one.value}`.toLowerCase().includes(wanted));
  const exact = options.some((one) => one.value === (typed ?? "").trim());

  const choose = (next: string) => {
    setTyped(null);
    setOpen(false);
    if (next !== value) onChoose(next);
  };
  const lines: Line[] = fits.slice(0, 60).map((one) => ({
    key: one.value,
    words: one.label ?? one.value,
    note: one.note,
    help: one.help,
    chosen: one.value === value,
    act: () => choose(one.value),
  }));
  if (none !== undefined && value && !wanted) lines.unshift({ key: "", words: <span className="ed-soft">{none}</span>, chosen: false, act: () => choose("") });
  const offer = typed?.trim() && !exact ? create?.(typed.trim()) : null;
  if (offer) {
    lines.push({
      key: "+",
      words: offer.words,
      chosen: false,
      make: true,
      act: () => {
        setTyped(null);
        setOpen(false);
        offer.make();
      },
    });
  }
  const at = Math.min(active, lines.length - 1);

  const leave = () => {
    setOpen(false);
    if (typed === null) return;
    const text = typed.trim();
    setTyped(null);
    // What is shown may be typed as well as what it stands for.
    const meant = options.find((one) => one.value === text) ?? options.find((one) => one.label?.toLowerCase() === text.toLowerCase());
    const next = meant?.value ?? (free ? text : "");
    if (next) {
      if (next !== value) onChoose(next);
    } else if (!text && none !== undefined && value) onChoose("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) {
        setOpen(true);
        setActive(Math.max(0, fits.findIndex((one) => one.value === value)));
        return;
      }
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive((at + step + lines.length) % Math.max(1, lines.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (open) lines[at]?.act();
      else setOpen(true);
    } else if (event.key === "Escape" && (open || typed !== null)) {
      event.stopPropagation();
      setTyped(null);
      setOpen(false);
    }
  };
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, id]);

  return (
    <div className="ed-combo" ref={box} data-open={open}>
      <input
        ref={input}
        id={id}
        className={`input ${mono ? "input-mono" : ""}`}
        role="combobox"
        aria-expanded={open}
        aria-controls={open ? `${id}-list` : undefined}
        aria-activedescendant={open && lines.length ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        aria-label={name}
        aria-describedby={saidBy}
        aria-invalid={bad || undefined}
        autoComplete="off"
        spellCheck={false}
        value={shown}
        readOnly={readOnly}
        placeholder={placeholder ?? none}
        onChange={(event) => {
          setTyped(event.target.value);
          setActive(0);
          setOpen(true);
        }}
        onClick={() => !readOnly && setOpen(true)}
        onKeyDown={readOnly ? undefined : onKeyDown}
        onBlur={leave}
        dir="auto"
      />
      <ChevronsUpDown className="ed-combo-sign" size={13} aria-hidden="true" />
      {open ? (
        <Floating anchor={box} wide>
          <div id={`${id}-list`} role="listbox" aria-label={name} className="ed-options">
            {lines.map((line, index) => (
              <div
                key={line.key}
                id={`${id}-${index}`}
                role="option"
                aria-selected={line.chosen}
                data-active={index === at}
                data-value={line.key}
                className="ed-option"
                onMouseDown={(event) => event.preventDefault()}
                onMouseEnter={() => setActive(index)}
                onClick={line.act}
              >
                <span className="ed-option-sign">{line.make ? <Plus size={13} /> : line.chosen ? <Check size={13} /> : null}</span>
                <span className="ed-option-words">
                  <span className={mono && !line.make ? "mono" : undefined}>{line.words}</span>
                  {line.help ? <span className="ed-option-help">{line.help}</span> : null}
                </span>
                {line.note ? <span className="ed-option-note">{line.note}</span> : null}
              </div>
            ))}
            {lines.length ? null : <p className="ed-option-none">{t("panel.nothingFits")}</p>}
          </div>
        </Floating>
      ) : null}
    </div>
  );
}
