/* Written by `make generate` from studio/api/wire.py. Never edited. */
import type { Frame, Json, QuestionItem, QuestionKind, QuestionState } from "./frames";

export type Decision = "answer" | "approve" | "decline" | "close" | "happened" | "again" | "skip" | "withdraw";

export type TurnState = "idle" | "working" | "waiting_you" | "waiting_others";

export type InboxTab = "mine" | "others" | "decided";

/**
 * An agent as its chat page draws it.
 *
 * text_input: the input that the composer's text fills; None when the flow takes no message. inputs: the others, as
 * form fields. paused: the operator's sentence, None while the agent is live.
 */
export interface Agent {
  slug: string;
  name: string;
  description: string;
  suggestions: string[];
  textInput: string | null;
  inputs: { [key: string]: Json };
  opensByItself: boolean;
  welcome: string;
  paused: string | null;
}

/** A decision, naming by its digest what was shown. */
export interface AnswerBody {
  digest: string;
  decision: Decision;
  text?: string | null;
  values?: { [key: string]: Json } | null;
  reason?: string | null;
  key?: string;
}

/**
 * What the chat page carries: enough to draw itself before anything is fetched.
 *
 * pane: it stands inside the editor, which it tells what its runs do. lock: None where nothing locks.
 */
export interface ChatBoot {
  agent: Agent;
  person: Person;
  conversation: string | null;
  title: string;
  frames: Frame[];
  seq: number;
  hide: string[];
  pane: boolean;
  inboxUrl: string | null;
  lock: Lock | null;
}

/** key: tells two people of one name apart, for what a browser's tab keeps of each. */
export interface Person {
  name: string;
  key: string;
  signedIn: boolean;
}

/**
 * How the page of an agent that knows its people locks. seconds: until then, 0 when it is. password: whether the
 * person has one.
 */
export interface Lock {
  seconds: number;
  minutes: number;
  email: string;
  password: boolean;
  signIn: SignIn | null;
}

/** Another way to sign in than by a password. name: whose. */
export interface SignIn {
  name: string;
  href: string;
}

export interface ConversationRow {
  id: string;
  title: string;
  lastAt: string;
  state: TurnState;
}

export interface Counts {
  mine: number;
  others: number;
  decided: number;
}

export interface DecideBoot {
  detail: QuestionDetail;
  inboxUrl: string | null;
}

/** conversation: its id, for the person whose it is. so_far: what the run did until it asked. */
export interface QuestionDetail {
  row: InboxRow;
  card: QuestionItem;
  run: string;
  node: string;
  slug: string;
  conversation: string | null;
  soFar: SoFar[];
}

/** A question in a list. by: whose run asks. summary: the first figures of its card. */
export interface InboxRow {
  question: string;
  kind: QuestionKind;
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

export interface SoFar {
  at: string;
  text: string;
}

export interface Decided {
  state: QuestionState;
}

/** lost: the channels of a card's documents that were there when it was made and are not as they were now. */
export interface ExhibitsNow {
  lost: string[];
}

/** The turn after which the new conversation goes its own way, by its run. */
export interface ForkBody {
  run: string;
}

export interface Forked {
  conversation: string;
}

/** How long the session has until it locks; 0 when it is locked. */
export interface Here {
  seconds: number;
}

export interface InboxBoot {
  tab: InboxTab;
  page: InboxPage;
  question: string | null;
  workspace: string;
}

export interface InboxPage {
  rows: InboxRow[];
  counts: Counts;
}

/** A message. key: the page's own; the same one again is the same message. */
export interface MessageBody {
  conversation?: string | null;
  text?: string | null;
  inputs?: { [key: string]: Json };
  key?: string;
}

export interface MessageSent {
  conversation: string;
  run: string;
  queued: boolean;
}

export interface OpenBody {
  key?: string;
}

/** run: the one that began by itself, for a flow without inputs. */
export interface Opened {
  conversation: string;
  run: string | null;
}

/**
 * What is wrong, where, and what to do.
 *
 * code: names the mistake (`NODE_UNREACHABLE`). level: errors stop a version, warnings are advice.
 * path: `nodes[2].prompt`, a JSON path from the top of the flow; "" means the whole flow.
 * message: what is wrong, quoting the name. hint: what to do about it; may be empty.
 */
export interface Problem {
  code: string;
  level: "error" | "warning";
  path: string;
  message: string;
  hint?: string;
}

/**
 * The body of every answer that is none: what body_of writes, declared for those who read it.
 *
 * fields: by field, the sentence shown beside it. problems: of a flow. state: of a question decided already.
 */
export interface Refusal {
  code: string;
  message: string;
  fields?: { [key: string]: string };
  problems?: Problem[];
  state?: QuestionState;
}

export interface RunState {
  status: string;
}

export interface StreamText {
  attempt: number;
  text: string;
}

export interface Unlock {
  password: string;
}
