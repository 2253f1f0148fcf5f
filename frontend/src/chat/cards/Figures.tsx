import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Does, Figure, Json } from "../../generated/frames";
import { isAmount, shapeOf } from "../../shared/shape";
import { t } from "../../shared/strings";
import { DEEPEST, Pairs, type Pair } from "../../shared/Value";
import { MixedNote, Verbatim } from "../../shared/Words";

/** A text longer than this is folded, and must be opened before its card can be approved. */
const LONG = 600;
const MANY_LINES = 12;

const isLong = (text: string): boolean => text.length > LONG || text.split("\n").length > MANY_LINES;

/** How many folded texts a value holds, as `Value` draws it at that depth. */
export function countLong(value: Json, depth = 1): number {
  if (depth > DEEPEST) return 0;
  const shape = shapeOf(value, { yes: "", no: "" }, true);
  const sum = (values: Json[]) => values.reduce<number>((total, inner) => total + countLong(inner, depth + 1), 0);
  switch (shape.shape) {
    case "block":
      return isLong(shape.text) ? 1 : 0;
    case "record":
      return sum(shape.entries.map(([, inner]) => inner));
    case "table":
      return sum(shape.rows.flatMap((row) => Object.values(row)));
    case "bullets":
      return sum(shape.items.filter((item) => typeof item !== "string" || item.includes("\n")));
    default:
      return 0;
  }
}

interface LongTextProps {
  text: string;
  /** Told when the text was opened for the first time; what it gives back is called when the text leaves the card. */
  onRead: () => () => void;
}

function LongText({ text, onRead }: LongTextProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const [read, setRead] = useState(false);
  // Opened, closed and opened again is still one text.
  useEffect(() => (read ? onRead() : undefined), [read]);
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
            setRead(true);
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
  const onOpen = () => {
    setOpened((n) => n + 1);
    return () => setOpened((n) => n - 1);
  };
  useEffect(() => {
    if (read) onRead?.();
  }, [read]);
  const how = { verbatim: true, wrapText: (text: string): ComponentChildren => <LongText text={text} onRead={onOpen} /> };
  return (
    <>
      {does?.tool ? <Pairs pairs={[{ label: t("chat.tool"), value: does.tool }]} how={how} /> : null}
      {pairs.length ? <Pairs pairs={pairs} how={how} /> : null}
      {sent.length ? (
        <>
          {pairs.length ? <h4 class="part-sub">{does?.tool ? t("chat.sends", { tool: does.tool }) : t("chat.sendsPlain")}</h4> : null}
          <Pairs pairs={sent} how={how} />
        </>
      ) : null}
    </>
  );
}
