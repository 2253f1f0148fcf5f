/* Written by `make generate` from studio/api/wire_asks.py. Never edited. */
import type { ChangeLine } from "./edits";
import type { Json } from "./frames";

/**
 * All of an ask. reply: the model's words. note: ours, about what really happened.
 *
 * lines: made of the operations that were applied, never of the model's words. document, layout: the draft as it is
 * now with the proposal in it, where it fits. new_errors: what would be wrong then and is not now. began: a worker has
 * it. base_revision: the draft's that document was made from.
 */
export interface Ask {
  id: string;
  state: "working" | "proposed" | "answered" | "stopped" | "failed" | "accepted" | "dropped";
  text: string;
  by: string;
  mine: boolean;
  at: string;
  reply: string;
  note: string;
  count: number;
  rev: number;
  began: boolean;
  steps: AskStep[];
  lines: ChangeLine[];
  refused: AskRefused[];
  fits: boolean;
  document?: Json;
  layout?: Json;
  newErrors: string[];
  baseRevision: number;
  acceptedRevision: number | null;
  model: string;
  demo: boolean;
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  code: string;
}

/** Something done on the way. tool: empty for words that the model said. */
export interface AskStep {
  tool: string;
  words: string;
  ok: boolean;
}

/** A call of the model that was not carried out. */
export interface AskRefused {
  tool: string;
  code: string;
  message: string;
}

export interface AskBegun {
  id: string;
}

/** What the flow's socket says: an ask came further. */
export interface AskNews {
  type: "ask";
  id: string;
  rev: number;
}

/** An ask as a list shows it. count: how many things it changes. */
export interface AskRow {
  id: string;
  state: "working" | "proposed" | "answered" | "stopped" | "failed" | "accepted" | "dropped";
  text: string;
  by: string;
  mine: boolean;
  at: string;
  reply: string;
  note: string;
  count: number;
}

/**
 * The flow's last asks, the newest first. current: the one of this person that works or waits for a yes.
 *
 * problem: why nothing can be asked at the moment; empty when it can. may_set: this person may set that right.
 * demo: the demo model would answer.
 */
export interface Asks {
  asks: AskRow[];
  current: Ask | null;
  problem: string;
  maySet: boolean;
  demo: boolean;
}

/** An ask. selection: the ids of the nodes that are selected, when it is about them. */
export interface AskBody {
  text: string;
  /**
   * @maxItems 500
   */
  selection?: string[];
}
