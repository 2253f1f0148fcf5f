import type { Json } from "../generated/frames";

/** How a value is drawn follows from what it is. `block`: a text with lines, or a long one. */
export type Shape =
  | { shape: "empty" }
  | { shape: "short"; text: string; number: boolean }
  | { shape: "block"; text: string }
  | { shape: "chips"; items: string[] }
  | { shape: "bullets"; items: Json[] }
  | { shape: "table"; columns: Column[]; rows: Record<string, Json>[] }
  | { shape: "record"; entries: [string, Json][] };

export interface Column {
  key: string;
  label: string;
  /** Numbers stand right, one under the other; numbers that only name something (order_id) do not. */
  number: boolean;
}

/** Longer than this, or with lines, and a text is a block under its label. */
const SHORT = 80;
const CHIP = 24;

export const isRecord = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isPlain = (value: Json): value is string | number | boolean | null => value === null || typeof value !== "object";

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);

/** customer_id and customerId become "Customer id"; what is already a sentence stays as somebody wrote it. */
export function labelOf(key: string): string {
  if (/\s/.test(key) || !/^[A-Za-z][A-Za-z0-9_-]*$/.test(key)) return key;
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .split(" ")
    .map((word) => (word.length > 1 && word === word.toUpperCase() ? word : word.toLowerCase()));
  const label = words.join(" ");
  return label ? label[0]!.toUpperCase() + label.slice(1) : key;
}

/** A string that is wholly one JSON record, or one list of records, is read as that. Prose with a brace stays prose. */
export function readWhole(text: string): Json | undefined {
  const trimmed = text.trim();
  if (!/^(\{[\s\S]*\}|\[\s*\{[\s\S]*\}\s*\])$/.test(trimmed)) return undefined;
  try {
    const value = JSON.parse(trimmed) as Json;
    if (isRecord(value)) return value;
    return Array.isArray(value) && value.every(isRecord) ? value : undefined;
  } catch {
    return undefined;
  }
}

const NAMES = /(^|[\s_-])(id|ids|no|nr|number|code|year|phone|zip|order|key|ref)$/i;

function columnsOf(rows: Record<string, Json>[]): Column[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return keys.map((key) => {
    const label = labelOf(key);
    const cells = rows.map((row) => row[key]).filter((cell) => !isEmpty(cell)) as Json[];
    const number = cells.length > 0 && cells.every((cell) => typeof cell === "number" || isAmount(cell));
    return { key, label, number: number && !NAMES.test(label) };
  });
}

/** 845.80, 1,204.00, -3, € 36.00, 12 %: what a person reads as an amount. */
export function isAmount(cell: Json): boolean {
  return typeof cell === "string" && /^\s*[-+−]?\s*\p{Sc}?\s*[-+−]?\d[\d.,\s\u00a0]*\s*(?:\p{Sc}|%|[A-Z]{3})?\s*$/u.test(cell) && /\d/.test(cell);
}

/** `verbatim`: a text stays the text it is. JSON that is read and drawn anew hides what it really says: of two equal keys
 * only the last is left, and a number of many digits becomes another one. */
export function shapeOf(value: Json | undefined, words: { yes: string; no: string }, verbatim = false): Shape {
  if (isEmpty(value)) return { shape: "empty" };
  if (typeof value === "boolean") return { shape: "short", text: value ? words.yes : words.no, number: false };
  if (typeof value === "number") return { shape: "short", text: String(value), number: true };
  if (typeof value === "string") {
    const whole = verbatim ? undefined : readWhole(value);
    if (whole !== undefined) return shapeOf(whole, words);
    if (!value.trim()) return { shape: "empty" };
    return value.includes("\n") || value.length > SHORT
      ? { shape: "block", text: value }
      : { shape: "short", text: value, number: false };
  }
  if (Array.isArray(value)) {
    if (value.every(isRecord)) return { shape: "table", columns: columnsOf(value), rows: value };
    if (value.every(isPlain)) {
      const items = value.map((item) =>
        item === null ? "—" : typeof item === "boolean" ? (item ? words.yes : words.no) : String(item),
      );
      return items.every((item) => item.length <= CHIP && !item.includes("\n"))
        ? { shape: "chips", items }
        : { shape: "bullets", items };
    }
    return { shape: "bullets", items: value };
  }
  return { shape: "record", entries: Object.entries(value as Record<string, Json>) };
}

/** Whether a value stands beside its label; everything else takes the whole width under it. */
export function isBeside(shape: Shape): boolean {
  return shape.shape === "empty" || shape.shape === "short" || shape.shape === "chips";
}

export const isIsoDay = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text);
