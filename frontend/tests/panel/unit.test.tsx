/** @jsxImportSource react */
// @vitest-environment happy-dom
import { act, cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import "../../src/editor/words";
import { ScopeOf, WordOf } from "../../src/editor/fields/scope";
import { UnitCard } from "../../src/editor/panel/UnitCard";
import type { UnitLine } from "../../src/editor/store/wire";
import { FLOW, LANGUAGE, press, screen } from "./scene";

interface Asked {
  path: string;
  body: unknown;
  reply: (status: number, body: unknown) => Promise<void>;
}

const LINE: UnitLine = { kind: "handler", name: "sort", state: "stale", origin: "generated", reason: "Its description changed.", description: "Sorts.", code: "old\n" };

describe("the code of a step", () => {
  const asked: Asked[] = [];
  beforeEach(() => {
    asked.length = 0;
    vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
      return new Promise<Response>((done) => {
        asked.push({
          path,
          body: init.body ? JSON.parse(String(init.body)) : null,
          reply: (status, body) =>
            act(async () => {
              done(new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } }));
              await new Promise((next) => setTimeout(next, 5));
            }),
        });
      });
    });
  });
  afterEach(() => {
    cleanup();
    vi.unstubAllGlobals();
  });

  const draw = (line: Partial<UnitLine> | null, name = "sort", readOnly = false) => {
    const units = line ? [{ ...LINE, ...line }] : [];
    render(
      <ScopeOf scope={{ id: "f", flow: FLOW, language: LANGUAGE, readOnly, problems: [], units, edit: async () => true, open: () => {} }}>
        <WordOf word={{ on: { node: "x" }, base: ["nodes", 0], value: {}, name: "it" }}>
          <UnitCard kind="handler" name={name} />
        </WordOf>
      </ScopeOf>,
    );
  };

  it("says its state and why it is out of date", () => {
    draw({});
    expect(screen.getByText("out of date")).toBeTruthy();
    expect(screen.getByText("Its description changed.")).toBeTruthy();
  });

  it("asks for a name before anything else", () => {
    draw(null, "");
    expect(screen.getByText(/Name it first/)).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("says in words why nothing was written", async () => {
    draw({ code: "", state: "missing", origin: "", reason: "It has no code." });
    press("Write it");
    expect(screen.getByText(/The model is writing/)).toBeTruthy();
    expect(asked[0]).toMatchObject({ path: "/api/flows/f/units/handler/sort/generate", body: { keep: false } });
    await asked[0]?.reply(409, { code: "NO_CODE_MODEL", message: "No model writes code yet." });
    expect(screen.getByText("It was not written. No model writes code yet.")).toBeTruthy();
    expect(screen.queryByText(/The model is writing/)).toBeNull();
  });

  it("takes what was written at once where there was nothing", async () => {
    draw({ code: "", state: "missing", origin: "", reason: "It has no code." });
    press("Write it");
    const unit = { ...LINE, code: "", mark: "m", regular: false, turnedDown: "" };
    await asked[0]?.reply(200, { unit, revision: 1, proposed: { code: "new\n", problems: [], byModel: true, seal: "s" } });
    expect(asked[1]).toMatchObject({ path: "/api/flows/f/units/handler/sort/take", body: { code: "new\n", seal: "s", was: "m", yes: false } });
  });

  it("can be stopped, and then hears nothing of what comes", async () => {
    draw({});
    press("Write it again");
    press("Stop waiting");
    expect(screen.getByText(/nothing was changed/)).toBeTruthy();
    await asked[0]?.reply(200, { unit: { ...LINE, mark: "m", regular: false, turnedDown: "" }, revision: 1, proposed: { code: "new\n", problems: [], byModel: true, seal: "s" } });
    expect(asked).toHaveLength(1);
    expect(screen.queryByText(/beside what is there/)).toBeNull();
  });

  it("is looked at by who may not change it", () => {
    draw({}, "sort", true);
    expect(screen.queryByRole("button", { name: /Write it/ })).toBeNull();
    expect(screen.getByRole("button", { name: "Look at it" })).toBeTruthy();
  });
});
