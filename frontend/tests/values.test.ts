import { describe, expect, it } from "vitest";
import { asFields, draftsOf, readNumber, valuesOf } from "../src/shared/fields";
import { isAmount, labelOf, readWhole, shapeOf } from "../src/shared/shape";
import { mixedWords, visibleParts } from "../src/shared/visible";

const words = { yes: "Yes", no: "No" };

describe("labels", () => {
  it.each([
    ["customer_id", "Customer id"],
    ["customerId", "Customer id"],
    ["openOrders", "Open orders"],
    ["All customers from the UK", "All customers from the UK"],
    ["VAT", "VAT"],
    ["תאריך", "תאריך"],
  ])("%s is shown as %s", (key, label) => expect(labelOf(key)).toBe(label));
});

// LG-views-11, LG-views-12, LG-views-14, LG-views-16
describe("values by shape", () => {
  it.each([
    [null, "empty"],
    ["", "empty"],
    [[], "empty"],
    [{}, "empty"],
    [0, "short"],
    [false, "short"],
    ["Berlin", "short"],
    ["a\nb", "block"],
    ["x".repeat(81), "block"],
    [["a", "b"], "chips"],
    [["a rather long entry of a list", "b"], "bullets"],
    [[{ a: 1 }, { b: 2 }], "table"],
    [{ a: { b: 1 } }, "record"],
    ['{"a": 1}', "record"],
    ['[{"a": 1}]', "table"],
    ['Prose with {"a": 1} in it', "short"],
  ] as const)("%j is drawn as %s", (value, shape) => expect(shapeOf(value as never, words).shape).toBe(shape));

  // LG-llm-45
  it("takes columns in order of first appearance and puts amounts right, names left", () => {
    const shape = shapeOf([{ order_id: 1, total: 2.5 }, { total: "€ 3.00", note: "x", order_id: 2 }], words);
    if (shape.shape !== "table") throw new Error("no table");
    expect(shape.columns.map(({ label, number }) => [label, number])).toEqual([
      ["Order id", false],
      ["Total", true],
      ["Note", false],
    ]);
  });

  it("leaves prose in words", () => {
    expect(readWhole("{not json}")).toBeUndefined();
    expect(readWhole("[1, 2]")).toBeUndefined();
    expect(isAmount("€ 1,204.00")).toBe(true);
    expect(isAmount("3 Nov")).toBe(false);
  });
});

describe("hidden characters", () => {
  it("become their codes", () => {
    expect(visibleParts("a\u202eb\u200bc\u0007")).toEqual([{ text: "a" }, { code: "U+202E" }, { text: "b" }, { code: "U+200B" }, { text: "c" }, { code: "U+0007" }]);
  });
  it("leave lines, tabs and joined pictures alone", () => {
    const text = "a\r\n\tb 👩‍🚀";
    expect(visibleParts(text).every((part) => "text" in part)).toBe(true);
  });
  it("flag words of two alphabets", () => {
    expect(mixedWords("p\u0430ypal Berlin \u041c\u043e\u0441\u043a\u0432\u0430")).toEqual(["p\u0430ypal"]);
  });
});

describe("forms", () => {
  const fields = asFields({
    id: { type: "string", required: true, maxLength: null, options: null },
    count: { type: "number" },
    gift: { type: "boolean" },
    size: { type: "number", options: [1, 2] },
    rows: { type: "list", of: { product: { type: "number" }, note: { type: "text" } } },
    names: { type: "list" },
    extra: { type: "object" },
  });

  it("send what was typed, empty rows in their place", () => {
    const drafts = draftsOf(fields, { id: "x", size: 2 });
    expect(valuesOf(fields, { ...drafts, count: "1,5", gift: true, rows: [{ product: "", note: "" }, { product: "7", note: "a" }], names: ["a", ""], extra: [{ name: "k", value: "3" }] })).toEqual({
      id: "x", count: 1.5, gift: true, size: 2, rows: [{ product: null, note: null }, { product: 7, note: "a" }], names: ["a"], extra: { k: 3 },
    });
  });

  it("keep half a number as it was typed", () => {
    expect(readNumber("12")).toBe(12);
    expect(readNumber("١٢")).toBe(12);
    expect(readNumber("-3.50")).toBe(-3.5);
    expect(readNumber("12 pieces")).toBe("12 pieces");
    expect(readNumber("9007199254740993")).toBe("9007199254740993");
  });
});
