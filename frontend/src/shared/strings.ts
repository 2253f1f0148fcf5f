import { STRINGS } from "../generated/strings";

export type StringKey = keyof typeof STRINGS;

const SENTENCES: Readonly<Record<string, string>> = STRINGS;

/** The sentence of that key, its {names} filled; with `count: 1` the key `<key>.one` where there is one. A name that is
 * not given stays visible, so that it is found. */
export function t(key: StringKey, names: Record<string, string | number> = {}): string {
  const sentence = (names.count === 1 ? SENTENCES[`${key}.one`] : undefined) ?? STRINGS[key];
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => (name in names ? String(names[name]) : whole));
}
