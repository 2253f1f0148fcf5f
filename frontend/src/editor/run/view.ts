import type { Trace, TraceStep } from "../../generated/runs";
import type { StepLine } from "../../generated/frames";
import { nodeById } from "../store/document";
import type { JsonObject, RunView, StepState } from "../store/wire";

/** The node of a step's address, by all flows around it: `find#1/place#2` is a visit of `find/place`, `read[3]` a copy of `read`. */
export const nodeOf = (address: string): string => address.replace(/#\d+|\[(\d+|\*)\]/g, "");

/** The step of the canvas that a step of the run belongs to: the outermost one, for one within it. Null when it is gone. */
export function cardOf(flow: JsonObject | null, address: string): string | null {
  const known = nodeById(flow);
  const node = nodeOf(address);
  const outer = node.split("/")[0] ?? node;
  return known.has(node) ? node : known.has(outer) ? outer : null;
}

/** Which visit of its node a step is. */
export const visitOf = (address: string): number => Number(address.split("#").at(-1)) || 1;

/** The canvas knows four states; who declined let the step do nothing. */
const shown = (state: TraceStep["state"]): StepState => (state === "declined" ? "failed" : state);

/** How each node looks after these steps: its last visit decides. */
export function viewOf(run: string, steps: readonly Pick<StepLine | TraceStep, "address" | "state" | "ms">[]): RunView {
  const found: RunView["steps"] = {};
  for (const { address, state, ms } of steps) found[nodeOf(address)] = { state: shown(state), ms, address };
  return { run, steps: found };
}

/** The trace's steps with the newer states that the chat told: the trace is read a moment later than things happen. */
export function freshSteps(trace: Trace | null, told: readonly StepLine[]): Pick<TraceStep, "address" | "state" | "ms">[] {
  const by = new Map<string, Pick<TraceStep, "address" | "state" | "ms">>();
  for (const step of trace?.steps ?? []) by.set(step.address, step);
  for (const line of told) {
    const known = by.get(line.address);
    // A step that ended does not begin again; one that waits is told so by the trace alone.
    const over = known && (known.state === "done" || known.state === "failed" || known.state === "declined");
    if (!over && !(known?.state === "waiting" && line.state === "running")) by.set(line.address, line);
  }
  return [...by.values()];
}

/** What the chat in the pane says. */
export interface Report {
  conversation: string | null;
  run: string | null;
  status: string;
  steps: StepLine[];
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const asText = (value: unknown): string | null => (typeof value === "string" ? value : null);

function lineOf(value: unknown): StepLine[] {
  if (!isRecord(value)) return [];
  const { address, title, kind, state, ms } = value;
  if (typeof address !== "string" || (state !== "running" && state !== "done" && state !== "failed" && state !== "waiting")) return [];
  return [{ address, title: asText(title) ?? "", kind: asText(kind) ?? "", state, ms: typeof ms === "number" ? ms : null }];
}

/** A message of the chat, or null when it is none of ours. */
export function reportIn(message: unknown): Report | null {
  if (!isRecord(message) || message.source !== "lgstudio" || message.type !== "steps" || !Array.isArray(message.steps)) return null;
  const { conversation, run, status, steps } = message;
  return { conversation: asText(conversation), run: asText(run), status: asText(status) ?? "idle", steps: steps.flatMap(lineOf) };
}

/** Dollars as a person reads them: enough digits to see that something was paid. */
export function money(cost: number, locale: string = document.documentElement.lang || "en"): string {
  const digits = cost === 0 ? 2 : Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(cost))));
  return new Intl.NumberFormat(locale, { style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: digits }).format(cost);
}

/** A count with its thousands apart. */
export const count = (value: number, locale: string = document.documentElement.lang || "en"): string => new Intl.NumberFormat(locale).format(value);
