import { describe, expect, it } from "vitest";
import type { Frame, Item } from "../src/generated/frames";
import { applyFrames, NO_ITEMS, turnsOf } from "../src/shared/items";
import { fitDelta, fitStored, streamOf, type Stream } from "../src/shared/streams";
import { pauseBefore } from "../src/shared/socket";

const message = (run: string, state: "sent" | "queued" = "sent"): Item => ({
  type: "message", id: `msg:${run}`, run, text: run, values: [], by: "", state, canRemove: false, at: "2026-11-30T09:00:00Z",
});
const answer = (run: string): Item => ({
  type: "answer", id: `out:${run}:answer`, run, channel: "answer", label: "Answer", value: "x", streaming: false, attempt: 1, demo: false,
});
const put = (seq: number, item: Item): Frame => ({ seq, op: "put", id: item.id, item });

describe("items", () => {
  it("keeps the place of an item that is put again, and forgets a removed one", () => {
    const items = applyFrames(NO_ITEMS, [put(1, message("a")), put(2, message("b")), put(3, message("a")), { seq: 4, op: "remove", id: "msg:b", item: null }]);
    expect([...items.keys()]).toEqual(["msg:a"]);
  });

  it("gives the same items when the same frames come twice", () => {
    const frames = [put(1, message("a")), put(2, answer("a")), put(3, message("b", "queued"))];
    expect([...applyFrames(applyFrames(NO_ITEMS, frames), frames)]).toEqual([...applyFrames(NO_ITEMS, frames)]);
  });

  it("keeps an answer under its own message although a later one was queued before it came", () => {
    const items = applyFrames(NO_ITEMS, [put(1, message("a")), put(2, message("b", "queued")), put(3, answer("a"))]);
    expect(turnsOf(items).map((turn) => [turn.run, turn.items.length, turn.queued])).toEqual([
      ["a", 2, false],
      ["b", 1, true],
    ]);
  });
});

describe("streams", () => {
  const whole = "Grüße 👩‍🚀 an alle, 日本 und مرحبا – “ok” 🎉 ".repeat(6);
  const letters = Array.from(whole);

  /** A small generator of repeatable chance. */
  function chance(seed: number): () => number {
    return () => {
      seed = (seed * 1664525 + 1013904223) % 4294967296;
      return seed / 4294967296;
    };
  }

  it("rebuilds a text from deltas that come twice, overlap and are read from the store after a gap", () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const next = chance(seed);
      let held: Stream | undefined;
      let sent = 0;
      while (sent < letters.length) {
        const size = 1 + Math.floor(next() * 12);
        const from = Math.max(0, sent - Math.floor(next() * 5));
        const delta = { attempt: 1, offset: from, text: letters.slice(from, sent + size).join("") };
        sent = Math.min(letters.length, sent + size);
        if (next() < 0.2) continue;
        const fit = fitDelta(held, delta);
        if (fit.fit === "grown") held = fit.stream;
        else if (fit.fit === "gap") {
          held = fitStored(held, { attempt: 1, text: letters.slice(0, from + Math.floor(next() * 3)).join("") });
          const again = fitDelta(held, delta);
          expect(again.fit).not.toBe("gap");
          if (again.fit === "grown") held = again.stream;
        }
        expect(whole.startsWith(held?.text ?? "")).toBe(true);
      }
      expect(fitStored(held, { attempt: 1, text: whole }).text).toBe(whole);
    }
  });

  it("starts anew with a later attempt and ignores an earlier one", () => {
    const second = fitDelta(streamOf(1, "half a te"), { attempt: 2, offset: 0, text: "New" });
    expect(second).toEqual({ fit: "grown", stream: { attempt: 2, text: "New", length: 3 } });
    expect(fitDelta(streamOf(2, "New"), { attempt: 1, offset: 9, text: "xt" })).toEqual({ fit: "old" });
    expect(fitStored(streamOf(2, "New"), { attempt: 1, text: "half a text" }).text).toBe("New");
  });
});

describe("the socket", () => {
  it("waits longer each time, never longer than ten seconds, and not all pages alike", () => {
    expect(pauseBefore(0, 0)).toBe(200);
    expect(pauseBefore(0, 1)).toBe(400);
    expect(pauseBefore(3, 0.5)).toBeGreaterThan(pauseBefore(2, 0.5));
    expect(pauseBefore(40, 1)).toBe(10_000);
  });
});
