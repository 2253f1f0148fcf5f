import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { isWhole, readWhen, whenWords, type Comparison } from "../../src/editor/panel/when";

interface Case {
  sentence: string;
  any?: Comparison[][];
  otherwise?: boolean;
  irregular?: boolean;
  written?: string;
}

// The same cases are read by the language itself: tests/flows/test_when_cases.py.
const FOLDER = resolve(import.meta.dirname, "../../../tests/cases/when");
const CASES: Case[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".json"))
  .flatMap((file) => JSON.parse(readFileSync(resolve(FOLDER, file), "utf8")));

describe("when sentences", () => {
  it.each(CASES)("reads $sentence", ({ sentence, any, otherwise, irregular, written }) => {
    const read = readWhen(sentence);
    if (irregular) {
      expect(read).toBeNull();
      return;
    }
    expect(read).toEqual(otherwise ? { otherwise: true } : { otherwise: false, any });
    if (!read) return;
    expect(whenWords(read)).toBe(written);
    // What is written is read back as the same.
    expect(readWhen(whenWords(read))).toEqual(read);
    expect(isWhole(read)).toBe(true);
  });

  it("knows what is not filled in", () => {
    expect(isWhole({ otherwise: false, any: [[{ path: "", test: "is", values: ["x"] }]] })).toBe(false);
    expect(isWhole({ otherwise: false, any: [[{ path: "x", test: "is", values: [] }]] })).toBe(false);
    expect(isWhole({ otherwise: false, any: [[{ path: "x", test: "empty", values: [] }]] })).toBe(true);
  });
});
