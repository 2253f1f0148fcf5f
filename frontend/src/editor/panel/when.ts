import { isPath } from "../fields/paths";

/** A regular when sentence, taken apart: what flows/words/when.py turns into router code without a model.
 * tests/cases/when holds sentences that both of them read. */
export type Test = "is" | "isNot" | "oneOf" | "empty" | "notEmpty" | "hasAtLeast" | "atLeast" | "moreThan" | "atMost" | "lessThan";
export type Wanted = string | number | boolean;

export interface Comparison {
  path: string;
  test: Test;
  /** Several for oneOf, none for empty and notEmpty, else one. */
  values: Wanted[];
}

/** Alternatives of comparisons that all hold; or whatever the other routes leave. */
export type Sentence = { otherwise: true } | { otherwise: false; any: Comparison[][] };

const OTHERWISE = /^\s*(?:anything|everything) else\b[^]*$/i;
const TOKEN = /\s*(?:'([^']*)'|`([^`]*)`|"((?:[^"\\\n]|\\[^\n])*)"|(-?\d+(?:\.\d+)?)(?![\w.]*\w)|([A-Za-z]+)|(,))/y;
const MOST = 400;

interface Token {
  kind: "path" | "text" | "number" | "word" | "comma";
  text: string;
}

function tokens(sentence: string): Token[] | null {
  const trimmed = sentence.trim().replace(/\.$/, "").trimEnd();
  const found: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const match = TOKEN.exec(trimmed);
    if (!match || found.length >= MOST) return null;
    const [, quoted, ticked, text, number, word] = match;
    const path = quoted ?? ticked;
    if (path !== undefined) {
      if (!isPath(path)) return null;
      found.push({ kind: "path", text: path });
    } else if (text !== undefined) found.push({ kind: "text", text: text.replace(/\\(.)/g, "$1") });
    else if (number !== undefined) found.push({ kind: "number", text: number });
    else if (word !== undefined) found.push({ kind: "word", text: word.toLowerCase() });
    else found.push({ kind: "comma", text: "," });
  }
  return found;
}

const AMOUNTS: readonly [Test, readonly string[]][] = [
  ["atLeast", ["at", "least"]],
  ["moreThan", ["more", "than"]],
  ["atMost", ["at", "most"]],
  ["lessThan", ["less", "than"]],
];

class Reader {
  constructor(private rest: Token[]) {}

  all(): Comparison[][] | null {
    const any: Comparison[][] = [];
    do {
      const every: Comparison[] = [];
      do {
        const one = this.comparison();
        if (!one) return null;
        every.push(one);
      } while (this.words("and"));
      any.push(every);
    } while (this.words("or"));
    return this.rest.length ? null : any;
  }

  private comparison(): Comparison | null {
    const path = this.take("path");
    if (path === null) return null;
    if (this.words("has", "at", "least")) {
      const number = this.number();
      const counted = this.words("items") || this.words("item") || this.words("entries") || this.words("entry");
      return number === null || !counted ? null : { path, test: "hasAtLeast", values: [number] };
    }
    if (!this.words("is")) return null;
    if (this.words("not", "empty")) return { path, test: "notEmpty", values: [] };
    if (this.words("empty")) return { path, test: "empty", values: [] };
    for (const [test, words] of AMOUNTS) {
      if (this.words(...words)) {
        const number = this.number();
        return number === null ? null : { path, test, values: [number] };
      }
    }
    if (this.words("one", "of")) return this.oneOf(path);
    const test = this.words("not") ? "isNot" : "is";
    const value = this.value();
    return value === null ? null : { path, test, values: [value] };
  }

  private oneOf(path: string): Comparison | null {
    const first = this.value();
    if (first === null) return null;
    const values = [first];
    for (;;) {
      const before = this.rest;
      let joined = this.take("comma") !== null;
      joined = this.words("or") || joined;
      const next = joined && this.isValue() ? this.value() : null;
      if (next === null) {
        this.rest = before;
        return { path, test: "oneOf", values };
      }
      values.push(next);
    }
  }

  private value(): Wanted | null {
    if (this.words("true")) return true;
    if (this.words("false")) return false;
    return this.rest[0]?.kind === "number" ? this.number() : this.take("text");
  }

  private isValue(): boolean {
    const next = this.rest[0];
    return next !== undefined && (next.kind === "text" || next.kind === "number" || (next.kind === "word" && (next.text === "true" || next.text === "false")));
  }

  private number(): number | null {
    const text = this.take("number");
    return text === null ? null : Number(text);
  }

  private words(...words: string[]): boolean {
    if (!words.every((word, at) => this.rest[at]?.kind === "word" && this.rest[at]?.text === word)) return false;
    this.rest = this.rest.slice(words.length);
    return true;
  }

  private take(kind: Token["kind"]): string | null {
    const [first, ...rest] = this.rest;
    if (first?.kind !== kind) return null;
    this.rest = rest;
    return first.text;
  }
}

/** The sentence taken apart; null when it is irregular, and a model writes its code. */
export function readWhen(sentence: string): Sentence | null {
  if (OTHERWISE.test(sentence)) return { otherwise: true };
  const found = tokens(sentence);
  const any = found ? new Reader(found).all() : null;
  return any && { otherwise: false, any };
}

const shown = (value: Wanted): string => (typeof value === "string" ? `"${value.replace(/["\\]/g, "\\$&")}"` : String(value));
const WORDS: Record<Exclude<Test, "oneOf" | "empty" | "notEmpty" | "hasAtLeast">, string> = {
  is: "is",
  isNot: "is not",
  atLeast: "is at least",
  moreThan: "is more than",
  atMost: "is at most",
  lessThan: "is less than",
};

function comparisonWords({ path, test, values }: Comparison): string {
  const [first = ""] = values;
  if (test === "empty") return `'${path}' is empty`;
  if (test === "notEmpty") return `'${path}' is not empty`;
  if (test === "hasAtLeast") return `'${path}' has at least ${first} ${first === 1 ? "item" : "items"}`;
  if (test === "oneOf") {
    const all = values.map(shown);
    const last = all.pop();
    return `'${path}' is one of ${all.length ? `${all.join(", ")} or ` : ""}${last}`;
  }
  return `'${path}' ${WORDS[test]} ${shown(first)}`;
}

/** The regular sentence, as the language writes it. */
export function whenWords(sentence: Sentence): string {
  if (sentence.otherwise) return "anything else";
  return sentence.any.map((every) => every.map(comparisonWords).join(" and ")).join(" or ");
}

/** Is every part of it filled in, so that it says something? */
export function isWhole(sentence: Sentence): boolean {
  if (sentence.otherwise) return true;
  return sentence.any.every((every) => every.every(({ path, test, values }) => isPath(path) && (test === "empty" || test === "notEmpty" || values.length > 0)));
}
