import renderToString from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { Markdown } from "../src/shared/Markdown";
import { blocksOf, GrowingBlocks, safeAddress, settle } from "../src/shared/markdown";

const html = (text: string, streaming = false) => renderToString(<Markdown text={text} streaming={streaming} />);

/** Every element of what was drawn, with its attributes. */
const elements = (drawn: string) => [...drawn.matchAll(/<([a-z0-9]+)([^>]*)>/g)].map(([, tag, rest]) => ({ tag: tag!, rest: rest! }));
const ALLOWED = new Set("div p h3 h4 h5 h6 strong em del code pre br a ul ol li blockquote hr table thead tbody tr th td span button svg path rect".split(" "));

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "text <b onclick=alert(1)>bold</b> <svg/onload=alert(1)>",
  "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](&#106;avascript:alert(1)) [d](data:text/html,x) [e](vbscript:x)",
  "[f](//evil.example/x) [g](/api/runs) [h](file:///etc/passwd) [i](  javascript:alert(1)) [j](java\nscript:alert(1))",
  "![p](https://evil.example/p.png) ![q][ref]\n\n[ref]: https://evil.example/q.png",
  "<https://ok.example/> <javascript:alert(1)>",
  '<a href="javascript:alert(1)">x</a>',
  "| a |\n| --- |\n| <img src=x onerror=alert(1)> |",
  "```html\n<script>alert(1)</script>\n```",
  "- <iframe src=//evil.example></iframe>\n  1. <style>*{display:none}</style>",
  "> <object data=x>\n> > <embed src=x>",
  "<!-- --><details open ontoggle=alert(1)>",
  "[x](https://ok.example/\"onmouseover=\"alert(1))",
  `${"> ".repeat(200)}deep`,
  `${"- ".repeat(120)}deep`,
  `${"[".repeat(500)}x${"](https://a.example)".repeat(500)}`,
];

// LG-ask-06, LG-ask-08: a question's table is drawn as one.
describe("Markdown", () => {
  it.each(HOSTILE)("draws only what it knows, and no address but web and mail: %s", (text) => {
    for (const streaming of [false, true]) {
      for (const { tag, rest } of elements(html(text, streaming))) {
        expect(ALLOWED).toContain(tag);
        expect(rest).not.toMatch(/\son[a-z]+=|src=/i);
        if (tag !== "svg") expect(rest).not.toContain("style=");
        const href = /href="([^"]*)"/.exec(rest)?.[1];
        if (href !== undefined) {
          expect(href).toMatch(/^(https?:\/\/|mailto:)/);
          expect(rest).toMatch(/rel="noopener noreferrer nofollow"/);
        }
      }
    }
  });

  it("shows HTML as the text it is", () => {
    expect(html("a <b>c</b>")).toContain("&lt;b>c&lt;/b>");
  });

  // LG-llm-44
  it("draws tables with amounts at the end of their column", () => {
    const drawn = html("| Item | Total |\n| --- | --- |\n| Tea | 18.00 |\n| Cake | 4.50 |");
    expect(drawn).toContain('class="answer-table"');
    expect(drawn).toMatch(/<td class="number"><span class="cell">18\.00/);
  });

  it("decodes references once", () => {
    expect(html("AT&amp;T &#x41; &amp;lt;")).toContain("AT&amp;T A &amp;lt;");
  });

  it("refuses addresses that are not absolute", () => {
    expect(safeAddress("https://a.example/x")?.host).toBe("a.example");
    expect(safeAddress("mailto:a@b.example")?.protocol).toBe("mailto:");
    for (const bad of ["", "#x", "/x", "//x.example", "ftp://x", "java&#10;script:x"]) expect(safeAddress(bad)).toBeNull();
  });
});

describe("text that still arrives", () => {
  it.each([
    ["This is **bo", "This is **bo**"],
    ["This is **bold*", "This is **bold**"],
    ["Run `npm", "Run `npm`"],
    ["See [the page](https://exa", "See the page"],
    ["See [the pa", "See the pa"],
    ["Items:\n-", "Items:\n"],
    ["Items:\n1.", "Items:\n"],
    ["Title\n=", "Title\n"],
    ["Here:\n\n| Date | Total", "Here:"],
    ["Here:\n\n| Date | Total |\n", "Here:"],
    ["Here:\n\n| Date | Total |\n| --", "Here:\n"],
    ["| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3", "| A | B |\n| --- | --- |\n| 1 | 2 |\n"],
    ["| A | B |\n| --- | --- |\n| 1 | 2 |\n|", "| A | B |\n| --- | --- |\n| 1 | 2 |\n"],
    ["| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 |", "| A | B |\n| --- | --- |\n| 1 | 2 |\n"],
    ["| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |", "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"],
    ["```js\nlet a = `x", "```js\nlet a = `x"],
  ])("is held back or closed where it would change its shape: %s", (text, ready) => {
    expect(settle(text)).toBe(ready);
  });

  it("never takes back a finished block while it grows", () => {
    const whole = "# Title\n\nSome **bold** text with `code` and a [link](https://a.example).\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n- one\n- two\n\n```js\nlet a = 1;\n```\n\nThe end.";
    let most = 0;
    for (let length = 1; length <= whole.length; length += 1) {
      const blocks = elements(html(whole.slice(0, length), true)).filter(({ tag }) => ["h3", "p", "table", "ul", "pre"].includes(tag)).length;
      expect(blocks).toBeGreaterThanOrEqual(most);
      most = blocks;
    }
  });

  it("ends with the same blocks as the whole text, read once", () => {
    const part = "## Part\n\nWords with **marks**.\n\n- one\n- two\n  - three\n\n> quoted\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n```js\nlet a = 1;\n\nlet b = 2;\n```\n\n1. first\n\n   still first\n2. second\n\n";
    const whole = part.repeat(12) + "The end.";
    const growing = new GrowingBlocks();
    let last = growing.read("");
    for (let length = 7; length < whole.length + 7; length += 7) last = growing.read(whole.slice(0, length));
    expect(last.map(({ type, raw }) => [type, raw.trim()])).toEqual(blocksOf(whole).map(({ type, raw }) => [type, raw.trim()]));
  });

  it("begins anew when it is another text", () => {
    const growing = new GrowingBlocks();
    growing.read("# One\n\ntwo\n\nthree\n\nfour\n\nfive");
    expect(growing.read("Other").map(({ raw }) => raw)).toEqual(["Other"]);
  });
});
