/** @jsxImportSource react */
// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TestFile, TestResult, TestsRun } from "../../src/generated/tests";
import "../../src/editor/words";
import { editor } from "../../src/editor/store/editor";
import { shelfOf } from "../../src/editor/store/kept";
import { store } from "../../src/editor/store/state";
import { readRun, tests } from "../../src/editor/tests/kept";
import { TestsPane } from "../../src/editor/tests/TestsPane";
import { bootOf, network, settle, type Asked } from "../editor/server";

const PATH = "tests/greets.test.json";
const TEXT = JSON.stringify({ flow: "../flow.json", tests: [{ name: "Greets", expect: { state: { answer: "Hi" } } }, { name: "Leaves" }] });
const FILE: TestFile = { path: PATH, text: TEXT, sha: "s1", problems: [], tests: [{ name: "Greets", line: 3 }, { name: "Leaves", line: 9 }] };
const result = (test: string, more: Partial<TestResult> = {}): TestResult => ({
  file: PATH, test, state: "passed", ms: 12, failures: [], path: ["reply", "check"], visits: {}, tools: [], asked: [], prompts: [], events: [], views: [], values: { answer: "Hello" }, cut: [], output: { answer: "Hello" }, error: null, ...more,
});
const WRONG = result("Greets", {
  state: "failed",
  path: ["reply"],
  failures: [{ what: "state", at: "answer", message: "The answer is another.", hint: "", compared: true, wanted: "Hi", got: "Hello" }],
  prompts: [{ node: "reply", visit: 1, text: "Answer Hey.", length: 4000, reply: "Hello" }],
  error: { code: "X", message: "The line broke.", node: "check" },
});
const run = (more: Partial<TestsRun> = {}): TestsRun => ({ id: "r1", state: "done", message: "", revision: 5, total: 2, passed: 1, failed: 1, ms: 40, results: [WRONG, result("Leaves")], ...more });

describe("the Tests pane", () => {
  let asked: Asked[];
  const answer = async (path: string, body: unknown, status = 200) => {
    const found = asked.findLast((each) => each.path.startsWith(path));
    expect(found, `${path} of ${asked.map((each) => each.path).join(", ")}`).toBeDefined();
    await act(async () => {
      await found?.reply(status, body);
    });
  };
  const open = async (files: TestFile[], latest: TestsRun | null = null, boot = {}) => {
    editor.boot(bootOf(boot), { person: "p1", live: null, changes: 0 }, shelfOf("p1", "f1", null), false);
    render(
      <ReactFlowProvider>
        <TestsPane />
      </ReactFlowProvider>,
    );
    await act(settle);
    await answer("/api/flows/f1/tests", { files, latest: latest?.id ?? null });
    if (latest) await answer("/api/flows/f1/tests/runs/", latest);
  };
  const press = async (name: string | RegExp) => {
    await act(async () => {
      fireEvent.click(screen.getAllByRole("button", { name })[0]!);
      await settle();
    });
  };
  beforeEach(() => {
    asked = network();
    tests.setState({ flow: "", files: null, run: null, found: new Map(), open: null, failed: "", starting: false, shas: {} });
    HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
      this.open = true;
    };
  });
  afterEach(() => {
    cleanup();
    editor.end();
    vi.unstubAllGlobals();
  });

  it("says what a test is where there is none, and why it could not be read", async () => {
    await open([]);
    expect(screen.getByText("No tests yet")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Run all" })).toBeNull();
    cleanup();
    tests.setState({ flow: "", files: null });
    editor.boot(bootOf(), { person: "p1", live: null, changes: 0 }, shelfOf("p1", "f1", null), false);
    render(
      <ReactFlowProvider>
        <TestsPane />
      </ReactFlowProvider>,
    );
    await act(settle);
    await answer("/api/flows/f1/tests", { code: "NO", message: "The line broke." }, 500);
    expect(screen.getByRole("alert").textContent).toContain("The line broke.");
  });

  it("lists each test with how it stands, and runs all, one file or one test", async () => {
    await open([FILE], run());
    expect(screen.getByRole("status").textContent).toContain("1 of 2 do not hold");
    expect(screen.getByText("The answer is another.")).toBeDefined();
    expect(screen.getAllByRole("img").map((each) => each.getAttribute("aria-label"))).toEqual(["does not hold", "holds"]);
    await press("Run all");
    expect(asked.at(-1)).toMatchObject({ method: "POST", path: "/api/flows/f1/tests/runs", body: {} });
    await answer("/api/flows/f1/tests/runs", { id: "r2" });
    await answer("/api/flows/f1/tests/runs/r2", run({ id: "r2", state: "working", results: [result("Greets")] }));
    expect(screen.getByRole("status").textContent).toContain("1 of 2 done");
    expect(screen.getByRole("button", { name: "Run all" })).toHaveProperty("disabled", true);
    await act(async () => void tests.setState({ run: run({ id: "r2", results: [result("Greets"), result("Leaves")] }) }));
    await press("Run “Leaves”");
    expect(asked.at(-1)!.body).toEqual({ paths: [PATH], names: ["Leaves"] });
  });

  it("keeps what the other tests found out when one runs alone, and says when the draft changed since", async () => {
    await open([FILE], run({ results: [WRONG, result("Leaves")] }));
    await press("Run “Greets”");
    await answer("/api/flows/f1/tests/runs", { id: "r2" });
    await answer("/api/flows/f1/tests/runs/r2", run({ id: "r2", total: 1, results: [result("Greets")] }));
    expect(screen.getByRole("status").textContent).toContain("All 2 tests hold");
    await act(async () => store.setState({ revision: 6, documentRevision: 6 }));
    expect(screen.getByRole("status").textContent).toContain("changed since these ran");
    expect(screen.getAllByRole("img")[0]!.getAttribute("aria-label")).toContain("before something changed");
    await act(async () => store.setState({ revision: 7, documentRevision: 5 }));
    expect(screen.getAllByRole("img")[0]!.getAttribute("aria-label")).toBe("holds");
    // The same for the file that says them.
    await act(async () => tests.setState({ files: [{ ...FILE, sha: "s2" }] }));
    expect(screen.getAllByRole("img")[0]!.getAttribute("aria-label")).toBe("holds, before something changed");
  });

  it("goes over to the run that somebody else began in place of this one", async () => {
    await open([FILE], run({ state: "working", results: [] }));
    expect(screen.getByRole("button", { name: "Run all" })).toHaveProperty("disabled", true);
    await act(async () => void readRun("r1"));
    await answer("/api/flows/f1/tests/runs/r1", { code: "NOT_FOUND", message: "These tests were run again since." }, 404);
    await answer("/api/flows/f1/tests", { files: [FILE], latest: "r2" });
    await answer("/api/flows/f1/tests/runs/r2", run({ id: "r2" }));
    expect(screen.getByRole("button", { name: "Run all" })).toHaveProperty("disabled", false);
  });

  // LG-tests-33
  it("shows what a test found out, with the steps lit on the canvas while it is open", async () => {
    await open([FILE], run());
    await press(/hold Greets/);
    const wrong = screen.getByRole("region", { name: "What is not as expected" });
    expect(within(wrong).getByText("answer")).toBeDefined();
    expect(wrong.textContent).toContain("ExpectedHiCameHello");
    expect(screen.getByText(/The line broke/)).toBeDefined();
    expect(screen.getByText("Answer Hey.")).toBeDefined();
    expect(screen.getByText("The first 11 of 4,000 characters.")).toBeDefined();
    expect(store.getState().run).toEqual({ run: "", test: true, steps: { reply: { state: "done", ms: null, address: "reply" }, check: { state: "failed", ms: null, address: "check" } } });
    await press("All tests");
    expect(store.getState().run).toBeNull();
  });

  it("writes what came into the test, over the file as it was read, and runs it again", async () => {
    await open([FILE], run());
    await press(/hold Greets/);
    await press("Expect what came");
    await answer(`/api/flows/f1/files/${PATH}`, { path: PATH, kind: "test", sha: "s7", size: 1, errors: 0, warnings: 0, by: "", at: "", text: TEXT, problems: [] });
    const saved = asked.at(-1)!;
    expect([saved.method, saved.body.was]).toEqual(["PUT", "s7"]);
    expect(JSON.parse(String(saved.body.text)).tests[0].expect).toEqual({ state: { answer: "Hello" } });
  });

  it("says why no test could be run", async () => {
    await open([FILE], run({ state: "failed", message: "Code is missing: countWords.", results: [] }));
    expect(screen.getByRole("alert").textContent).toContain("Code is missing: countWords.");
  });

  it("writes a first test from a form, and runs it", async () => {
    await open([]);
    await press("New test");
    await press("Cancel");
    expect(screen.queryByRole("dialog")).toBeNull();
    await press("New test");
    await press("Save and run");
    expect(screen.getByText("Give the test a name.")).toBeDefined();
    fireEvent.change(screen.getByLabelText("What does it show?"), { target: { value: "Greets kindly" } });
    // What was filled in is not dropped unasked; nobody is asked about an empty form.
    const escape = () => act(async () => void fireEvent(screen.getByRole("dialog"), new Event("cancel", { cancelable: true })));
    await escape();
    expect(screen.getByRole("alert").textContent).toContain("kept nowhere");
    await press("Go on");
    fireEvent.change(screen.getByLabelText("Question"), { target: { value: "Hey" } });
    fireEvent.change(screen.getByLabelText("Reply"), { target: { value: "Hello!" } });
    await press("Save and run");
    await answer("/api/flows/f1/files", { path: "flow.json", files: [] });
    const saved = asked.at(-1)!;
    expect(saved).toMatchObject({ method: "PUT", path: "/api/flows/f1/files/tests/greets-kindly.test.json", body: { was: "" } });
    expect(JSON.parse(String(saved.body.text))).toEqual({
      flow: "../flow.json",
      tests: [{ name: "Greets kindly", input: { question: "Hey" }, mock: { nodes: { reply: "Hello!" } }, expect: { output: { answer: { notEmpty: true } } } }],
    });
    await answer("/api/flows/f1/files/tests/", { path: "tests/greets-kindly.test.json", kind: "test", sha: "s", size: 1, errors: 0, warnings: 0, by: "", at: "", text: "", problems: [] });
    expect(asked.some((each) => each.method === "POST" && each.path.endsWith("/tests/runs"))).toBe(true);
  });

  it("changes nothing for those who may only look", async () => {
    await open([FILE], run(), { canEdit: false });
    expect(screen.queryByRole("button", { name: /Run|New test/ })).toBeNull();
    await press(/hold Greets/);
    expect(screen.queryByRole("button", { name: /Expect what came|Run again|^Edit$/ })).toBeNull();
  });
});
