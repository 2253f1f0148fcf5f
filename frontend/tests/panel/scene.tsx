/** @jsxImportSource react */
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState, type ReactNode } from "react";
import { afterEach, beforeEach, vi } from "vitest";
import type { Field, Language } from "../../src/generated/language";
import "../../src/editor/words";
import { Fields } from "../../src/editor/fields/Fields";
import { ScopeOf, WordOf, type Opened, type Word } from "../../src/editor/fields/scope";
import { forgetTyping, PAUSE_MS } from "../../src/editor/fields/typing";
import { isObject } from "../../src/editor/store/changes";
import { object } from "../../src/editor/store/document";
import { expect as expected, placeOf, valueAt } from "../../src/editor/store/optimism";
import type { JsonObject, Operation, Problem, Target } from "../../src/editor/store/wire";
import told from "../language.json";

/** The language as the server tells it. */
export const LANGUAGE: Language = JSON.parse(JSON.stringify(told));

export const kindFields = (type: string): Field[] => LANGUAGE.kinds.find((kind) => kind.type === type)?.fields ?? [];

export const FLOW: JsonObject = {
  version: "1.0",
  name: "Desk",
  conversation: true,
  inputs: ["question"],
  outputs: ["answer"],
  start: "think",
  tools: [{ name: "find", description: "", inputs: { wanted: { type: "string", required: true }, most: { type: "number" } } }],
  state: {
    question: { type: "string", description: "What is asked." },
    plan: { type: "object", description: "What is wanted." },
    rows: { type: "list", description: "What was found." },
    total: { type: "number", description: "" },
    answer: { type: "string", description: "" },
  },
  nodes: [
    {
      id: "think",
      type: "llm",
      prompt: "Think about {{question}}.",
      output: "plan",
      schema: { type: "object", properties: { want: { type: "string", enum: ["order", "other"] }, many: { type: "number" } }, required: ["want"] },
    },
    { id: "find_it", type: "tool", tool: "find", args: {}, output: "rows" },
    { id: "ask_it", type: "form", title: "", fields: { name: { type: "string" } }, output: "plan" },
    { id: "say", type: "llm", prompt: "Say it.", output: "answer" },
  ],
  edges: [
    { from: "think", type: "conditional", router: "routeThink", routes: { order: "find_it", rest: "say" }, when: { order: "'plan.want' is \"order\"", rest: "anything else" } },
    { from: "find_it", to: "say" },
    { from: "say", to: "END" },
  ],
};

/** What the panel did, as the server would be told. */
export interface Scene {
  flow: () => JsonObject;
  edits: { label: string; operations: Operation[] }[];
  opened: Opened[];
  /** What stands at a place of the flow. */
  at: (...steps: (string | number)[]) => unknown;
}

interface Given {
  on: Target;
  fields?: readonly Field[];
  flow?: JsonObject;
  problems?: Problem[];
  readOnly?: boolean;
  renames?: Word["renames"];
  children?: ReactNode;
}

/** Draws the fields of one word over a flow of the test's own. What the server would do with names is left out. */
export function draw({ on, fields = [], flow = FLOW, problems = [], readOnly = false, renames, children }: Given): Scene {
  let now = structuredClone(flow);
  const scene: Scene = { flow: () => now, edits: [], opened: [], at: (...steps) => valueAt(now, steps) };
  function Stage(): ReactNode {
    const [, again] = useState(0);
    const edit = async (label: string, operations: Operation[]) => {
      scene.edits.push({ label, operations });
      for (const one of operations) if (one.op === "addChannel") now = { ...now, state: { ...object(now.state), [one.name]: one.channel } };
      now = expected({ flow: now, layout: {} }, operations).flow ?? now;
      again((count) => count + 1);
      return true;
    };
    const base = placeOf(now, on) ?? [];
    const value = valueAt(now, base);
    const word: Word = { on, base, value: isObject(value) ? value : {}, name: "it", ...(renames ? { renames } : {}) };
    return (
      <ScopeOf scope={{ id: "f", flow: now, language: LANGUAGE, readOnly, problems, units: [], edit, open: (part) => scene.opened.push(part) }}>
        <WordOf word={word}>{children ?? <Fields fields={fields} />}</WordOf>
      </ScopeOf>
    );
  }
  render(<Stage />);
  return scene;
}

/** Time and typing of a test. */
export function useTyped(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    Element.prototype.scrollIntoView = () => {};
    // What the server would be asked stays unanswered, unless a test answers it.
    vi.stubGlobal("fetch", () => new Promise(() => undefined));
  });
  afterEach(() => {
    cleanup();
    forgetTyping();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
}

export const pause = (ms = PAUSE_MS): void => act(() => void vi.advanceTimersByTime(ms));

/** The input, by its name. */
export function box(name: string | RegExp): HTMLInputElement {
  const found = screen.getAllByLabelText(name).find((each) => each instanceof HTMLInputElement || each instanceof HTMLTextAreaElement);
  if (!(found instanceof HTMLInputElement) && !(found instanceof HTMLTextAreaElement)) throw new Error(`No input ${String(name)}`);
  return found as HTMLInputElement;
}

export function type(name: string | RegExp, text: string): void {
  const input = box(name);
  act(() => input.focus());
  fireEvent.change(input, { target: { value: text } });
}

export const press = (name: string | RegExp): void => {
  fireEvent.click(screen.getByRole("button", { name }));
};

export function enter(name: string | RegExp): void {
  fireEvent.keyDown(box(name), { key: "Enter" });
}

/** Chooses an option of a list that opens under an input. */
export function choose(name: string | RegExp, option: string | RegExp): void {
  fireEvent.click(box(name));
  fireEvent.click(screen.getByRole("option", { name: option }));
}

export { fireEvent, screen };
