/* Written by `make generate` from flows/panels.py. Never edited. */
import type { Json } from "./frames";

export type Widget =
  | "line"
  | "text"
  | "prompt"
  | "code"
  | "switch"
  | "number"
  | "choice"
  | "list"
  | "map"
  | "object"
  | "channel"
  | "node"
  | "route"
  | "tool"
  | "collection"
  | "database"
  | "flow"
  | "agent"
  | "fields"
  | "schema"
  | "json"
  | "color"
  | "shown";

export type FieldType = "text" | "number" | "integer" | "boolean" | "list" | "map" | "object" | "json";

export type Ref = "channel" | "node" | "next" | "tool" | "template" | "route" | "collection" | "database";

export type UnitKind = "handler" | "router" | "tool" | "service";

/** One of the values that a field may have. since: the first version that has it. offered: see Field. */
export interface Choice {
  value: string;
  help?: string;
  since?: string;
  offered?: boolean;
}

/**
 * One field of a word.
 *
 * key: its JSON key. ref: what its text names. writes: the channel named is written. unit: it names code.
 * choices: the values allowed. item: the fields of the object that it holds. of: what each entry of a list or a map
 * is. min, max: of a number, or of a text's characters, or of how many entries. belongs: the values of `type` beside
 * which it may stand; none means any. fits: the type of a channel made for it, then a path that says it instead.
 * keys: the field beside it that names a tool or a flow, whose inputs are its keys; its outputs, where it writes.
 * servers: beside tools, it may name servers. whole: in place of named values it may be one template that holds them.
 * short: in place of an object it may be a text, which is the value of this key. default: what it is where it is left
 * out.
 * adds: left out it means nothing, which an empty one does not, so that people add and remove it.
 * offered: whether it is shown where a flow does not have it; false while nothing acts on it.
 */
export interface Field {
  key: string;
  label: string;
  help: string;
  widget: Widget;
  type: FieldType;
  required: boolean;
  since: string;
  tab: string;
  ref?: Ref | null;
  topic?: string;
  writes?: boolean;
  unit?: UnitKind | null;
  choices?: Choice[];
  item?: Field[];
  of?: Field | null;
  min?: number | null;
  max?: number | null;
  placeholder?: string;
  belongs?: string[];
  fits?: string;
  keys?: string;
  servers?: boolean;
  whole?: boolean;
  short?: string;
  default?: Json;
  adds?: boolean;
  offered?: boolean;
}

/** A channel that exists by itself, and the keys of what it holds. */
export interface GivenShape {
  name: string;
  help: string;
  keys?: string[];
}

/**
 * A kind of node. blank: a new one, without its id. reads, writes: paths of what names or mentions channels.
 *
 * offered: whether it may be added, since it can be run here; one that cannot is drawn and edited where it stands.
 */
export interface KindShape {
  type: string;
  title: string;
  group: string;
  icon: string;
  since: string;
  offered: boolean;
  summary: string;
  topic: string;
  help: string;
  fields: Field[];
  blank: { [key: string]: Json };
  reads: string[];
  writes: string[];
}

/** Everything that panels and palette know of the language. */
export interface Language {
  version: string;
  groups: Part[];
  tabs: Part[];
  kinds: KindShape[];
  channelTypes: Choice[];
  given: GivenShape[];
  channel: Field[];
  tool: Field[];
  flow: Field[];
  plainEdge: Field[];
  conditionalEdge: Field[];
  formField: Field[];
  schema: Field[];
}

/** A part of a panel, or a group of the palette, with the words above it. */
export interface Part {
  name: string;
  title: string;
}
