import type { ComponentChildren, JSX } from "preact";
import type { Json } from "../generated/frames";
import { FileCard } from "./fileparts";
import { asFile } from "./files";
import { isBeside, isIsoDay, labelOf, shapeOf, type Column } from "./shape";
import { t } from "./strings";
import { day } from "./time";
import { MixedNote, Verbatim } from "./Words";

export interface Pair {
  label: string;
  value: Json;
  /** Told apart from other pairs of the same label. */
  key?: string;
  /** The figure that matters most, drawn larger. */
  strong?: boolean;
}

/** How values are drawn. `verbatim`: nothing is put into another form and hidden characters are shown, for cards that decide.
 * `wrapText` draws a text that is not short, so that a card may fold it and a chat answer may read it as Markdown. */
export interface Drawing {
  verbatim?: boolean;
  wrapText?: (text: string) => ComponentChildren;
}

const words = () => ({ yes: t("shared.yes"), no: t("shared.no") });
/** Deeper than this, a value is written out instead of nested further. */
export const DEEPEST = 12;

function shortText(text: string, how: Drawing): ComponentChildren {
  if (!how.verbatim) return isIsoDay(text) ? <time dateTime={text}>{day(text)}</time> : text;
  return (
    <>
      <Verbatim text={text} />
      <MixedNote text={text} />
    </>
  );
}

function blockText(text: string, how: Drawing): ComponentChildren {
  if (how.wrapText) return how.wrapText(text);
  return (
    <div class="value-block" dir="auto">
      {how.verbatim ? <Verbatim text={text} /> : text}
    </div>
  );
}

/** Any value, drawn by what it is. */
export function Value({ value, how = {}, depth = 0 }: { value: Json | undefined; how?: Drawing; depth?: number }): JSX.Element {
  if (depth > DEEPEST) {
    const written = JSON.stringify(value);
    return (
      <span class="value-short" dir="auto">
        {how.verbatim ? <Verbatim text={written} /> : written}
      </span>
    );
  }
  const file = asFile(value);
  if (file) return <FileCard file={file} verbatim={how.verbatim} />;
  const shape = shapeOf(value, words(), how.verbatim);
  switch (shape.shape) {
    case "empty":
      return <span class="value-empty">{t("shared.empty")}</span>;
    case "short":
      return (
        <span class={shape.number ? "value-short value-number" : "value-short"} dir="auto">
          {shortText(shape.text, how)}
        </span>
      );
    case "block":
      return <>{blockText(shape.text, how)}</>;
    case "chips":
      return (
        <ul class="value-chips">
          {shape.items.map((item, index) => (
            <li key={index} dir="auto">
              {shortText(item, how)}
            </li>
          ))}
        </ul>
      );
    case "bullets":
      return (
        <ul class="value-bullets">
          {shape.items.map((item, index) => (
            <li key={index} dir="auto">
              {typeof item === "string" && !item.includes("\n") ? shortText(item, how) : <Value value={item} how={how} depth={depth + 1} />}
            </li>
          ))}
        </ul>
      );
    case "table":
      return <Table columns={shape.columns} rows={shape.rows} how={how} depth={depth} />;
    case "record":
      return <Pairs pairs={shape.entries.map(([key, value]) => ({ key, label: labelOf(key), value }))} how={how} depth={depth} />;
  }
}

/** Labelled values: short ones beside their labels, everything else under its label at full width. */
export function Pairs({ pairs, how = {}, depth = 0 }: { pairs: Pair[]; how?: Drawing; depth?: number }): JSX.Element {
  return (
    <dl class={depth ? "value-record value-nested" : "value-record"}>
      {pairs.map(({ label, value, key, strong }, index) => {
        const beside = isBeside(shapeOf(value, words(), how.verbatim));
        return (
          <div key={key ?? index} class={beside ? (strong ? "value-pair value-strong" : "value-pair") : "value-pair value-wide"}>
            <dt>
              <bdi>{how.verbatim ? <Verbatim text={label} /> : label}</bdi>
            </dt>
            <dd>
              <Value value={value} how={how} depth={depth + 1} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** A date, a number or a name is not broken over two lines. */
const isTight = (cell: Json | undefined): boolean => typeof cell !== "object" && String(cell ?? "").length <= 14;

function decimals(rows: Record<string, Json>[], column: Column): number {
  let most = 0;
  for (const row of rows) {
    const cell = row[column.key];
    if (typeof cell === "number") most = Math.max(most, /\.(\d+)$/.exec(String(cell))?.[1]?.length ?? 0);
  }
  return Math.min(most, 6);
}

function Table({ columns, rows, how, depth }: { columns: Column[]; rows: Record<string, Json>[]; how: Drawing; depth: number }): JSX.Element {
  const places = new Map(columns.map((column) => [column.key, how.verbatim || !column.number ? 0 : decimals(rows, column)]));
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("shared.table")}>
      <table class="answer-table" dir="auto">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" class={column.number ? "number" : undefined}>
                <bdi>{how.verbatim ? <Verbatim text={column.label} /> : column.label}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column) => {
                const cell = row[column.key];
                const shown = typeof cell === "number" && places.get(column.key) ? cell.toFixed(places.get(column.key)) : cell;
                return (
                  <td key={column.key} class={column.number ? "number" : isTight(cell) ? "tight" : undefined}>
                    <Value value={shown} how={how} depth={depth + 1} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
