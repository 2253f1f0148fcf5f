import type { EDITOR_STRINGS } from "../generated/editorstrings";
import type { INBOX_STRINGS } from "../generated/inboxstrings";
import { STRINGS } from "../generated/strings";

export type StringKey = keyof typeof STRINGS | keyof typeof INBOX_STRINGS | keyof typeof EDITOR_STRINGS;

const SENTENCES: Record<string, string> = { ...STRINGS };

/** Adds the sentences of one page to those that every page knows. */
export function learn(sentences: Readonly<Record<string, string>>): void {
  Object.assign(SENTENCES, sentences);
}

/** The sentence of that key, its {names} filled; with `count: 1` the key `<key>.one` where there is one. A name that is
 * not given stays visible, so that it is found. */
export function t(key: StringKey, names: Record<string, string | number> = {}): string {
  const sentence = (names.count === 1 ? SENTENCES[`${key}.one`] : undefined) ?? SENTENCES[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => (name in names ? String(names[name]) : whole));
}
