/* Written by `make generate` from studio/api/wire_runs.py. Never edited. */
import type { ChangeLine } from "./edits";
import type { Json } from "./frames";

/** A channel as it was before a step. cut: its value is too long to be changed here, and stays as it was. */
export interface AnewChannel {
  name: string;
  type: string;
  description: string;
  value: Json;
  cut: boolean;
}

/** version: the number of the one that ran, null of a draft. in_draft: the newest draft has the step too. */
export interface AnewForm {
  address: string;
  title: string;
  channels: AnewChannel[];
  version: number | null;
  inDraft: boolean;
}

/** needed: the flow asks a model. name: "" where none is set up. may_set: this person may set one up. */
export interface AnswerModel {
  needed: boolean;
  name: string;
  demo: boolean;
  maySet: boolean;
}

/** What stands between a draft and a run. path: where in the flow. unit: the code that is missing as "kind:name". */
export interface Barrier {
  code: string;
  path: string;
  message: string;
  hint: string;
  unit: string;
}

/** Between two versions: in words, and both texts. */
export interface Difference {
  old: string;
  new: string;
  lines: ChangeLine[];
  units: UnitDifference[];
}

export interface UnitDifference {
  id: string;
  old: string;
  new: string;
}

/** stored: a value is kept, which is never shown. hosts: where it may be sent, one a line. help: what to type. */
export interface DraftSecret {
  name: string;
  stored: boolean;
  hosts: string;
  help: string;
}

/** What a draft runs with. model: "" for the workspace's choice. */
export interface DraftSettings {
  mayChange: boolean;
  model: string;
  models: ModelOption[];
  values: DraftValue[];
  secrets: DraftSecret[];
  allowedHosts: string;
  idempotentHosts: string;
}

export interface ModelOption {
  id: string;
  name: string;
  demo: boolean;
}

/** A setting that the flow declares. kind says how its text is read; default: what an empty text means. */
export interface DraftValue {
  name: string;
  about: string;
  kind: "text" | "number" | "switch" | "json";
  text: string;
  default: string;
}

/** An agent of the flow. version: the number that is live there, null before the first. */
export interface LiveAgent {
  slug: string;
  name: string;
  version: number | null;
  paused: boolean;
  waits: Waits[];
}

/** Unfinished runs of one version. live: it is the one that is live there. */
export interface Waits {
  version: number;
  count: number;
  live: boolean;
}

/** A question to a model: the prompt as sent, and the reply. */
export interface ModelAsked {
  key: string;
  attempt: number;
  state: "started" | "done" | "failed";
  entry: string;
  model: string;
  demo: boolean;
  messages: TraceMessage[];
  reply: TraceText;
  error: string;
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  firstTokenMs: number | null;
  ms: number | null;
}

export interface TraceMessage {
  role: string;
  content: TraceText;
}

/** cut: how many characters it has in all, where only its beginning is here; else 0. */
export interface TraceText {
  text: string;
  cut: number;
}

/** A question to a person. answer: as the page repeats it; null while it waits. */
export interface PersonAsked {
  question: string;
  kind: "ask" | "form" | "approval" | "outcome";
  state: string;
  ask: string;
  by: string;
  reason: string;
  answer: Json;
  at: string;
}

/** A value that a step reads. default: what it starts from when it is not given. */
export interface SingleAsk {
  name: string;
  type: string;
  description: string;
  default: Json;
}

export interface SingleForm {
  asks: SingleAsk[];
}

/** url: where what it asks is answered. */
export interface SingleRun {
  run: string;
  conversation: string;
  url: string;
}

export interface StepDetail {
  step: TraceStep;
  read: TraceValue[];
  written: TraceValue[];
  models: ModelAsked[];
  calls: ToolAsked[];
  people: PersonAsked[];
  faults: TraceFault[];
}

/** One visit of one node. ms: its own time, null while it works. cost: USD, null without prices. */
export interface TraceStep {
  address: string;
  node: string;
  kind: string;
  title: string;
  state: "running" | "done" | "failed" | "waiting" | "declined";
  ms: number | null;
  attempts: number;
  at: string;
  models: number;
  calls: number;
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  route: TraceRoute | null;
}

/** Where a router sent the run. limited: a limit sent it elsewhere than the router chose. */
export interface TraceRoute {
  route: string;
  goto: string;
  limited: boolean;
}

/** A channel's value. cut: only its beginning was kept. */
export interface TraceValue {
  name: string;
  value: Json;
  cut: boolean;
}

/** An outgoing request. request and response are as journaled: names stand where secrets were sent. */
export interface ToolAsked {
  key: string;
  attempt: number;
  unit: string;
  effect: "read" | "idempotent" | "write";
  state: "started" | "done" | "failed" | "unknown" | "settled";
  method: string;
  target: string;
  status: number | null;
  request: TraceText;
  response: TraceText | null;
  error: string;
  settled: string;
  ms: number | null;
}

/** An attempt that went wrong, and what followed. */
export interface TraceFault {
  code: string;
  message: string;
  attempt: number;
  next: "retry" | "onError" | "skip" | "end";
  goto: string | null;
}

/**
 * A run step by step. version: its number, null of a draft. error: why it ended, in words.
 *
 * unread: how many of its events are left out, because its log is too long to be shown whole.
 */
export interface Trace {
  run: string;
  status: "held" | "queued" | "running" | "waiting" | "resumable" | "done" | "failed" | "cancelled" | "lost";
  agent: string;
  version: number | null;
  at: string;
  ms: number;
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  demo: boolean;
  error: string;
  unread: number;
  begins: TraceBegins | null;
  steps: TraceStep[];
}

/** The run that another one takes up, and the step at which. */
export interface TraceBegins {
  run: string;
  address: string;
  title: string;
}

/**
 * The workbench after a try. page: a mark of what the chat page draws from the flow; with another, draw it anew.
 *
 * empty: nothing ran here yet, so there is no page to show. unset: secrets that the flow names and nobody gave.
 */
export interface Tried {
  ready: boolean;
  empty: boolean;
  slug: string;
  url: string;
  page: string;
  revision: number;
  barriers: Barrier[];
  model: AnswerModel;
  unset: string[];
}

/** live: the names of the agents where it is live now. was_live: where it may be made live again, by slug. */
export interface VersionRow {
  number: number;
  note: string;
  by: string;
  at: string;
  live: string[];
  wasLive: string[];
  waits: number;
}

/** A version as it is kept. number: null of the draft. */
export interface VersionText {
  number: number | null;
  text: string;
  units: { [key: string]: string };
  note: string;
  by: string;
  at: string;
}

/** base: the version that changes counts from, null when nothing was published. changes: ChangeLines since then. */
export interface Versions {
  base: number | null;
  baseAgent: string;
  changes: ChangeLine[];
  readable: boolean;
  versions: VersionRow[];
  history: WentLive[];
  agents: LiveAgent[];
  canEdit: boolean;
  canPublish: boolean;
}

/** What went live: where, which version, when and by whom. */
export interface WentLive {
  slug: string;
  agent: string;
  version: number;
  note: string;
  by: string;
  at: string;
  now: boolean;
}

/** values: the channels that are changed. on: the version that ran, or the newest draft. */
export interface AnewBody {
  step: string;
  on?: "same" | "draft";
  values?: { [key: string]: Json };
}

export interface DraftSettingsBody {
  model?: string;
  values?: { [key: string]: string };
  secrets?: { [key: string]: SecretBody };
  allowedHosts?: string;
  idempotentHosts?: string;
}

/** value: "" keeps what is stored. */
export interface SecretBody {
  value?: string;
  hosts?: string;
}

/** own_yes: visitors of an open link may approve what they asked for. */
export interface LiveBody {
  version: number;
  ownYes?: boolean;
}

/** A step, or a tool, to run by itself with these values. */
export interface SingleBody {
  step?: string;
  tool?: string;
  values?: { [key: string]: Json };
}
