/* Written by `make generate` from studio/api/wire_tests.py and runtime/testing/results.py. Never edited. */
import type { DraftProblem } from "./edits";
import type { Json } from "./frames";

/**
 * A file with the new test in it, not stored yet. was: the sha of the file as it is stored, "" for a new one.
 *
 * left_out: what the test does not say, and why, in sentences.
 */
export interface RunTest {
  path: string;
  text: string;
  name: string;
  was: string;
  leftOut: string[];
}

/** A tool that was called. node: by whom; error: why it went wrong, empty when it did not. */
export interface TestCall {
  name: string;
  args: Json;
  ok: boolean;
  node: string;
  error: string;
}

/** How the run ended when it did not come to its end. */
export interface TestError {
  code: string;
  message: string;
  node: string;
}

/** Something that happened, in the order in which it did. words: a sentence. ms: how long it took. */
export interface TestEvent {
  type: "step" | "model" | "tool" | "asked" | "answered" | "route" | "failed" | "output" | "end";
  node: string;
  visit: number;
  words: string;
  ms: number | null;
  ok: boolean;
}

/**
 * One thing that is not as the test says.
 *
 * what: the expectation (`state`); "run" when the run itself ended otherwise; "file" when it was refused before it
 * ran. at: what of it (`classification.category`), or the JSON path of what is refused. compared: wanted and got are
 * the two values that differ.
 */
export interface TestFailure {
  what:
    | "run"
    | "state"
    | "output"
    | "path"
    | "visits"
    | "notVisited"
    | "tools"
    | "asked"
    | "approvalBefore"
    | "fails"
    | "views"
    | "file";
  at: string;
  message: string;
  hint: string;
  compared: boolean;
  wanted: Json;
  got: Json;
}

/** A file of tests as it is stored. problems: what is wrong with it, against the draft as it is now. */
export interface TestFile {
  path: string;
  text: string;
  sha: string;
  problems: DraftProblem[];
  tests: TestName[];
}

/** A test of a file. line: where it begins in the text, counted from 1. */
export interface TestName {
  name: string;
  line: number;
}

/** The flow's files of tests, by their paths. latest: the run of tests that was begun last, where there is one. */
export interface TestFiles {
  files: TestFile[];
  latest: string | null;
}

/** What a node asked its model. text: the beginning of a long one; length: of all of it, in characters. */
export interface TestPrompt {
  node: string;
  visit: number;
  text: string;
  length: number;
  reply: string;
}

/** What a person was asked. answer: what the test did then, in words; empty when nobody spoke for it. */
export interface TestQuestion {
  node: string;
  kind: "ask" | "form" | "approval" | "outcome";
  words: string;
  answer: string;
}

/**
 * One test of one file.
 *
 * path: every node that finished, in order, a fan-out's copies once. visits: how often each did. state: the channels
 * when it ended; cut: those that are kept only in part. output: what the flow gave back. tools, asked, prompts, views:
 * what it reached, in order. error: how the run ended when it failed, whether that was expected or not.
 */
export interface TestResult {
  file: string;
  test: string;
  state: "passed" | "failed" | "refused" | "running";
  ms: number;
  failures: TestFailure[];
  path: string[];
  visits: { [key: string]: number };
  tools: TestCall[];
  asked: TestQuestion[];
  prompts: TestPrompt[];
  events: TestEvent[];
  views: string[];
  values: { [key: string]: Json };
  cut: string[];
  output: { [key: string]: Json };
  error: TestError | null;
}

export interface TestsBegun {
  id: string;
}

/** What runs inside a flow, outer ones first. */
export interface TestsInside {
  flows: TestsInsideFlow[];
}

/** A flow that runs inside another. at: what stands before its steps' names in a test. flow: its nodes and tools. */
export interface TestsInsideFlow {
  at: string;
  flow: { [key: string]: Json };
}

/** What the flow's socket says: a run of tests came further. */
export interface TestsNews {
  type: "tests";
  id: string;
}

/**
 * How a run of tests goes. results: one for each test that has begun, in the order of the files.
 *
 * revision: the draft's that is tested, or a later one with the same document. total: how many tests there are to run.
 * message: why it failed as a whole.
 */
export interface TestsRun {
  id: string;
  state: "working" | "done" | "failed";
  message: string;
  revision: number;
  total: number;
  passed: number;
  failed: number;
  ms: number;
  results: TestResult[];
}

/** What to call the test that is made of a run; made from what was said when empty. path: the file it goes into. */
export interface RunTestBody {
  name?: string;
  path?: string;
}

/** What to run: the files of these paths, else every one; in them the tests of these names, else every one. */
export interface TestsBody {
  /**
   * @maxItems 500
   */
  paths?: string[];
  /**
   * @maxItems 500
   */
  names?: string[];
}
