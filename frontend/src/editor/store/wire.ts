import type { SetField } from "../../generated/edits";
import type { ChangeLine, DraftProblem, DraftUnit, EditMistake, Layout, EditStep, Position } from "../../generated/edits";
import type { Json } from "../../generated/frames";

export type { AddNode, Aside, AsidePlace, Change, ChangeLine, Comment, EditorBoot, EditReply, Layout, Operation, Paste, Splice } from "../../generated/edits";
export type { Field, KindShape, Language } from "../../generated/language";
export type { Json };

export type JsonObject = { [key: string]: Json };
export type XY = Position;
export type Problem = DraftProblem;
export type UnitLine = DraftUnit;
export type OperationProblem = EditMistake;
/** What undo or redo would do. */
export type Undoable = EditStep;
export type Target = SetField["on"];

/** What the page carries beside the boot. person: whose unsent edits this browser may send. */
export interface Around {
  person: string;
  /** The number of the version that is live somewhere; null when none is. */
  live: number | null;
  /** How many things the draft changed of it when the page was opened. */
  changes: number;
  /** May this person connect tool servers? */
  operates?: boolean;
}

/** A proposal as the canvas draws it over the flow. */
export interface Proposal {
  id: string;
  document: JsonObject;
  layout: Layout | null;
  lines: ChangeLine[];
}

export type StepState = "running" | "done" | "failed" | "waiting";

/** How a run went, as the canvas shows it. test: it was a test's, of which no trace is kept. */
export interface RunView {
  run: string;
  test?: boolean;
  steps: Record<string, { state: StepState; ms: number | null; address: string }>;
}
