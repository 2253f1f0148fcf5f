// @vitest-environment happy-dom
import { EditorView } from "@codemirror/view";
import { describe, expect, it } from "vitest";
import { Editor } from "../src/flow/Editor";
import type { FlowBoot } from "../src/flow/wire";
import { usePage } from "./page";

/** As studio/pages/flows.py writes it. */
const boot = (canEdit: boolean): FlowBoot => ({ id: "f1", text: '{ "name": "Order desk" }', revision: 3, canEdit, problems: [], units: [] });
const places = { problems: null, units: null, name: null, saved: null, count: null };

describe("the flow editor", () => {
  const page = usePage();
  const editor = () => EditorView.findFromDOM(page.root.querySelector<HTMLElement>(".cm-editor")!)!;
  const saved = () => page.root.querySelector<HTMLElement>("[data-saved]")!.dataset.state;

  it("is only read by those who may not edit", async () => {
    await page.draw(<Editor boot={boot(false)} places={places} />);
    expect(editor().state.readOnly).toBe(true);
    expect(saved()).toBe("readOnly");
    expect(() => page.button("Tidy")).toThrow();
  });

  it("takes what is typed by those who may", async () => {
    await page.draw(<Editor boot={boot(true)} places={places} />);
    expect(editor().state.readOnly).toBe(false);
    editor().dispatch({ changes: { from: 0, insert: " " } });
    await page.settle();
    expect(saved()).toBe("typing");
  });
});
