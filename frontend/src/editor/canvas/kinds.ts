import { Bot, BookOpen, Boxes, Braces, Brain, ClipboardList, Clock, Code, Database, FileText, Globe, ListChecks, Mail, MessageCircleQuestionMark, Mic, Repeat, Search, Server, Sparkles, Split, Terminal, Timer, Users, Workflow, Wrench, type LucideIcon } from "lucide-react";
import type { JsonObject, KindShape, Language } from "../store/wire";

/** The icons that kinds name. One that is not here is drawn as the first letter of the kind's title. */
const ICONS: Record<string, LucideIcon> = {
  bot: Bot,
  "book-open": BookOpen,
  boxes: Boxes,
  braces: Braces,
  brain: Brain,
  "clipboard-list": ClipboardList,
  clock: Clock,
  code: Code,
  database: Database,
  "file-text": FileText,
  globe: Globe,
  "list-checks": ListChecks,
  mail: Mail,
  "message-circle-question": MessageCircleQuestionMark,
  mic: Mic,
  repeat: Repeat,
  search: Search,
  server: Server,
  sparkles: Sparkles,
  split: Split,
  terminal: Terminal,
  timer: Timer,
  users: Users,
  workflow: Workflow,
  wrench: Wrench,
};

export const iconOf = (name: string): LucideIcon | null => ICONS[name] ?? null;

const GROUPS = new Set(["model", "people", "code", "tools", "data", "flow"]);

/** The group whose hue a kind has. */
export const hueOf = (kind: KindShape | undefined): string => (kind && GROUPS.has(kind.group) ? kind.group : "flow");

export function kindOf(language: Language | null, type: string): KindShape | undefined {
  return language?.kinds.find((kind) => kind.type === type);
}

const snake = (words: string): string =>
  words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");

/** What a new step of the kind is called, before anybody names it. */
export const nameFor = (kind: KindShape): string => snake(kind.title) || "step";

const camel = (id: string): string => id.replace(/[_-]+(\w)/g, (_, letter: string) => letter.toUpperCase()).replace(/\W/g, "");

/** A new step of the kind. A name of code is made from its id, so that it can be written at once. */
export function blankOf(kind: KindShape, id: string): JsonObject {
  const node: JsonObject = { id, ...kind.blank };
  for (const field of kind.fields) if (field.unit && node[field.key] === "") node[field.key] = camel(id);
  return node;
}
