/** @jsxImportSource react */
// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { Problem } from "../../src/editor/store/wire";
import { box, choose, draw, enter, fireEvent, FLOW, kindFields, LANGUAGE, pause, press, screen, type, useTyped } from "./scene";

const field = (fields: typeof LANGUAGE.channel, ...keys: string[]) => fields.filter((each) => keys.includes(each.key));

describe("inputs", () => {
  useTyped();

  it("send a text after a pause, once, with what stood there", () => {
    const scene = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "prompt") });
    type("Prompt", "Say");
    type("Prompt", "Say more.");
    expect(scene.edits).toHaveLength(0);
    pause();
    expect(scene.edits).toEqual([
      { label: "Change Prompt of it", operations: [{ op: "setField", on: { node: "say" }, path: ["prompt"], value: "Say more.", was: "Say it." }] },
    ]);
    pause(60_000);
    expect(scene.edits).toHaveLength(1);
  });

  it("send what waits when the panel turns to something else", async () => {
    const scene = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "prompt") });
    type("Prompt", "Half a sen");
    const { cleanup } = await import("@testing-library/react");
    cleanup();
    expect(scene.edits[0]?.operations[0]).toMatchObject({ value: "Half a sen" });
  });

  it("take a field away that is emptied, and keep one that must be there", () => {
    const scene = draw({ on: { node: "think" }, fields: field(kindFields("llm"), "prompt", "description") });
    type("Prompt", "");
    pause();
    expect(scene.at("nodes", 0, "prompt")).toBe("");
    type(/^Description/, "Says it.");
    pause();
    type(/^Description/, "");
    pause();
    expect(scene.at("nodes", 0)).not.toHaveProperty("description");
  });

  it("keep what is no number yet, say so, and have it there again", async () => {
    const flow = { ...FLOW, nodes: [{ id: "say", type: "llm", prompt: "x", output: "answer", retry: { maxAttempts: 2 } }] };
    const scene = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "retry"), flow });
    type(/^Attempts/, "2x");
    pause();
    expect(scene.edits).toHaveLength(0);
    expect(screen.getByText(/“2x” is not a number/)).toBeTruthy();
    const { cleanup } = await import("@testing-library/react");
    cleanup();
    const later = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "retry"), flow });
    expect(box(/^Attempts/).value).toBe("2x");
    expect(screen.getByText(/“2x” is not a number/)).toBeTruthy();
    type(/^Attempts/, "3");
    pause();
    expect(later.at("nodes", 0, "retry", "maxAttempts")).toBe(3);
    expect(screen.queryByText(/is not a number/)).toBeNull();
    type(/^Attempts/, "1.5");
    pause();
    expect(screen.getByText("Only a whole number can stand here.")).toBeTruthy();
  });

  it("keep JSON that cannot be read yet", () => {
    const scene = draw({ on: { channel: "rows" }, fields: field(LANGUAGE.channel, "default") });
    type(/^Default/, "[1,");
    pause();
    expect(scene.edits).toHaveLength(0);
    expect(screen.getByText(/This is not JSON yet, so it is not saved/)).toBeTruthy();
    type(/^Default/, "[1, 2]");
    pause();
    expect(scene.at("state", "rows", "default")).toEqual([1, 2]);
  });

  it("draw a default as what the channel holds", () => {
    const scene = draw({ on: { channel: "total" }, fields: field(LANGUAGE.channel, "default") });
    type(/^Default/, "12,5");
    pause();
    expect(scene.at("state", "total", "default")).toBe(12.5);
  });

  it("show a problem beside its field, with what to do", () => {
    const problems: Problem[] = [
      { code: "TOO_SHORT", level: "error", path: "nodes[3].prompt", message: "“prompt” is empty.", hint: "Say something." },
      { code: "ADVICE", level: "warning", path: "nodes[3].output", message: "Somewhere else.", hint: "" },
    ];
    draw({ on: { node: "say" }, fields: field(kindFields("llm"), "prompt", "description"), problems });
    expect(box("Prompt").getAttribute("aria-invalid")).toBe("true");
    expect(document.querySelector('[data-path="nodes[3].prompt"]')?.textContent).toContain("“prompt” is empty. Say something.");
    expect(screen.queryByText("Somewhere else.")).toBeNull();
  });

  it("turn a switch on, and off again by leaving it out", () => {
    const scene = draw({ on: { channel: "rows" }, fields: field(LANGUAGE.channel, "remembers") });
    fireEvent.click(screen.getByRole("switch"));
    expect(scene.at("state", "rows", "remembers")).toBe(true);
    fireEvent.click(screen.getByRole("switch"));
    expect(scene.at("state", "rows")).not.toHaveProperty("remembers");
  });

  it("choose one of the values, and leave the usual one out", () => {
    const scene = draw({ on: { channel: "rows" }, fields: field(LANGUAGE.channel, "reducer") });
    expect(box(/^A second write/).value).toBe("replace");
    choose(/^A second write/, /append/);
    expect(scene.at("state", "rows", "reducer")).toBe("append");
    choose(/^A second write/, /replace/);
    expect(scene.at("state", "rows")).not.toHaveProperty("reducer");
  });

  it("rename as one operation, with Enter or by going on", () => {
    const scene = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "id"), renames: { id: (to) => ({ op: "renameNode", id: "say", to }) } });
    type("Name", "tell");
    pause(60_000);
    expect(scene.edits).toHaveLength(0);
    enter("Name");
    expect(scene.edits[0]?.operations).toEqual([{ op: "renameNode", id: "say", to: "tell" }]);
  });
});

describe("what names something", () => {
  useTyped();

  it("is a channel of the flow; a new one is made with the type that fits", () => {
    const scene = draw({ on: { node: "think" }, fields: field(kindFields("llm"), "output") });
    type("Output", "wish");
    fireEvent.click(screen.getByRole("option", { name: /Create channel “wish” \(object\)/ }));
    expect(scene.edits[0]?.operations).toEqual([
      { op: "addChannel", name: "wish", channel: { type: "object", description: "" } },
      { op: "setField", on: { node: "think" }, path: ["output"], value: "wish", was: "plan" },
    ]);
  });

  it("stays as it was typed where it is unknown, and can be made there", () => {
    const scene = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "output") });
    type("Output", "reply");
    fireEvent.blur(box("Output"));
    expect(scene.at("nodes", 3, "output")).toBe("reply");
    press(/Create channel “reply”/);
    expect(scene.at("state", "reply")).toEqual({ type: "string", description: "" });
    expect(screen.queryByRole("button", { name: /Create channel/ })).toBeNull();
  });

  it("is a step, or the end where the run may end", () => {
    const scene = draw({ on: { node: "find_it" }, fields: field(kindFields("tool"), "onError") });
    choose(/When it fails/, /^End/);
    expect(scene.at("nodes", 1, "onError")).toBe("END");
    choose(/When it fails/, /Say/);
    expect(scene.at("nodes", 1, "onError")).toBe("say");
    choose(/When it fails/, "—");
    expect(scene.at("nodes", 1)).not.toHaveProperty("onError");
  });

  it("is a tool, which can be made there", () => {
    const scene = draw({ on: { node: "find_it" }, fields: field(kindFields("tool"), "tool") });
    type("Tool", "placeOrder");
    fireEvent.click(screen.getByRole("option", { name: /Create tool “placeOrder”/ }));
    expect(scene.edits[0]?.operations[0]).toMatchObject({ op: "addTool", tool: { name: "placeOrder" } });
    expect(scene.at("nodes", 1, "tool")).toBe("placeOrder");
  });

  it("can be several channels, added and taken away", () => {
    const flow = { ...FLOW, nodes: [{ id: "say", type: "llm", prompt: "x", output: "answer", approval: { ask: "Yes?", show: ["plan"] } }] };
    const scene = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "approval"), flow });
    choose("Add to Shows", /^rows/);
    expect(scene.at("nodes", 0, "approval", "show")).toEqual(["plan", "rows"]);
    press("Remove plan");
    expect(scene.at("nodes", 0, "approval", "show")).toEqual(["rows"]);
  });
});

describe("templates", () => {
  useTyped();

  const at = (text: string) => {
    const input = box("Prompt");
    fireEvent.change(input, { target: { value: text } });
    input.setSelectionRange(text.length, text.length);
    fireEvent.click(input);
  };

  it("are completed over channels and the parts that are known of them", () => {
    const scene = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "prompt") });
    at("About {{pl");
    const options = () => screen.getAllByRole("option").map((option) => option.textContent);
    expect(options()[0]).toContain("plan");
    expect(options().some((words) => words?.includes("plan.want"))).toBe(true);
    fireEvent.keyDown(box("Prompt"), { key: "ArrowDown" });
    fireEvent.keyDown(box("Prompt"), { key: "Enter" });
    pause();
    expect(scene.at("nodes", 3, "prompt")).toMatch(/^About \{\{plan\.(want|many|name)\}\}$/);
  });

  it("stand out, and say which channel there is not", () => {
    draw({ on: { node: "say" }, fields: field(kindFields("llm"), "prompt") });
    at("{{plan.want}} and {{nobody}} and {{7*7}}");
    const marks = [...document.querySelectorAll("mark")].map((mark) => [mark.textContent, mark.dataset.known]);
    expect(marks).toEqual([
      ["{{plan.want}}", "true"],
      ["{{nobody}}", "false"],
    ]);
  });

  it("make a channel that there is not", () => {
    const scene = draw({ on: { node: "say" }, fields: field(kindFields("llm"), "prompt") });
    at("{{mood");
    fireEvent.click(screen.getByRole("option", { name: /Create channel “mood”/ }));
    pause();
    expect(scene.at("state", "mood")).toMatchObject({ type: "string" });
    expect(scene.at("nodes", 3, "prompt")).toBe("{{mood}}");
  });
});
