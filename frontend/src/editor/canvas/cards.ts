import { t, type StringKey } from "../../shared/strings";
import { duration } from "../../shared/time";
import { channelsOf, labelOf, names, nodesOf, object, startOf, text, type NodeOf } from "../store/document";
import { stepsOf } from "../store/paths";
import type { Json, JsonObject, KindShape, Language, Problem, Proposal, RunView, StepState } from "../store/wire";
import { hueOf, kindOf } from "./kinds";

export type Tone = "plain" | "ok" | "warn" | "bad" | "accent";

export interface Badge {
  tone: Tone;
  kind: "problem" | "advice" | "approval" | "retry" | "running" | "waiting" | "failed" | "done" | "proposed" | "changed" | "removed";
  count?: number;
  ms?: number | null;
}

const WORDS: Record<Badge["kind"], StringKey> = {
  problem: "edit.badge.problem",
  advice: "edit.badge.advice",
  approval: "edit.badge.approval",
  retry: "edit.badge.retry",
  running: "edit.badge.running",
  waiting: "edit.badge.waiting",
  failed: "edit.badge.failed",
  done: "edit.badge.done",
  proposed: "edit.badge.proposed",
  changed: "edit.badge.changed",
  removed: "edit.badge.removed",
};

/** A badge in words: how long a step took, or what it is. */
export function badgeWords({ kind, count = 0, ms }: Badge): string {
  if (kind === "done" && typeof ms === "number") return duration(ms);
  return t(WORDS[kind], { count });
}

export type Mark = "added" | "changed" | "removed" | null;

/** A step as its card shows it: nothing in here but what is drawn, so that an equal one is not drawn again. */
export interface CardView {
  id: string;
  title: string;
  type: string;
  kind: string;
  hue: string;
  icon: string;
  says: string;
  reads: string[];
  writes: string[];
  badge: Badge | null;
  run: StepState | null;
  mark: Mark;
  start: boolean;
  inputs: string;
  found: boolean;
}

const TEMPLATE = /\{\{\s*([A-Za-z_][\w]*)/g;
const QUOTED = /['`‘]([A-Za-z_]\w*)['`’]/g;

/** Every value at a path in which an object or a list stands for all that it holds. */
function valuesAt(value: Json | undefined, steps: readonly (string | number)[]): Json[] {
  if (value === undefined || value === null) return [];
  const [step, ...rest] = steps;
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, steps));
  if (step === undefined) return typeof value === "object" ? Object.values(value).flatMap((each) => valuesAt(each, [])) : [value];
  if (typeof value !== "object") return [];
  return valuesAt(value[step], rest);
}

/** The channels that these paths of a step name, by their name or in a template. */
function named(node: JsonObject, paths: readonly string[] | undefined, known: JsonObject): string[] {
  const found = new Set<string>();
  for (const path of paths ?? []) {
    for (const value of valuesAt(node, stepsOf(path))) {
      if (typeof value !== "string") continue;
      if (value in known) found.add(value);
      for (const [, name] of value.matchAll(TEMPLATE)) if (name && (name in known || name === "history")) found.add(name);
    }
  }
  return [...found];
}

/** What code reads and writes, as its description quotes it. */
function described(words: string, known: JsonObject): { reads: string[]; writes: string[] } {
  const reads = new Set<string>();
  const writes = new Set<string>();
  let writing = false;
  for (const part of words.split(/(\b[Ww]rites?\b|\b[Rr]eads?\b)/)) {
    if (/^writes?$/i.test(part)) writing = true;
    else if (/^reads?$/i.test(part)) writing = false;
    else for (const [, name] of part.matchAll(QUOTED)) if (name && name in known) (writing ? writes : reads).add(name);
  }
  for (const name of writes) reads.delete(name);
  return { reads: [...reads], writes: [...writes] };
}

/** What a step reads and writes. */
export function traffic(node: JsonObject, kind: KindShape | undefined, known: JsonObject): { reads: string[]; writes: string[] } {
  const writes = named(node, kind?.writes, known);
  const reads = named(node, kind?.reads, known).filter((name) => !writes.includes(name));
  if (writes.length || reads.length) return { reads, writes };
  return described(text(node.description), known);
}

/** The first sentence of a text, on one line. */
export function sentenceOf(words: string): string {
  const line = words.replace(/\s+/g, " ").trim();
  const end = /[.!?](?=\s[A-Z])/.exec(line);
  return end ? line.slice(0, end.index + 1) : line.slice(0, 160);
}

/** One line of what a step means: its description, else what it asks or says, else what its kind does. */
export function meaningOf(node: JsonObject, kind: KindShape | undefined): string {
  const said = sentenceOf(text(node.description));
  if (said) return said;
  for (const field of kind?.fields ?? []) {
    if (field.key === "id" || field.key === "type" || field.ref === "channel") continue;
    const first = text(node[field.key]);
    if (first && (field.ref === "template" || field.ref === "tool" || field.widget === "text" || field.widget === "prompt")) return sentenceOf(first);
  }
  return kind?.summary ?? "";
}

/** How many problems of each level every step has, by its place in `nodes`. */
export function problemsByNode(problems: readonly Problem[]): Map<number, { errors: number; warnings: number }> {
  const found = new Map<number, { errors: number; warnings: number }>();
  for (const problem of problems) {
    const [key, at] = stepsOf(problem.path);
    if (key !== "nodes" || typeof at !== "number") continue;
    const count = found.get(at) ?? { errors: 0, warnings: 0 };
    if (problem.level === "error") count.errors += 1;
    else count.warnings += 1;
    found.set(at, count);
  }
  return found;
}

export interface Drawn {
  flow: JsonObject;
  language: Language | null;
  problems: readonly Problem[];
  proposal: Proposal | null;
  run: RunView | null;
  found: ReadonlySet<string>;
}

function badgeOf(node: JsonObject, mark: Mark, run: RunView | null, id: string, count: { errors: number; warnings: number } | undefined): Badge | null {
  if (mark === "added") return { tone: "ok", kind: "proposed" };
  if (mark === "changed") return { tone: "warn", kind: "changed" };
  if (mark === "removed") return { tone: "bad", kind: "removed" };
  const step = run?.steps[id];
  if (step?.state === "running") return { tone: "accent", kind: "running" };
  if (step?.state === "waiting") return { tone: "warn", kind: "waiting" };
  if (step?.state === "failed") return { tone: "bad", kind: "failed" };
  if (step?.state === "done") return { tone: "ok", kind: "done", ms: step.ms };
  if (count?.errors) return { tone: "bad", kind: "problem", count: count.errors };
  if (node.approval) return { tone: "warn", kind: "approval" };
  if (node.retry) return { tone: "plain", kind: "retry", count: Number(object(node.retry).maxAttempts) || 0 };
  if (count?.warnings) return { tone: "warn", kind: "advice", count: count.warnings };
  return null;
}

/** Every step of the flow as a card; with a proposal, those that it adds too. */
export function cardsOf({ flow, language, problems, proposal, run, found }: Drawn): CardView[] {
  const counts = problemsByNode(problems);
  const channels = channelsOf(flow);
  const start = startOf(flow);
  const proposed = proposal?.document;
  const after = new Map(nodesOf(proposed ?? null).map((node) => [node.id, node]));
  const card = (node: NodeOf, mark: Mark): CardView => {
    const kind = kindOf(language, node.type);
    const { reads, writes } = traffic(node.json, kind, mark === "added" ? channelsOf(proposed ?? null) : channels);
    const isStart = node.id === start;
    return {
      id: node.id,
      title: labelOf(node.id),
      type: node.type,
      kind: kind?.title ?? node.type,
      hue: hueOf(kind),
      icon: kind?.icon ?? "",
      says: meaningOf(node.json, kind),
      reads,
      writes,
      badge: badgeOf(node.json, mark, run, node.id, mark === "added" ? undefined : counts.get(node.at)),
      run: run?.steps[node.id]?.state ?? null,
      mark,
      start: isStart,
      inputs: isStart ? names(flow.inputs).join(", ") : "",
      found: found.has(node.id),
    };
  };
  const before = nodesOf(flow);
  const cards = before.map((node) => {
    if (!proposed) return card(node, null);
    const next = after.get(node.id);
    if (!next) return card(node, "removed");
    const changed = JSON.stringify(next.json) !== JSON.stringify(node.json);
    return changed ? card({ ...next, at: node.at }, "changed") : card(node, null);
  });
  const known = new Set(before.map((node) => node.id));
  for (const node of after.values()) if (!known.has(node.id)) cards.push(card(node, "added"));
  return cards;
}
