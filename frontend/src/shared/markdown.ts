import { lexer, type Token } from "marked";

const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  euro: "€",
  copy: "©",
  rarr: "→",
  larr: "←",
  times: "×",
  middot: "·",
  laquo: "«",
  raquo: "»",
};

/** Character references as the characters they mean; unknown ones stay as written. */
export function decodeReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name) return NAMED[name as string] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

/** The address when it may be followed: absolute http, https or mailto. */
export function safeAddress(href: string): URL | null {
  const trimmed = decodeReferences(href).trim();
  if (!/^(https?:\/\/|mailto:)/i.test(trimmed)) return null;
  try {
    const url = new URL(trimmed);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

/** Text that still arrives, made ready to be read as Markdown: what would change its shape with the next letters is held
 * back or closed, so that nothing on the page jumps. */
export function settle(text: string): string {
  const fences = text.match(/^ {0,3}(`{3,}|~{3,})/gm);
  if (fences && fences.length % 2 === 1) {
    // Inside a fence everything is final except a closing fence that has only begun.
    return text.replace(/\n {0,3}[`~]{1,2}$/, "");
  }
  // A row whose line has just ended is still the last one.
  const ended = /\|[^\n]*\n$/.test(text);
  const ready = ended ? text.slice(0, -1) : text;
  const at = ready.lastIndexOf("\n") + 1;
  const last = ready.slice(at);
  const before = ready.slice(0, at);
  if (/^\s*(?:[-+*=_#>~`]+|\d{1,9}[.)]?)\s*$/.test(last)) return before;
  // A table shows itself with its second line; its rows come whole.
  if (/^\s*\|/.test(last)) {
    const lines = before.trimEnd().split("\n");
    const rule = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
    let first = lines.length;
    while (first > 0 && /^\s*\|/.test(lines[first - 1]!)) first -= 1;
    const known = lines.length - first >= 2 && rule.test(lines[first + 1]!);
    if (!known) {
      if (lines.length - first >= 1 && rule.test(last) && /\|\s*$/.test(last) && columns(last) === columns(lines[first]!)) return ready;
      return lines.slice(0, first).join("\n");
    }
    const whole = /\S\s*\|\s*$/.test(last) && columns(last) >= columns(lines[first]!);
    return whole ? ready : before;
  }
  const block = ready.lastIndexOf("\n\n");
  const head = block < 0 ? "" : ready.slice(0, block + 2);
  let tail = block < 0 ? ready : ready.slice(block + 2);
  // A link is shown as its words until its address is complete.
  tail = tail.replace(/!?\[([^\]\n]*)\]\([^)\n]*$/, "$1").replace(/!?\[([^\]\n]*)$/, "$1").replace(/<[^>\s]*$/, "");
  const codes = tail.match(/`/g)?.length ?? 0;
  if (codes % 2 === 1) tail = /`$/.test(tail) ? tail.replace(/`+$/, "") : `${tail}\``;
  else {
    const bare = tail.replace(/`[^`]*`/g, "");
    for (const mark of ["**", "~~", "__"]) {
      if ((bare.split(mark).length - 1) % 2 !== 1) continue;
      tail = tail.endsWith(mark) ? tail.slice(0, -mark.length) : /\s$/.test(tail) ? tail.trimEnd() + mark : closeMark(tail, mark);
    }
    if (/(^|[^*])\*$/.test(tail)) tail = tail.slice(0, -1);
    else if (/(^|[\s(])\*(?![\s*])[^*\n]*$/.test(tail.replace(/\*\*/g, ""))) tail = `${tail.trimEnd()}*`;
  }
  return head + tail;
}

/** `**bold*` is a closing mark half arrived: it is completed, not added to. */
function closeMark(tail: string, mark: string): string {
  return tail.endsWith(mark[0]!) && !tail.endsWith(` ${mark[0]}`) ? tail + mark[0] : tail + mark;
}

function columns(row: string): number {
  return row.trim().replace(/^\||\|$/g, "").split("|").length;
}

const LONGEST = 200_000;

function read(source: string): Token[] {
  return lexer(source, { gfm: true, breaks: true });
}

const isDrawn = (token: Token): boolean => token.type !== "space" && token.type !== "def";

/** Block tokens of a whole text. One too long to be read as Markdown is a paragraph of plain text. */
export function blocksOf(text: string): Token[] {
  if (text.length > LONGEST) return [{ type: "text", raw: text, text } as Token];
  return read(text).filter(isDrawn);
}

/** How many of the last blocks may still change with what comes. */
const OPEN = 3;

/** The blocks of a text that grows: what is finished is read once, so that a long answer costs no more than a short one. */
export class GrowingBlocks {
  #source = "";
  #done: Token[] = [];
  #doneLength = 0;

  read(text: string): Token[] {
    if (text.length > LONGEST) return blocksOf(text);
    const source = text.replace(/\r\n?/g, "\n");
    if (!source.startsWith(this.#source.slice(0, this.#doneLength))) {
      this.#done = [];
      this.#doneLength = 0;
    }
    this.#source = source;
    const rest = read(settle(source.slice(this.#doneLength)));
    const all = [...this.#done, ...rest];
    const closed = rest.slice(0, Math.max(0, rest.length - OPEN));
    if (closed.length) {
      this.#done = [...this.#done, ...closed];
      this.#doneLength += closed.reduce((sum, token) => sum + token.raw.length, 0);
    }
    return all.filter(isDrawn);
  }
}
