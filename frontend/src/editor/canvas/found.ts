import { create } from "zustand";
import { labelOf, nodesOf } from "../store/document";
import type { JsonObject } from "../store/wire";

interface Finding {
  words: string;
  found: string[];
  at: number;
}

export const finding = create<Finding>()(() => ({ words: "", found: [], at: 0 }));

/** The steps in which every one of these words stands, wherever: name, prompt, channels, settings. */
export function stepsWith(flow: JsonObject | null, words: string): string[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (!wanted.length) return [];
  return nodesOf(flow)
    .filter(({ id, type, json }) => {
      const all = `${labelOf(id)} ${type} ${JSON.stringify(json)}`.toLowerCase();
      return wanted.every((word) => all.includes(word));
    })
    .map((node) => node.id);
}

let last: { ids: string[]; set: ReadonlySet<string> } = { ids: [], set: new Set() };

export function useFound(): ReadonlySet<string> {
  return finding(({ found }) => {
    if (last.ids !== found) last = { ids: found, set: new Set(found) };
    return last.set;
  });
}
