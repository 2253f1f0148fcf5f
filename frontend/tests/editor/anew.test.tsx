// @vitest-environment happy-dom
/** @jsxImportSource react */
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Anew } from "../../src/editor/run/Anew";
import type { AnewForm } from "../../src/generated/runs";

const FORM: AnewForm = { address: "reply#1", title: "Reply", channels: [], version: 1, inDraft: true };
const editor = vi.hoisted(() => ({ broken: false, type: () => undefined as void }));
vi.mock("../../src/editor/run/json", () => ({
  editJson: (_: HTMLElement, given: { onChange: () => void }) => {
    if (editor.broken) throw new TypeError("Failed to fetch dynamically imported module");
    editor.type = given.onChange;
    return { text: () => "{}", end: () => undefined };
  },
}));

describe("a run begun anew", () => {
  beforeEach(() => {
    editor.broken = false;
    vi.stubGlobal("fetch", async () => new Response(JSON.stringify(FORM), { headers: { "content-type": "application/json" } }));
  });
  afterEach(() => {
    cleanup();
    vi.unstubAllGlobals();
  });
  const open = (onClose: () => void) => render(<Anew run="r" address="reply#1" onClose={onClose} onBegun={() => undefined} />);

  it("asks before it drops what was changed", async () => {
    const close = vi.fn();
    open(close);
    await screen.findByText(/anewTitle/);
    await vi.waitFor(() => expect(document.querySelector("fieldset")).not.toBeNull());
    await vi.waitFor(() => editor.type());
    fireEvent.click(await screen.findByText(/anewCancel/));
    expect(close).not.toHaveBeenCalled();
    expect(screen.getByRole("alert", { hidden: true })).toBeTruthy();
  });

  it("closes at once where nothing was changed", async () => {
    const close = vi.fn();
    open(close);
    await screen.findByText(/anewTitle/);
    fireEvent.click(screen.getByText(/anewCancel/));
    expect(close).toHaveBeenCalledOnce();
  });

  it("says so where its editor could not be fetched", async () => {
    editor.broken = true;
    open(() => undefined);
    expect(await screen.findByText(/could not be loaded/)).toBeTruthy();
  });
});
