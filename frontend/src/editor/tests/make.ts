import { isObject } from "../store/changes";
import { channelsOf, labelOf, names, nodesOf, object, text, toolsOf } from "../store/document";
import type { Json, JsonObject } from "../store/wire";

/** The section of `mock` in which a kind of step is stood in for. */
const MOCKS: Record<string, "nodes" | "reads" | "knowledge" | "index" | "database"> = {
  llm: "nodes",
  work: "nodes",
  read: "reads",
  knowledge: "knowledge",
  index: "index",
  database: "database",
};

/** How what is typed becomes a value: words as they are, JSON, a number, or JSON where it can be read as such. */
export type Reads = "text" | "json" | "number" | "boolean" | "either";

/** One thing that a test may say, with what stands in its box at first. */
export interface Ask {
  key: string;
  section: "input" | "nodes" | "reads" | "knowledge" | "index" | "database" | "tools" | "answers" | "output";
  name: string;
  label: string;
  help: string;
  reads: Reads;
  start: string;
  /** An approval is decided, not typed. */
  decides: boolean;
}

/** A flow that runs inside; `at` stands before the names of its steps. */
export interface Inside {
  at: string;
  flow: JsonObject;
}

/** Everything that a test of this flow may say, in the order in which it is asked; the steps of flows inside come after its own. */
export function asksOf(flow: JsonObject, inside: readonly Inside[] = []): Ask[] {
  const found: Ask[] = [];
  const ask = (section: Ask["section"], name: string, label: string, help: string, reads: Reads, start = "", decides = false) =>
    found.push({ key: `${section} ${name}`, section, name, label, help, reads, start, decides });
  const channels = channelsOf(flow);
  for (const name of names(flow.inputs)) ask("input", name, labelOf(name), text(object(channels[name]).description), readsOf(text(object(channels[name]).type)));
  const all: Inside[] = [{ at: "", flow }, ...inside];
  for (const { at, flow: one } of all) {
    for (const node of nodesOf(one)) {
      const help = text(node.json.description);
      const section = MOCKS[node.type];
      const name = at ? `${at}/${node.id}` : node.id;
      const label = name.split("/").map(labelOf).join(" › ");
      // A step inside may never run, or take what stands there already: nothing is filled in for it.
      const start = (value: Json): string => (at ? "" : written(value));
      if (section) {
        const schema = node.json.schema;
        const shaped = isObject(schema);
        ask(section, name, label, help, shaped ? "json" : "either", shaped ? start(sampleOf(schema)) : "");
      }
      if (node.type === "ask") ask("answers", name, label, text(node.json.ask) || help, "text");
      if (node.type === "form") ask("answers", name, label, help, "json", start(filledIn(node.json.fields)));
      else if (isObject(node.json.approval)) ask("answers", name, label, text(node.json.approval.ask) || help, "boolean", "", true);
    }
  }
  const tools = new Map(all.flatMap((each) => calledTools(each.flow).map((tool) => [tool.name, tool.help] as const)));
  for (const [name, help] of tools) ask("tools", name, name, help, "either");
  for (const name of names(flow.outputs)) ask("output", name, labelOf(name), text(object(channels[name]).description), readsOf(text(object(channels[name]).type)));
  return found;
}

const readsOf = (type: string): Reads => (type === "number" ? "number" : type === "boolean" ? "boolean" : type === "list" || type === "object" || type === "file" ? "json" : "text");
const written = (value: Json): string => JSON.stringify(value, null, 2);

/** The tools that steps call: the flow's own, and those of servers. */
function calledTools(flow: JsonObject): { name: string; help: string }[] {
  const own = new Map(toolsOf(flow).map((tool) => [text(tool.name), text(tool.description)]));
  const called = nodesOf(flow).flatMap((node) => (node.type === "tool" ? [text(node.json.tool)] : node.type === "work" ? names(node.json.tools) : []));
  const every = nodesOf(flow).some((node) => node.type === "tools") ? [...own.keys()] : [];
  return [...new Set([...called, ...every])].filter(Boolean).map((name) => ({ name, help: own.get(name) ?? "" }));
}

const EMPTY: Record<string, Json> = { string: "", text: "", number: 0, integer: 0, boolean: false, list: [], array: [], object: {}, date: "2026-01-31" };

/** An answer of the shape that a schema asks for, to be filled in. */
export function sampleOf(schema: JsonObject): Json {
  const allowed = schema.enum;
  if (Array.isArray(allowed) && allowed[0] !== undefined) return allowed[0];
  const type = text(schema.type);
  if (type === "object" || isObject(schema.properties)) {
    const found: JsonObject = {};
    const needed = Array.isArray(schema.required) ? schema.required.map(text) : Object.keys(object(schema.properties));
    for (const name of needed) found[name] = sampleOf(object(object(schema.properties)[name]));
    return found;
  }
  if ((type === "list" || type === "array") && isObject(schema.items)) return [sampleOf(schema.items)];
  if (typeof schema.minimum === "number") return schema.minimum;
  return EMPTY[type] ?? "";
}

function filledIn(fields: Json | undefined): JsonObject {
  const found: JsonObject = {};
  for (const [name, raw] of Object.entries(object(fields))) {
    const field = object(raw);
    const options = Array.isArray(field.options) ? field.options[0] : undefined;
    if (field.required === true || field.default !== undefined) found[name] = field.default ?? options ?? EMPTY[text(field.type)] ?? "";
  }
  return found;
}

/** What was typed, as a value; undefined when nothing was. */
export function valueOf(typed: string, reads: Reads): { value: Json | undefined } | { wrong: string } {
  const plain = typed.trim();
  if (!plain) return { value: undefined };
  if (reads === "text") return { value: typed };
  try {
    const value: Json = JSON.parse(plain);
    if (reads === "number" && typeof value !== "number") throw new SyntaxError(plain);
    if (reads === "boolean" && typeof value !== "boolean") throw new SyntaxError(plain);
    return { value };
  } catch (thrown) {
    if (reads === "either" && !/^[[{"]/.test(plain)) return { value: typed };
    return { wrong: thrown instanceof Error ? thrown.message : plain };
  }
}

export interface Wish {
  name: string;
  typed: Record<string, string>;
  /** Words of the failure that is expected; "" where the run is to end well. */
  fails: string;
  path: string[];
}

/** The test as the file says it, and what is no value yet, by key. */
export function testOf(asks: readonly Ask[], wish: Wish): { test: JsonObject; wrong: Record<string, string> } {
  const wrong: Record<string, string> = {};
  const found: Record<string, JsonObject> = {};
  for (const one of asks) {
    const read = valueOf(wish.typed[one.key] ?? one.start, one.reads);
    if ("wrong" in read) wrong[one.key] = read.wrong;
    else if (read.value !== undefined) found[one.section] = { ...found[one.section], [one.name]: read.value };
    else if (one.section === "output" && !wish.fails) found.output = { ...found.output, [one.name]: { notEmpty: true } };
  }
  const { input, output, ...mock } = found;
  const expect: JsonObject = wish.fails ? { fails: wish.fails } : { ...(output ? { output } : {}) };
  if (wish.path.length) expect.path = wish.path;
  return {
    test: {
      name: wish.name.trim(),
      ...(input ? { input } : {}),
      ...(Object.keys(mock).length ? { mock } : {}),
      ...(Object.keys(expect).length ? { expect } : {}),
    },
    wrong,
  };
}

/** A file's name made of words: lower-case letters, digits and hyphens. */
export function fileNameOf(words: string): string {
  const plain = words.normalize("NFKD").replace(/[̀-ͯ]/g, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `tests/${plain.slice(0, 50).replace(/-+$/, "") || "flow"}.test.json`;
}

/** The flow's address, seen from a file beside it. flow: where it stands in its workspace. */
export const addressOf = (flow: string, file: string): string => "../".repeat(file.split("/").length - 1) + (flow.split("/").at(-1) ?? flow);

/** A file with the test added at its end; null when the text is no file of tests. */
export function withTest(text: string, test: JsonObject): string | null {
  const file = readFile(text);
  return file && JSON.stringify({ ...file, tests: [...file.tests, test] }, null, 2) + "\n";
}

/** The text of a new file with one test. */
export const newFile = (flow: string, path: string, test: JsonObject): string => JSON.stringify({ flow: addressOf(flow, path), tests: [test] }, null, 2) + "\n";

function readFile(text: string): (JsonObject & { tests: Json[] }) | null {
  try {
    const read: Json = JSON.parse(text);
    return isObject(read) && Array.isArray(read.tests) ? { ...read, tests: read.tests } : null;
  } catch {
    return null;
  }
}

const BY_NAME: ReadonlySet<string> = new Set(["state", "output", "visits", "asked"]);

/** May a test be told to expect what came? */
export const accepts = (what: string, compared: boolean, at: string): boolean => compared && (what === "path" || (BY_NAME.has(what) && at !== ""));

/** A file in which a test expects what came; null when it has no such test. */
export function accepting(text: string, name: string, what: string, at: string, got: Json): string | null {
  const file = readFile(text);
  const place = file?.tests.findIndex((each) => isObject(each) && each.name === name) ?? -1;
  if (!file || place < 0) return null;
  const test = object(file.tests[place]);
  const expect = object(test.expect);
  const next = what === "path" ? { ...expect, path: got } : { ...expect, [what]: { ...object(expect[what]), [at]: got } };
  const tests = file.tests.map((each, index) => (index === place ? { ...test, expect: next } : each));
  return JSON.stringify({ ...file, tests }, null, 2) + "\n";
}
