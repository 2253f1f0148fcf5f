/* Written by `make generate` from the request and reply models in studio/api. Never edited. */
import type { ApprovalItem, AskItem, FormItem, Json, OutcomeItem, QuestionState, WaitingItem } from "./frames";

export interface Refusal {
  code: string;
  message: string;
  fields?: { [path: string]: string };
  problems?: Problem[];
  state?: QuestionState;
}

export interface Problem {
  code: string;
  level: "error" | "warning";
  path: string;
  message: string;
  hint: string;
}

export interface MessageSent {
  conversation: string;
  run: string;
  queued: boolean;
}

export interface ConversationRow {
  id: string;
  title: string;
  lastAt: string;
  state: "idle" | "working" | "waiting_you" | "waiting_others";
}

export type Decision = "answer" | "approve" | "decline" | "close" | "happened" | "again" | "skip" | "withdraw";

export interface AnswerBody {
  digest: string;
  decision: Decision;
  text?: string;
  values?: { [name: string]: Json };
  reason?: string;
  key: string;
}

export type InboxTab = "mine" | "others" | "decided";

export interface InboxRow {
  question: string;
  kind: "ask" | "form" | "approval" | "outcome";
  title: string;
  agent: string;
  summary: string;
  state: QuestionState;
  by: string;
  askedAt: string;
  expiresAt: string | null;
  decidedBy: string | null;
  decidedAt: string | null;
}

export interface InboxPage {
  rows: InboxRow[];
  counts: { mine: number; others: number; decided: number };
}

export interface SoFar {
  at: string;
  text: string;
}

export interface QuestionDetail {
  row: InboxRow;
  card: AskItem | FormItem | ApprovalItem | OutcomeItem | WaitingItem;
  run: string;
  node: string;
  slug: string;
  conversation: string | null;
  soFar: SoFar[];
}
