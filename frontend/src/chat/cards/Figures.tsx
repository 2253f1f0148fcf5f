import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Does, Figure, Json } from "../../generated/frames";
import { isAmount, shapeOf } from "../../shared/shape";
import { t } from "../../shared/strings";
import { Pairs, type Pair } from "../../shared/Value";
import { MixedNote, Verbatim } from "../../shared/Words";

/** A text longer than this is folded, and must be opened before its card can be approved. */
const LONG = 600;
const MANY_LINES = 12;

const isLong = (text: string): boolean => text.length > LONG || text.split("\n").length > MANY_LINES;

/** How many folded texts a value holds, as it is drawn. */
export function countLong(value: Json): number {
  const shape = shapeOf(value, { yes: "", no: "" });
  if (shape.shape === "block") return isLong(shape.text) ? 1 : 0;
  if (shape.shape === "record") return shape.entries.reduce((sum, [, inner]) => sum + countLong(inner), 0);
  if (shape.shape === "table") return shape.rows.reduce((sum, row) => sum + Object.values(row).reduce<number>((n, cell) => n + countLong(cell), 0), 0);
  if (shape.shape === "bullets")
    return shape.items.reduce<number>((sum, item) => sum + (typeof item === "string" && !item.includes("\n") ? 0 : countLong(item)), 0);
  return 0;
}

function LongText({ text, onOpen }: { text: string; onOpen: () => void }): JSX.Element {
  const [open, setOpen] = useState(false);
  const long = isLong(text);
  const shown = open || !long ? text : text.split("\n").slice(0, MANY_LINES).join("\n").slice(0, LONG);
  return (
    <div class="value-block value-verbatim" dir="auto">
      <Verbatim text={shown} />
      {long ? (
        <button
          type="button"
          class="btn btn-small fold-button"
          aria-expanded={open}
          onClick={() => {
            if (!open) onOpen();
            setOpen(!open);
          }}
        >
          {open ? t("shared.showLess") : t("shared.showAll", { n: text.length })}
        </button>
      ) : null}
      <MixedNote text={text} />
    </div>
  );
}

export interface FiguresProps {
  figures: readonly Figure[];
  does?: Does;
  /** Told once every folded text was opened; at once when none is folded. */
  onRead?: () => void;
}

const isMoney = (value: Json): boolean => isAmount(value) && /\p{Sc}|[A-Z]{3}/u.test(String(value));

const same = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What a card is about, exactly as it is: the shown channels, then what a tool is sent where that says more. */
export function Figures({ figures, does, onRead }: FiguresProps): JSX.Element {
  const money = figures.filter(({ value }) => isMoney(value));
  const pairs: Pair[] = figures.map(({ label, value, channel }) => ({
    label,
    value,
    key: channel || label,
    strong: money.length === 1 && money[0]!.value === value,
  }));
  const sent = (does?.args ?? []).filter((arg) => !pairs.some((pair) => pair.label === arg.label && same(pair.value, arg.value)));
  const long = [...pairs, ...sent].reduce((sum, pair) => sum + countLong(pair.value), 0);
  const [opened, setOpened] = useState(0);
  const read = opened >= long;
  useEffect(() => {
    if (read) onRead?.();
  }, [read]);
  const how = { verbatim: true, wrapText: (text: string): ComponentChildren => <LongText text={text} onOpen={() => setOpened((n) => n + 1)} /> };
  return (
    <>
      {does?.tool ? <Pairs pairs={[{ label: t("chat.tool"), value: does.tool }]} how={how} /> : null}
      {pairs.length ? <Pairs pairs={pairs} how={how} /> : null}
      {sent.length ? (
        <>
          {pairs.length ? <h4 class="part-sub">{t("chat.sends", { tool: does?.tool ?? "" })}</h4> : null}
          <Pairs pairs={sent} how={how} />
        </>
      ) : null}
    </>
  );
}
