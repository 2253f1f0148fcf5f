import type { KindShape, Language } from "../store/wire";

export interface Shelf {
  name: string;
  title: string;
  kinds: KindShape[];
}

/** How well a kind fits what was typed: by its name, then by what it does. 0: not at all. */
function fit(kind: KindShape, group: string, wanted: readonly string[]): number {
  const title = kind.title.toLowerCase();
  const type = kind.type.toLowerCase();
  const all = `${title} ${type} ${kind.summary} ${group}`.toLowerCase();
  if (!wanted.every((word) => all.includes(word))) return 0;
  const first = wanted[0] ?? "";
  if (title.startsWith(first) || type.startsWith(first)) return 3;
  return title.includes(first) || type.includes(first) ? 2 : 1;
}

/** The kinds that may be added and whose name or meaning has every one of these words, by group; the nearest first. */
export function kindsFor(language: Language | null, words: string): Shelf[] {
  if (!language) return [];
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const shelves = language.groups.map(({ name, title }) => {
    const fits = language.kinds.filter((kind) => kind.offered && kind.group === name).map((kind) => ({ kind, score: fit(kind, title, wanted) }));
    const found = fits.filter((each) => each.score > 0).sort((one, two) => two.score - one.score);
    return { name, title, kinds: found.map((each) => each.kind), best: found[0]?.score ?? 0 };
  });
  const some = shelves.filter((shelf) => shelf.best > 0);
  if (wanted.length) some.sort((one, two) => two.best - one.best);
  return some.map(({ name, title, kinds }) => ({ name, title, kinds }));
}
