/** @jsxImportSource react */
// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Fix } from "../../src/editor/problems/Fix";
import { Problems } from "../../src/editor/fields/Row";
import { editor } from "../../src/editor/store/editor";
import { store } from "../../src/editor/store/state";
import type { Problem } from "../../src/editor/store/wire";

const problem: Problem = {
  code: "VERSION_TOO_LOW",
  level: "error",
  path: "views",
  message: '"views" needs version 0.11, and this flow says 0.10.',
  hint: 'Raise "version" to "0.11" or later; raising it never breaks a flow.',
  fix: [{ op: "setField", on: { flow: true }, path: ["version"], value: "0.11", was: "0.10" }],
};

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("Fix", () => {
  it("does what puts the problem right", () => {
    store.setState({ canEdit: true });
    const edit = vi.spyOn(editor, "edit").mockResolvedValue({ ok: true, renamed: {} });
    render(<Problems problem={problem} />);
    fireEvent.click(screen.getByRole("button", { name: `Fix: ${problem.message}` }));
    expect(edit).toHaveBeenCalledExactlyOnceWith("", problem.fix);
  });

  it("is not there for who may not edit, nor where a person has to decide", () => {
    store.setState({ canEdit: false });
    render(<Fix problem={problem} />);
    expect(screen.queryByRole("button")).toBeNull();
    cleanup();
    store.setState({ canEdit: true });
    render(<Fix problem={{ ...problem, fix: null }} />);
    expect(screen.queryByRole("button")).toBeNull();
  });
});
