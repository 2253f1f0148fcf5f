import { describe, expect, it } from "vitest";
import { moved } from "../../src/editor/panel/moving";

describe("an edge that leaves another step", () => {
  it("goes along as it is", () => {
    expect(moved({ from: "a", to: "c" }, "a", "b")).toEqual([
      { op: "disconnect", from: "a", to: "c" },
      { op: "connect", from: "b", to: "c" },
    ]);
  });

  it("takes its routes in their order, its sentences, its limits and its code's name along", () => {
    const edge = {
      from: "a",
      type: "conditional",
      router: "routeA",
      routes: { no: "d", yes: "c" },
      when: { yes: "'x' is true", no: "anything else" },
      limits: { yes: { max: 2, then: "no" } },
    };
    expect(moved(edge, "a", "b")).toEqual([
      { op: "disconnect", from: "a", to: "c", route: "yes" },
      { op: "disconnect", from: "a", to: "d" },
      { op: "connect", from: "b", to: "c", route: "yes", when: "'x' is true" },
      { op: "connect", from: "b", to: "d", route: "no", when: "anything else" },
      { op: "setField", on: { edge: { from: "b" } }, path: ["router"], value: "routeA" },
      { op: "setField", on: { edge: { from: "b" } }, path: ["limits"], value: { yes: { max: 2, then: "no" } } },
    ]);
  });
});
