import { t } from "./strings";

const locale = (): string => document.documentElement.lang || navigator.language || "en";

const made = new Map<string, unknown>();
function keep<T>(key: string, make: () => T): T {
  const name = `${locale()} ${key}`;
  if (!made.has(name)) made.set(name, make());
  return made.get(name) as T;
}

const number = (digits: number) =>
  keep(`n${digits}`, () => new Intl.NumberFormat(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits }));

/** Milliseconds as a person says them: 840 ms, 1.9 s, 2 min 5 s. */
export function duration(ms: number): string {
  if (ms < 1000) return t("shared.ms", { n: Math.round(ms) });
  if (ms < 60_000) return t("shared.seconds", { n: number(1).format(ms / 1000) });
  const seconds = Math.round(ms / 1000);
  return t("shared.minutesSeconds", { m: Math.floor(seconds / 60), s: seconds % 60 });
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** The largest whole unit of a span: 2 h, 12 min, 3 days. */
export function span(ms: number): string {
  const size = Math.abs(ms);
  const [unit, length] = UNITS.find(([, length]) => size >= length) ?? ["minute", 60_000];
  return keep(
    `span ${unit}`,
    () => new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: unit === "day" ? "long" : "short" }),
  ).format(Math.max(unit === "minute" ? 1 : 0, Math.floor(size / length)));
}

/** A moment before now, in words: just now, 4 min ago, 3 Nov. */
export function ago(iso: string, now = Date.now()): string {
  const ms = now - Date.parse(iso);
  if (Number.isNaN(ms)) return "";
  if (ms < 45_000) return t("shared.justNow");
  if (ms > 7 * 86_400_000) return day(iso);
  return t("shared.ago", { span: span(ms) });
}

export function day(iso: string): string {
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(iso) ? `${iso}T00:00` : iso);
  const sameYear = date.getFullYear() === new Date().getFullYear();
  return keep(
    `day ${sameYear}`,
    () => new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short", ...(sameYear ? {} : { year: "numeric" }) }),
  ).format(date);
}

export function clock(iso: string): string {
  return keep("clock", () => new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit" })).format(new Date(iso));
}

/** Day and time, in full: for titles and decided cards. */
export function moment(iso: string): string {
  return keep("moment", () => new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" })).format(new Date(iso));
}
