import "../words";
import { create } from "zustand";
import type { Saving } from "./queue";
import type { Around, Aside, EditorBoot, JsonObject, Language, Layout, Problem, Proposal, RunView, Undoable, UnitLine, XY } from "./wire";

export interface EdgeRef {
  from: string;
  to?: string;
  route?: string;
}

/** A part of the flow that is no step: what the panel shows when nothing on the canvas is chosen. */
export type Part = { channel: string } | { tool: string } | { flow: string };

export interface Selection {
  nodes: string[];
  edges: EdgeRef[];
  comment: string | null;
  part: Part | null;
}

export type Pane = "panel" | "run" | "tests" | "versions" | null;
export type View = "canvas" | "json";

/** Where a jump goes: the path that a problem names. `at` counts jumps, so that the same one works twice. */
export interface Jump {
  path: string;
  at: number;
}

/** A sentence for the person, shown until it is closed or `until`. */
export interface Notice {
  id: number;
  words: string;
  hints: string[];
  bad: boolean;
}

export interface EditorState {
  id: string;
  name: string;
  /** The document as it is drawn, edits on their way included; null when the text is no readable JSON. */
  flow: JsonObject | null;
  layout: Layout;
  /** The draft's text at `textRevision`; later texts are the server's to write. */
  text: string;
  textRevision: number;
  revision: number;
  /** The revision at which the document was last seen to change; places and comments are no part of it. */
  documentRevision: number;
  problems: Problem[];
  units: UnitLine[];
  undo: Undoable | null;
  redo: Undoable | null;
  asides: Aside[];
  saving: Saving;
  savingWords: string;
  /** May this person edit, and does this screen have room for it? */
  canEdit: boolean;
  /** The right alone. */
  mayEdit: boolean;
  canPublish: boolean;
  canRun: boolean;
  /** May this person say where tools are, and which may be called? */
  canOperate: boolean;
  live: number | null;
  /** How many things were changed since; null once more was changed than anybody has counted. */
  changes: number | null;
  selection: Selection;
  pane: Pane;
  view: View;
  jump: Jump | null;
  proposal: Proposal | null;
  run: RunView | null;
  language: Language | null;
  /** Places of steps that have none of their own yet. */
  auto: Record<string, XY>;
  notices: Notice[];
  finding: boolean;
}

export const NOTHING: Selection = { nodes: [], edges: [], comment: null, part: null };

export const EMPTY: EditorState = {
  id: "",
  name: "",
  flow: null,
  layout: { nodes: {}, comments: [] },
  text: "",
  textRevision: 0,
  revision: 0,
  documentRevision: 0,
  problems: [],
  units: [],
  undo: null,
  redo: null,
  asides: [],
  saving: "saved",
  savingWords: "",
  canEdit: false,
  mayEdit: false,
  canPublish: false,
  canRun: false,
  canOperate: false,
  live: null,
  changes: 0,
  selection: NOTHING,
  pane: null,
  view: "canvas",
  jump: null,
  proposal: null,
  run: null,
  language: null,
  auto: {},
  notices: [],
  finding: false,
};

export const store = create<EditorState>()(() => EMPTY);

/** A part of the editor's state; the component is drawn again when that part is another one. */
export function useEditor<T>(select: (state: EditorState) => T): T {
  return store(select);
}

/** What the boot gives at once. */
export function fromBoot(boot: EditorBoot, { live, changes, operates }: Around): Partial<EditorState> {
  const { id, name, text, revision, problems, units, undo, redo, asides, canPublish, canRun } = boot;
  const mayEdit = boot.canEdit === true;
  return { id, name, text, textRevision: revision, revision, documentRevision: revision, problems, units, undo, redo, asides, canPublish, canRun, live, changes, canOperate: operates === true, mayEdit, canEdit: mayEdit };
}
