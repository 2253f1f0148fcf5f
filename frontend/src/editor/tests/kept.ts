import { create } from "zustand";
import type { TestFile, TestFiles, TestResult, TestsBegun, TestsBody, TestsRun } from "../../generated/tests";
import { asApiError, get, post } from "../../shared/api";
import { store } from "../store/state";

/** What a test found out, of which draft, and of which text of its file. */
export interface Found {
  result: TestResult;
  revision: number;
  sha: string | undefined;
}

export interface TestsState {
  flow: string;
  /** Null until they were read. */
  files: TestFile[] | null;
  failed: string;
  run: TestsRun | null;
  /** A run was asked for, and the server has not said yet that it began. */
  starting: boolean;
  /** The last results, by keyOf: a run of one test leaves those of the others. */
  found: ReadonlyMap<string, Found>;
  /** The test whose result is open. */
  open: string | null;
  /** The files as they were when the run began, by path; of one that this page did not begin, as they were found. */
  shas: Readonly<Record<string, string>>;
}

const NONE: TestsState = { flow: "", files: null, failed: "", run: null, starting: false, found: new Map(), open: null, shas: {} };

export const tests = create<TestsState>()(() => NONE);

export const keyOf = (file: string, test: string): string => `${file}\n${test}`;

const shasOf = (files: readonly TestFile[]): Record<string, string> => Object.fromEntries(files.map((file) => [file.path, file.sha]));

/** Did the document, or the file, change since the test ran? A file that is not read yet did not. */
export function isStale(found: Found, documentRevision: number, files: readonly TestFile[] | null): boolean {
  const file = files?.find((each) => each.path === found.result.file);
  return found.revision < documentRevision || (file !== undefined && found.sha !== undefined && file.sha !== found.sha);
}

const path = (rest: string): string => `/api/flows/${store.getState().id}/tests${rest}`;

/** Begins anew where another flow is open now. */
export function begin(flow: string): void {
  if (tests.getState().flow !== flow) tests.setState({ ...NONE, flow });
}

/** Reads the files, and the last run where none is known yet. */
export async function readFiles(): Promise<void> {
  const { flow } = tests.getState();
  try {
    const { files, latest } = await get<TestFiles>(path(""));
    if (tests.getState().flow !== flow) return;
    tests.setState({ files, failed: "" });
    if (tests.getState().run === null) tests.setState({ shas: shasOf(files) });
    if (latest !== null && tests.getState().run === null) await readRun(latest);
  } catch (thrown) {
    tests.setState({ failed: asApiError(thrown).message });
  }
}

/** Reads how a run goes, and keeps what its tests found out. */
export async function readRun(id: string): Promise<void> {
  const { flow } = tests.getState();
  try {
    const run = await get<TestsRun>(path(`/runs/${id}`));
    const now = tests.getState();
    // A run that began later is the one that counts.
    if (now.flow !== flow || (now.run !== null && now.run.id !== id && now.run.state === "working")) return;
    const found = new Map(now.found);
    for (const result of run.results) found.set(keyOf(result.file, result.test), { result, revision: run.revision, sha: now.shas[result.file] });
    tests.setState({ run, found });
  } catch (thrown) {
    // What is known stays; the next news of the run asks again.
    const error = asApiError(thrown);
    if (error.status !== 404 || tests.getState().run?.id !== id) return;
    // Somebody ran the tests again, and that run took its place.
    tests.setState({ run: null });
    await readFiles();
  }
}

/** Runs tests: those that are named, or all. Resolves when the server has begun. */
export async function start(wanted: TestsBody): Promise<void> {
  if (tests.getState().starting) return;
  tests.setState({ starting: true, failed: "" });
  try {
    const { id } = await post<TestsBegun>(path("/runs"), wanted);
    tests.setState({ run: null, shas: shasOf(tests.getState().files ?? []) });
    await readRun(id);
  } catch (thrown) {
    tests.setState({ failed: asApiError(thrown).message });
  } finally {
    tests.setState({ starting: false });
  }
}

export const openTest = (key: string | null): void => tests.setState({ open: key });
