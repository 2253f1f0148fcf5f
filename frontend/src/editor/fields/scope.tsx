/** @jsxImportSource react */
import { createContext, useContext, type ReactNode } from "react";
import type { Field, Language } from "../../generated/language";
import { t } from "../../shared/strings";
import { object } from "../store/document";
import { valueAt } from "../store/optimism";
import { pathOf } from "../store/paths";
import type { Json, JsonObject, Operation, Problem, Target, UnitLine } from "../store/wire";

export type Steps = readonly (string | number)[];

/** What may be opened from a panel: another part of the flow. */
export type Opened = { node: string } | { channel: string } | { tool: string } | { edge: { from: string; to?: string } } | { flow: string };

/** The flow as its panels see it. */
export interface Scope {
  id: string;
  flow: JsonObject;
  language: Language;
  readOnly: boolean;
  problems: readonly Problem[];
  units: readonly UnitLine[];
  /** Whether the edit was taken. */
  edit: (label: string, operations: Operation[]) => Promise<boolean>;
  open: (part: Opened) => void;
}

/** The one part whose fields are drawn: where edits of it go, where it stands in the document, what people call it. */
export interface Word {
  on: Target;
  base: Steps;
  value: JsonObject;
  name: string;
  /** Fields whose change is more than a value: what to do in place of setting them. */
  renames?: Record<string, (to: string) => Operation>;
}

const ScopeContext = createContext<Scope | null>(null);
const WordContext = createContext<Word | null>(null);
const CompactContext = createContext(false);

export function ScopeOf({ scope, children }: { scope: Scope; children: ReactNode }): ReactNode {
  return <ScopeContext.Provider value={scope}>{children}</ScopeContext.Provider>;
}

export function WordOf({ word, children }: { word: Word; children: ReactNode }): ReactNode {
  return <WordContext.Provider value={word}>{children}</WordContext.Provider>;
}

/** Fields inside another field are drawn closer, with their help behind a sign. */
export function Compact({ children }: { children: ReactNode }): ReactNode {
  return <CompactContext.Provider value={true}>{children}</CompactContext.Provider>;
}

export const useCompact = (): boolean => useContext(CompactContext);

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (!scope) throw new Error("Fields are drawn inside a ScopeOf");
  return scope;
}

export function useWord(): Word {
  const word = useContext(WordContext);
  if (!word) throw new Error("Fields are drawn inside a WordOf");
  return word;
}

/** One place of the word: its value, the object that holds it, its path in the document, and how to set it. */
export interface Place {
  value: Json | undefined;
  holder: JsonObject;
  at: string;
  set: (value: Json | undefined) => void;
}

export function usePlace(path: Steps, label: string): Place {
  const scope = useScope();
  const word = useWord();
  const value = valueAt(word.value, path);
  const last = path[path.length - 1];
  return {
    value,
    holder: object(valueAt(word.value, path.slice(0, -1))),
    at: pathOf([...word.base, ...path]),
    set: (next) => {
      const rename = path.length === 1 && typeof last === "string" ? word.renames?.[last] : undefined;
      const operation: Operation = rename ? rename(typeof next === "string" ? next : "") : setting(word, path, next);
      void scope.edit(t("panel.change", { what: label, of: word.name }), [operation]);
    },
  };
}

/** The operation that sets a place; nothing removes it. What stands there now goes along, so that no other change is lost. */
export function setting(word: Word, path: Steps, value: Json | undefined): Operation {
  const was = valueAt(word.value, path);
  return {
    op: "setField",
    on: word.on,
    path: [...path],
    ...(value === undefined ? {} : { value }),
    ...(was === undefined ? {} : { was }),
  };
}

/** The problems of a path; with `inside`, those of what it holds as well. */
export function problemsAt(problems: readonly Problem[], at: string, inside: boolean): Problem[] {
  return problems.filter((one) => one.path === at || (inside && (one.path.startsWith(`${at}.`) || one.path.startsWith(`${at}[`))));
}

/** May the field stand beside this type, and does anything act on it? One that stands there already is shown all the same. */
export function belongs(field: Field, holder: JsonObject): boolean {
  const { belongs: types = [], offered = true } = field;
  if (holder[field.key] !== undefined) return true;
  return offered && (!types.length || (typeof holder.type === "string" && types.includes(holder.type)));
}
