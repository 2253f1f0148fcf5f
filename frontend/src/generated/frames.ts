/* Written by `make generate` from studio/frames/items.py. Never edited. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type QuestionState = "pending" | "answered" | "approved" | "declined" | "closed" | "expired" | "withdrawn";

export type Item =
  | MessageItem
  | StepsItem
  | AnswerItem
  | AskItem
  | FormItem
  | ApprovalItem
  | OutcomeItem
  | WaitingItem
  | EndItem
  | StatusItem;

export type QuestionKind = "ask" | "form" | "approval" | "outcome";

export type QuestionItem = AskItem | FormItem | ApprovalItem | OutcomeItem | WaitingItem;

export type SocketMessage = FramesMessage | DeltaMessage | ResetMessage;

/** An output. While streaming, value is "" and the text comes as deltas of the same attempt. */
export interface AnswerItem {
  type: "answer";
  id: string;
  run: string;
  channel: string;
  label: string;
  value: Json;
  streaming: boolean;
  attempt: number;
  demo: boolean;
}

/** A card for those who decide. why: the agent's own account, a paragraph or one line per step. */
export interface ApprovalItem {
  type: "approval";
  id: string;
  run: string;
  question: string;
  ask: string;
  figures: Figure[];
  exhibits: Exhibit[];
  why: string | null;
  does: Does;
  edit: Edit | null;
  digest: string;
  state: QuestionState;
  decider: "starter" | "reviewers";
  canDecide: boolean;
  canWithdraw: boolean;
  expiresAt: string | null;
  decidedBy: string | null;
  reason: string | null;
}

/** A value on a card. editable: the person may correct it before approving. */
export interface Figure {
  label: string;
  channel: string;
  value: Json;
  editable?: boolean;
}

/** A document behind a decision. opens: it was read when the card was made, and is here. lost: it is no longer. */
export interface Exhibit {
  label: string;
  channel: string;
  id: string;
  name: string;
  mediaType: string;
  bytes: number;
  sha256: string;
  opens: boolean;
  lost: boolean;
}

/** What an approval lets happen. args: what a tool is sent, in order. */
export interface Does {
  kind: string;
  tool: string | null;
  args: Shown[];
}

export interface Shown {
  label: string;
  value: Json;
}

/** The fields a person may correct on a card; names are `channel` or `channel.key`, and come back as they are. */
export interface Edit {
  fields: { [key: string]: Json };
  values: { [key: string]: Json };
}

export interface AskItem {
  type: "ask";
  id: string;
  run: string;
  question: string;
  digest: string;
  text: string;
  show: Figure[];
  state: QuestionState;
  answer: string | null;
  by: string | null;
}

/** Text that follows `offset` characters of the same attempt; one that does not fit is read from the stream. */
export interface DeltaMessage {
  type: "delta";
  item: string;
  attempt: number;
  offset: number;
  text: string;
}

export interface EndItem {
  type: "end";
  id: string;
  run: string;
  state: "failed" | "cancelled" | "lost";
  code: string;
  message: string;
  canRetry: boolean;
}

/**
 * fields: the language's own field declarations by name. values: what the form opens with.
 *
 * why: a model's own words on why it asks; "" where the flow itself asks.
 */
export interface FormItem {
  type: "form";
  id: string;
  run: string;
  question: string;
  digest: string;
  title: string;
  why: string;
  fields: { [key: string]: Json };
  values: { [key: string]: Json };
  state: QuestionState;
  answerShown: Shown[];
  by: string | null;
}

/** Put draws an item in place of the one with its id, or after the last one; remove takes it away. */
export interface Frame {
  seq: number;
  op: "put" | "remove";
  id: string;
  item: Item | null;
}

export interface MessageItem {
  type: "message";
  id: string;
  run: string;
  text: string;
  values: Given[];
  by: string;
  state: "sent" | "queued";
  canRemove: boolean;
  at: string;
}

/** A field of a message. channel: the input that it is; "" in a message of before that was kept. */
export interface Given {
  label: string;
  value: Json;
  channel?: string;
}

/** ms: the steps' own time together, without what people took to answer. */
export interface StepsItem {
  type: "steps";
  id: string;
  run: string;
  steps: StepLine[];
  ms: number;
  demo: boolean;
}

export interface StepLine {
  address: string;
  title: string;
  kind: string;
  state: "running" | "done" | "failed" | "waiting";
  ms: number | null;
}

/** A write nobody can say happened. answer: what a person found out. */
export interface OutcomeItem {
  type: "outcome";
  id: string;
  run: string;
  question: string;
  digest: string;
  ask: string;
  figures: Figure[];
  state: QuestionState;
  canDecide: boolean;
  decidedBy: string | null;
  answer: ("happened" | "again" | "skip") | null;
  reason: string | null;
}

/** A question as those see it who cannot decide it: what waits, for whom, until when. */
export interface WaitingItem {
  type: "waiting";
  id: string;
  run: string;
  question: string;
  digest: string;
  ask: string;
  kind: QuestionKind;
  state: QuestionState;
  forWhom: string;
  expiresAt: string | null;
  canWithdraw: boolean;
  decidedBy: string | null;
  reason: string | null;
}

/** Whose turn it is. question and kind name what is waited for. */
export interface StatusItem {
  type: "status";
  id: "status";
  state: "idle" | "working" | "waiting_you" | "waiting_others";
  run: string | null;
  question: string | null;
  kind: QuestionKind | null;
}

/** seq: how far the page is once it has drawn these. */
export interface FramesMessage {
  type: "frames";
  frames: Frame[];
  seq: number;
}

/** The page is ahead of the log it asked for: draw it anew from seq 0. */
export interface ResetMessage {
  type: "reset";
}
