import type { KindShape, Language } from "../store/wire";

export interface Shelf {
  name: string;
  title: string;
  kinds: KindShape[];
}

/** The kinds whose name or meaning has every one of these words, by group. */
export function kindsFor(language: Language | null, words: string): Shelf[] {
  if (!language) return [];
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (kind: KindShape, group: string) => {
    const all = `${kind.title} ${kind.type} ${kind.summary} ${group}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  };
  return language.groups
    .map(({ name, title }) => ({ name, title, kinds: language.kinds.filter((kind) => kind.group === name && fits(kind, title)) }))
    .filter((shelf) => shelf.kinds.length > 0);
}
