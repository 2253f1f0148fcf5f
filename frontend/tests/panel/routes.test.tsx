/** @jsxImportSource react */
// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { Problem } from "../../src/editor/store/wire";
import { Routes } from "../../src/editor/panel/Routes";
import { box, choose, draw, enter, fireEvent, FLOW, pause, press, screen, type, useTyped } from "./scene";

const ROUTE = (name: string): HTMLElement => {
  const found = document.querySelector(`[data-path="edges[0].routes.${name}"]`);
  if (!(found instanceof HTMLElement)) throw new Error(name);
  return found;
};
const inside = (name: string, words: string): HTMLElement => {
  const found = [...ROUTE(name).querySelectorAll("button")].find((button) => button.textContent?.trim() === words || button.getAttribute("aria-label") === words);
  if (!found) throw new Error(words);
  return found;
};
const edge = (when: Record<string, string>) => ({
  ...FLOW,
  edges: [{ from: "think", type: "conditional", router: "r", routes: { order: "find_it", rest: "say" }, when }],
});
const scene = (when: Record<string, string> = { order: "'plan.want' is \"order\"", rest: "anything else" }) =>
  draw({ on: { edge: { from: "think" } }, flow: edge(when), children: <Routes from="think" chosen={undefined} /> });

describe("the routes of a decision", () => {
  useTyped();

  it("are read as conditions, and written as the language's own sentences", () => {
    const drawn = scene();
    fireEvent.click(inside("order", "And"));
    const paths = () => [...ROUTE("order").querySelectorAll<HTMLInputElement>('input[aria-label="What is read"]')];
    expect(paths().map((input) => input.value)).toEqual(["plan.want", ""]);
    expect(drawn.edits).toHaveLength(0);
    expect(ROUTE("order").textContent).toContain("not finished");
    const second = paths()[1];
    if (!second) throw new Error("no second row");
    fireEvent.click(second);
    fireEvent.click(screen.getByRole("option", { name: /plan\.many/ }));
    const tests = [...ROUTE("order").querySelectorAll<HTMLInputElement>('input[aria-label="How it is compared"]')];
    const test = tests[1];
    if (!test) throw new Error("no second test");
    fireEvent.click(test);
    fireEvent.click(screen.getByRole("option", { name: "is more than" }));
    const values = [...ROUTE("order").querySelectorAll<HTMLInputElement>('input[aria-label="What it is compared with"]')];
    const value = values[1];
    if (!value) throw new Error("no second value");
    fireEvent.change(value, { target: { value: "three" } });
    pause();
    expect(ROUTE("order").textContent).toContain("“three” is not a number");
    fireEvent.change(value, { target: { value: "3" } });
    pause();
    expect(drawn.at("edges", 0, "when", "order")).toBe("'plan.want' is \"order\" and 'plan.many' is more than 3");
  });

  it("may say it in words of one's own, which stay as they are", () => {
    const drawn = scene({ order: "the person wants an order", rest: "anything else" });
    expect(box("When order is taken").value).toBe("the person wants an order");
    expect(ROUTE("order").textContent).toContain("A model writes the code");
    type("When order is taken", "'plan.want' is \"order\"");
    expect(ROUTE("order").textContent).toContain("without a model");
    pause();
    expect(drawn.at("edges", 0, "when", "order")).toBe("'plan.want' is \"order\"");
  });

  it("take whatever is left", () => {
    const drawn = scene({ order: "'plan.want' is \"order\"", rest: "" });
    fireEvent.click(inside("rest", "Otherwise"));
    expect(drawn.at("edges", 0, "when", "rest")).toBe("anything else");
  });

  it("are renamed, led elsewhere, removed and put in another order by operations", () => {
    const drawn = scene();
    type("Name of order", "buy");
    enter("Name of order");
    expect(drawn.edits.pop()?.operations).toEqual([{ op: "renameRoute", from: "think", route: "order", to: "buy" }]);
    const goes = ROUTE("rest").querySelector<HTMLInputElement>('input[aria-label="Goes to"]');
    if (!goes) throw new Error("no target");
    fireEvent.click(goes);
    fireEvent.click(screen.getByRole("option", { name: /^End/ }));
    expect(drawn.edits.pop()?.operations).toEqual([{ op: "reconnect", from: "think", to: "say", newTo: "END", route: "rest" }]);
    fireEvent.click(inside("order", "Remove order"));
    expect(drawn.edits.pop()?.operations).toEqual([{ op: "disconnect", from: "think", to: "find_it", route: "order" }]);
    fireEvent.click(inside("rest", "Move rest up"));
    expect(Object.keys(drawn.at("edges", 0, "when") ?? {})).toEqual(["rest", "order"]);
  });

  it("have limits that are added and removed", () => {
    const drawn = scene();
    fireEvent.click(inside("order", "Add limit"));
    expect(drawn.at("edges", 0, "limits")).toEqual({ order: { max: 3, then: "rest" } });
    type(/^At most/, "5");
    pause();
    choose(/^Count again after/, /Say/);
    expect(drawn.at("edges", 0, "limits", "order")).toEqual({ max: 5, then: "rest", per: "say" });
    fireEvent.click(inside("order", "Remove limit"));
    expect(drawn.at("edges", 0)).not.toHaveProperty("limits");
  });

  it("follow what somebody else says", () => {
    scene({ order: "'plan.want' is one of \"a, b\" or \"c\"", rest: "anything else" });
    expect(box("What it is compared with").value).toBe('"a, b", c');
  });
});

describe("what belongs to no route", () => {
  useTyped();

  it("is shown, and can be taken away", () => {
    const flow = { ...FLOW, edges: [{ ...edge({ order: "'plan' is empty", odd: "x", rest: "anything else" }).edges[0], limits: { gone: { max: 1, then: "rest" } } }] };
    const problems: Problem[] = [
      { code: "WHEN_WITHOUT_ROUTE", level: "error", path: "edges[0].when.odd", message: "No route “odd”.", hint: "" },
      { code: "LIMIT_ROUTE_UNKNOWN", level: "error", path: "edges[0].limits.gone", message: "No route “gone”.", hint: "" },
    ];
    const drawn = draw({ on: { edge: { from: "think" } }, flow, problems, children: <Routes from="think" chosen={undefined} /> });
    expect(screen.getByText("No route “odd”.")).toBeTruthy();
    press("Remove odd");
    press("Remove gone");
    expect(Object.keys(drawn.at("edges", 0, "when") ?? {})).toEqual(["order", "rest"]);
    expect(drawn.at("edges", 0)).not.toHaveProperty("limits");
  });
});
