/** @jsxImportSource react */
// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Turns } from "../../src/editor/bar/Bar";
import { forgetTyping } from "../../src/editor/fields/typing";
import { Panel } from "../../src/editor/panel/Panel";
import { editor } from "../../src/editor/store/editor";
import type { Selection } from "../../src/editor/store/state";
import { bootOf, network, settle, type Asked } from "../editor/server";
import { box, FLOW, LANGUAGE, type } from "./scene";

const FIRST = "Accept or drop the proposal first";
const propose = () => act(() => editor.setProposal({ id: "p", document: FLOW, layout: null, lines: [] }));
const later = () => act(settle);

describe("while a proposal waits to be decided on", () => {
  let asked: Asked[];
  beforeEach(() => {
    Element.prototype.scrollIntoView = () => {};
    localStorage.clear();
    asked = network();
    const undo = { id: "e", label: "Change the prompt", by: "Dana" };
    editor.boot(bootOf({ text: JSON.stringify(FLOW), undo, redo: undo }), { person: "p1", live: null, changes: 0 }, undefined, false);
    editor.setLanguage(LANGUAGE);
  });
  afterEach(() => {
    cleanup();
    forgetTyping();
    editor.end();
    vi.unstubAllGlobals();
  });

  it("nothing is undone or redone, and the buttons say why", () => {
    render(<Turns />);
    const turn = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
    expect([turn("Undo").disabled, turn("Redo").disabled]).toEqual([false, false]);
    propose();
    for (const name of ["Undo", "Redo"]) {
      expect(turn(name).disabled).toBe(true);
      expect(turn(name).title).toBe(FIRST);
    }
    act(() => editor.setProposal(null));
    expect([turn("Undo").disabled, turn("Redo").title]).toEqual([false, "Redo: Change the prompt"]);
  });

  it.each<[string, Partial<Selection>, string | RegExp, string]>([
    ["a channel", { part: { channel: "answer" } }, "Name", "answer"],
    ["a tool", { part: { tool: "find" } }, "Name", "find"],
    ["a step", { nodes: ["say"] }, /^Prompt/, "Say it."],
  ])("the panel of %s stays to be read", (_, selection, name, value) => {
    editor.choose(selection);
    render(<Panel />);
    expect(box(name).readOnly).toBe(false);
    propose();
    expect(box(name)).toMatchObject({ readOnly: true, value });
    act(() => editor.setProposal(null));
    expect(box(name).readOnly).toBe(false);
  });

  it("who was typing when it came ends the field, and what was typed is sent", async () => {
    editor.choose({ part: { channel: "answer" } });
    render(<Panel />);
    type("Name", "ans");
    propose();
    expect(box("Name").readOnly).toBe(false);
    fireEvent.change(box("Name"), { target: { value: "reply_text" } });
    act(() => box("Name").blur());
    await later();
    expect(asked.map((one) => one.body.operations)).toEqual([[{ op: "renameChannel", name: "answer", to: "reply_text" }]]);
    expect(box("Name")).toMatchObject({ readOnly: true, value: "reply_text" });
  });
});
