/** Text that decides something is shown as it is: characters that hide, reorder or pass for others are made visible. */

export type Part = { text: string } | { code: string };

/** Controls but tab and line feed; soft hyphen; bidi marks, embeddings and isolates; zero widths; line separators;
 * fillers; variation tags. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const PICTURE = /\p{Extended_Pictographic}/u;

/** Whether a zero-width joiner only joins two pictures, as in family emoji. */
function joinsPictures(text: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 4), at)).slice(-2).join("");
  const after = Array.from(text.slice(at + 1, at + 3))[0] ?? "";
  return PICTURE.test(before) && PICTURE.test(after);
}

/** The text in parts; a hidden character becomes its code, drawn as ‹U+202E›. */
export function visibleParts(text: string): Part[] {
  const parts: Part[] = [];
  let last = 0;
  for (const found of text.matchAll(HIDDEN)) {
    const at = found.index;
    if (found[0] === "\u200d" && joinsPictures(text, at)) continue;
    if (found[0] === "\r" && text[at + 1] === "\n") continue;
    if (at > last) parts.push({ text: text.slice(last, at) });
    parts.push({ code: `U+${found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}` });
    last = at + found[0].length;
  }
  if (last < text.length) parts.push({ text: text.slice(last) });
  return parts;
}

const ALPHABETS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u, /\p{Script=Cherokee}/u];

/** Words that mix alphabets whose letters look alike (a Cyrillic а in a Latin name). */
export function mixedWords(text: string): string[] {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  return [...new Set(words.filter((word) => ALPHABETS.filter((letters) => letters.test(word)).length > 1))];
}
