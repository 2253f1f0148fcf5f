import type { Language } from "../../generated/language";
import { channelsOf, FANOUT, nodesOf, object, text } from "../store/document";
import { t } from "../../shared/strings";
import { isObject } from "../store/changes";
import type { Json, JsonObject } from "../store/wire";

/** What a template may read: a channel, or a part of one that is known by name. */
export interface Readable {
  path: string;
  type: string;
  help: string;
}

const DEEPEST = 4;
const BRACES = /\{\{([^{}]*)\}\}/g;
const PART = "[\\p{L}\\p{N}_$@-]+(?: +[\\p{L}\\p{N}_$@-]+)*";
const PATH = new RegExp(`^[A-Za-z_][A-Za-z0-9_]*(?:\\.${PART})*$`, "u");

/** As flows/words/template.py: a channel, then keys and list positions, at most 16 parts. */
export const isPath = (typed: string): boolean => typed.split(".").length <= 16 && typed.length <= 300 && PATH.test(typed);

/** The names under which a step reads the items that fan-outs send it. */
export const itemsOf = (flow: JsonObject, node: string): string[] =>
  nodesOf(flow)
    .filter((each) => each.type === FANOUT && text(each.json.to) === node)
    .map((each) => text(each.json.as))
    .filter(Boolean);

/** Everything that prompts may read: the items of their step, then channels, each followed by its known parts. */
export function readables(flow: JsonObject, language: Language, node = ""): Readable[] {
  const found: Readable[] = itemsOf(flow, node).map((path) => ({ path, type: "", help: t("panel.item") }));
  const shapes = shapesOf(flow, language);
  for (const [name, raw] of Object.entries(channelsOf(flow))) {
    const channel = object(raw);
    found.push({ path: name, type: text(channel.type), help: text(channel.description) });
    for (const part of shapes.get(name) ?? []) found.push({ ...part, path: `${name}.${part.path}` });
  }
  for (const given of language.given) {
    if (given.name === "history" && flow.conversation !== true) continue;
    found.push({ path: given.name, type: "", help: given.help });
    for (const key of given.keys ?? []) found.push({ path: `${given.name}.${key}`, type: "", help: "" });
  }
  return found;
}

/** Channel → the parts of what is written to it, as far as schemas and form fields say them. */
function shapesOf(flow: JsonObject, language: Language): Map<string, Readable[]> {
  const shapes = new Map<string, Readable[]>();
  for (const node of nodesOf(flow)) {
    const kind = language.kinds.find((each) => each.type === node.type);
    const output = kind?.fields.find((field) => field.writes && field.widget === "channel");
    const channel = output ? text(node.json[output.key]) : "";
    if (!kind || !channel) continue;
    for (const field of kind.fields) {
      const value = node.json[field.key];
      if (!isObject(value)) continue;
      const parts = field.widget === "schema" ? inSchema(value, "", 0) : field.widget === "fields" ? inFields(value) : [];
      const known = shapes.get(channel) ?? [];
      shapes.set(channel, [...known, ...parts.filter((part) => !known.some((each) => each.path === part.path))]);
    }
  }
  return shapes;
}

function inSchema(schema: JsonObject, above: string, depth: number): Readable[] {
  if (depth >= DEEPEST) return [];
  const found: Readable[] = [];
  for (const [name, raw] of Object.entries(object(schema.properties))) {
    const inner = object(raw);
    const path = `${above}${name}`;
    found.push({ path, type: text(inner.type), help: text(inner.description) }, ...inSchema(inner, `${path}.`, depth + 1));
  }
  return found;
}

const inFields = (fields: JsonObject): Readable[] =>
  Object.entries(fields).map(([name, raw]) => ({ path: name, type: text(object(raw).type), help: text(object(raw).description) || text(object(raw).label) }));

/** A text cut into words and templates. */
export type Piece = { text: string; path?: undefined } | { text: string; path: string };

export function pieces(template: string): Piece[] {
  const found: Piece[] = [];
  let last = 0;
  for (const match of template.matchAll(BRACES)) {
    const path = (match[1] ?? "").trim();
    if (!isPath(path)) continue;
    if (match.index > last) found.push({ text: template.slice(last, match.index) });
    found.push({ text: match[0], path });
    last = match.index + match[0].length;
  }
  if (last < template.length) found.push({ text: template.slice(last) });
  return found;
}

/** The channels that a value's templates read. */
export function channelsIn(value: Json | undefined): string[] {
  if (typeof value === "string") return pieces(value).flatMap((piece) => (piece.path === undefined ? [] : [piece.path.split(".")[0] ?? ""]));
  if (Array.isArray(value)) return value.flatMap(channelsIn);
  return isObject(value) ? Object.values(value).flatMap(channelsIn) : [];
}

/** Does a prompt of the step know this channel? */
export function isKnown(flow: JsonObject, language: Language, name: string, node = ""): boolean {
  return name in channelsOf(flow) || itemsOf(flow, node).includes(name) || language.given.some((given) => given.name === name && (name !== "history" || flow.conversation === true));
}
