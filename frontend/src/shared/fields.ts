import type { Json } from "../generated/frames";
import { asJson, fileOfDraft } from "./files";
import { isRecord, labelOf } from "./shape";

/** A field as the flow language declares it. */
export interface Field {
  type: "string" | "text" | "number" | "boolean" | "date" | "list" | "object" | "any" | "file";
  required?: boolean;
  label?: string;
  description?: string;
  options?: Json[];
  default?: Json;
  maxLength?: number;
  /** Which files may be chosen. */
  accept?: string;
  /** A list's rows, by column; or what its entries are, when they are plain. */
  of?: Fields | PlainOf;
  /** An object's own fields. */
  fields?: Fields;
}

export type Fields = Record<string, Field>;
type PlainOf = Field | Field["type"];

/** What is on the form, as typed: text for everything written, so that half a number is kept too. */
export type Draft = string | boolean | null | Draft[] | { [name: string]: Draft };

const TYPES = new Set(["string", "text", "number", "boolean", "date", "list", "object", "any", "file"]);

export function asFields(given: { [name: string]: Json }): Fields {
  const fields: Fields = {};
  for (const [name, field] of Object.entries(given)) {
    const type = isRecord(field) ? field.type : field;
    if (typeof type !== "string" || !TYPES.has(type)) continue;
    // A word that was left out may arrive as null.
    const said = isRecord(field) ? Object.fromEntries(Object.entries(field).filter(([, word]) => word !== null)) : { type };
    fields[name] = said as unknown as Field;
  }
  return fields;
}

export const labelOfField = (name: string, field: Field): string => field.label || labelOf(name);

/** A list's columns; null when its entries are plain. */
export function columnsOfList(field: Field): Fields | null {
  const of = field.of;
  if (!of || typeof of === "string") return null;
  const type = (of as { type?: unknown }).type;
  return typeof type === "string" && TYPES.has(type) ? null : asFields(of as unknown as Record<string, Json>);
}

/** What the entries of a plain list are. */
export function entryOf(field: Field): Field {
  const of = field.of;
  if (typeof of === "string") return { type: of };
  if (of && typeof (of as { type?: unknown }).type === "string") return of as Field;
  return { type: "string" };
}

/** An object's own fields. One that declares none is filled in as rows of name and value, never as JSON. */
export function partsOf(field: Field): Fields | null {
  return field.fields || field.of ? asFields((field.fields ?? field.of) as unknown as Record<string, Json>) : null;
}

export const NAMED_VALUES: Fields = { name: { type: "string" }, value: { type: "string" } };

function plainDraft(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}

/** What the form opens with: the value when there is one, else the field's default. */
export function draftOf(field: Field, given: Json | undefined): Draft {
  const value = given === undefined ? field.default : given;
  if (field.options?.length) return value === undefined || value === null ? "" : optionKey(value);
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? value : value === "true";
    case "list": {
      const columns = columnsOfList(field);
      const rows = Array.isArray(value) ? value : [];
      if (columns) {
        const drafts = rows.map((row) => draftsOf(columns, isRecord(row) ? row : {}));
        return drafts.length ? drafts : [draftsOf(columns, {})];
      }
      const entry = entryOf(field);
      return rows.length ? rows.map((row) => draftOf(entry, row)) : [""];
    }
    case "object":
      return objectDraft(partsOf(field), isRecord(value) ? value : {});
    default:
      return plainDraft(value);
  }
}

function objectDraft(parts: Fields | null, value: { [name: string]: Json }): Draft {
  if (parts) return draftsOf(parts, value);
  const rows = Object.entries(value).map(([name, inner]) => ({ name, value: plainDraft(inner) }));
  return rows.length ? rows : [{ name: "", value: "" }];
}

export function draftsOf(fields: Fields, values: { [name: string]: Json }): { [name: string]: Draft } {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, draftOf(field, values[name])]));
}

/** A choice told apart from others of another type: the number 1 is not the text "1". */
export const optionKey = (value: Json): string => JSON.stringify(value);

const DIGITS = "٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹";

/** The number that was typed; what is none is sent as typed, and refused beside its field by the server. */
export function readNumber(text: string): Json {
  const latin = text.replace(/[٠-٩۰-۹]/g, (digit) => String(DIGITS.indexOf(digit) % 10)).trim();
  const plain = latin.replace(/[\s\u00a0\u202f]/g, "").replace("−", "-");
  const point = /^[-+]?\d+,\d+$/.test(plain) ? plain.replace(",", ".") : plain;
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(point)) return text;
  const value = Number(point);
  return Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value)) ? value : text;
}

const isFilled = (value: Json): boolean => value !== null && value !== "";

/** The number under which an entry of a plain list is sent: empty ones are left out. Null for one that is empty. */
export function sentAs(entry: Field, drafts: readonly Draft[], at: number): number | null {
  const filled = drafts.map((draft) => isFilled(valueOf(entry, draft)));
  return filled[at] ? filled.slice(0, at).filter(Boolean).length : null;
}

/** What is sent for a field. Nothing typed is null; rows stay where they are, so that the server's row numbers agree. */
export function valueOf(field: Field, draft: Draft | undefined): Json {
  if (field.options?.length) {
    if (typeof draft !== "string" || draft === "") return null;
    return field.options.find((option) => optionKey(option) === draft) ?? null;
  }
  switch (field.type) {
    case "boolean":
      return draft === true;
    case "number":
      return typeof draft === "string" && draft.trim() ? readNumber(draft) : null;
    case "list": {
      const rows = Array.isArray(draft) ? draft : [];
      const columns = columnsOfList(field);
      if (columns) return rows.map((row) => valuesOf(columns, row));
      const entry = entryOf(field);
      return rows.map((row) => valueOf(entry, row)).filter(isFilled);
    }
    case "object":
      return objectValue(partsOf(field), draft ?? {});
    case "file": {
      const file = fileOfDraft(draft);
      return file ? asJson(file) : null;
    }
    case "any":
      return typeof draft === "string" && draft.trim() ? readAny(draft) : null;
    case "string":
    case "text":
    case "date":
      return typeof draft === "string" && draft !== "" ? draft : null;
  }
}

function objectValue(parts: Fields | null, draft: Draft): Json {
  if (parts) return valuesOf(parts, draft);
  const rows = Array.isArray(draft) ? (draft as { name: string; value: string }[]) : [];
  return Object.fromEntries(rows.filter((row) => row.name.trim()).map((row) => [row.name.trim(), readAny(row.value)]));
}

/** JSON when it is a record, list, number or truth value; else the text itself. */
function readAny(text: string): Json {
  if (!/^\s*([[{\d-]|true|false)/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

export function valuesOf(fields: Fields, draft: Draft): { [name: string]: Json } {
  const drafts = typeof draft === "object" && draft !== null && !Array.isArray(draft) ? draft : {};
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valueOf(field, drafts[name])]));
}

/** The draft without one of a list's rows; the last row empties instead of going. */
export function withoutRow(rows: Draft[], at: number, empty: Draft): Draft[] {
  const left = rows.filter((_, index) => index !== at);
  return left.length ? left : [empty];
}
