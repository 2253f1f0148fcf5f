// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { asking, askStore } from "../../src/editor/ask/asks";
import type { Ask } from "../../src/generated/asks";

const ask = (over: Partial<Ask>): Ask => ({
  id: "one", state: "proposed", text: "Be brief", by: "Bea", mine: true, at: "2026-01-01T10:00:00Z", reply: "", note: "", count: 1, rev: 3, began: true,
  steps: [], lines: [], refused: [], fits: false, newErrors: [], baseRevision: 1, acceptedRevision: null, model: "demo", demo: true, inputTokens: null,
  outputTokens: null, cost: null, code: "", ...over,
});

describe("an ask that ends while an older proposal waits", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("says how it ended before the older one comes back", async () => {
    const older = ask({});
    const failed = ask({ id: "two", state: "failed", at: "2026-01-01T10:05:00Z", rev: 9, note: "The model takes no more calls at the moment." });
    vi.stubGlobal("fetch", async (address: string) => {
      const body = String(address).endsWith("/asks/two") ? failed : { asks: [], problem: "", maySet: false, demo: true, current: older };
      return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
    });
    // The page still believes that it works when the list, in which the older one is open again, arrives.
    askStore.setState({ current: ask({ id: "two", state: "working", at: failed.at, rev: 2 }) });
    await asking.refresh();
    await vi.waitFor(() => expect(askStore.getState().current).toMatchObject({ id: "two", state: "failed" }));
    await asking.refresh();
    expect(askStore.getState().current?.note).toContain("takes no more calls");
    asking.close();
    await vi.waitFor(() => expect(askStore.getState().current?.id).toBe("one"));
  });
});
