import { describe, expect, it } from "vitest";
import { part } from "../../src/editor/ask/part";

describe("the part of a text that a proposal changes", () => {
  it("is what was added, with what stands before it", () => {
    const old = `${"word ".repeat(40)}and place orders.`;
    const { before, old: gone, now, after } = part(old, `${old}\n\nSay it in French.`);
    expect(before).toBe(`…${old.slice(-40)}`);
    expect([gone, now, after]).toEqual(["", "\n\nSay it in French.", ""]);
  });

  it("is whole words, also where only letters of them differ", () => {
    expect(part("Answer in a friendly way.", "Answer in a friendlier way.")).toEqual({ before: "Answer in a ", old: "friendly", now: "friendlier", after: " way." });
    expect(part("at most 30 words", "at most 300 words")).toEqual({ before: "at most ", old: "30", now: "300", after: " words" });
  });

  it("is all of a text that has nothing in common, and nothing of one that is the same", () => {
    expect(part("one", "two")).toEqual({ before: "", old: "one", now: "two", after: "" });
    expect(part("", "new")).toEqual({ before: "", old: "", now: "new", after: "" });
    expect(part("same", "same")).toMatchObject({ old: "", now: "" });
  });

  it("puts the two texts together again", () => {
    const texts = ["", "a", "a b", "a b c", "b c", "a  c", "abc abd", "abc", "x\ny\nz", "x\nz"];
    for (const old of texts)
      for (const now of texts) {
        const found = part(old, now);
        expect(found.before + found.old + found.after).toBe(old);
        expect(found.before + found.now + found.after).toBe(now);
      }
  });
});
