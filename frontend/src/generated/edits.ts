/* Written by `make generate` from flows/edits and studio/api/wire_edits.py. Never edited. */
import type { Json } from "./frames";

export type Operation =
  | AddNode
  | RemoveNodes
  | RenameNode
  | SetField
  | Connect
  | Disconnect
  | Reconnect
  | RenameRoute
  | SetStart
  | AddChannel
  | RemoveChannel
  | RenameChannel
  | AddTool
  | RemoveTool
  | RenameTool
  | Paste
  | SetDocument
  | Move
  | AddComment
  | ChangeComment
  | RemoveComment;

/** Declare a channel in the flow's state. */
export interface AddChannel {
  op: "addChannel";
  /**
   * The name: letters, digits and _, beginning with a letter.
   */
  name: string;
  /**
   * The channel: "type", "description", and what else it says.
   */
  channel: { [key: string]: Json };
}

/** Put a comment on the canvas. */
export interface AddComment {
  op: "addComment";
  comment: Comment;
}

/** A note on the canvas, with an id that no other has. */
export interface Comment {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
  text: string;
}

/** Add a node. The first node of a flow becomes its start. Give it a way out with connect, unless it is spliced. */
export interface AddNode {
  op: "addNode";
  /**
   * The whole node as the language writes it: "id", "type" (left out for a handler) and its fields.
   */
  node: { [key: string]: Json };
  /**
   * Where it stands on the canvas; left out when you do not know.
   */
  position?: Position | null;
  /**
   * An edge that there is: the node is put in the middle of it.
   */
  splice?: Splice | null;
}

/** Where the top left corner of something stands on the canvas. */
export interface Position {
  x: number;
  y: number;
}

/** The edge that a new node is dropped on: it comes between its two ends. */
export interface Splice {
  /**
   * The id of the node that the edge leaves.
   */
  from: string;
  /**
   * The id of the node that the edge leads to, or END.
   */
  to: string;
  /**
   * The route's name, when the edge is conditional.
   */
  route?: string | null;
}

/** Declare a tool that the flow may call. */
export interface AddTool {
  op: "addTool";
  /**
   * The tool: "name", "description" and, as fields, its "inputs".
   */
  tool: { [key: string]: Json };
}

/** An edit that met another one at the same place, kept until somebody applies or drops it. */
export interface Aside {
  id: string;
  label: string;
  by: string;
  at: string;
  mine: boolean;
  operations: Operation[];
  places: AsidePlace[];
  message: string;
}

/** Remove nodes with the edges at them. */
export interface RemoveNodes {
  op: "removeNodes";
  /**
   * The ids of the nodes.
   *
   * @maxItems 5000
   *
   * Items: The id of a node.
   */
  ids: string[];
  /**
   * Join what led to a removed node to what came after it; false leaves the gap open.
   */
  heal?: boolean;
}

/** Give a node another id. Everything that names it follows: start, edges, routes, limits, onError, onReject. */
export interface RenameNode {
  op: "renameNode";
  /**
   * The node's id.
   */
  id: string;
  /**
   * The new id: letters, digits, _ and -.
   */
  to: string;
}

/**
 * Set one field of a node, an edge, a channel, a tool or the flow; without a value the field is removed.
 *
 * Names have operations of their own: renameNode, renameChannel, renameTool, renameRoute.
 */
export interface SetField {
  op: "setField";
  /**
   * What has the field.
   */
  on: NodeTarget | EdgeTarget | ChannelTarget | ToolTarget | FlowTarget;
  /**
   * Keys and list positions from there: ["prompt"], ["approval", "ask"], ["retry", "maxAttempts"]. Objects that are missing on the way are made; the position after a list's last entry adds one.
   *
   * @maxItems 40
   */
  path: (string | number)[];
  /**
   * The new value, any JSON. Left out: the field is removed.
   */
  value?: Json;
  /**
   * The value that you saw there; when it is another by now, nothing is changed.
   */
  was?: Json;
}

/** A node. */
export interface NodeTarget {
  /**
   * The id of a node.
   */
  node: string;
}

/** An edge. */
export interface EdgeTarget {
  edge: EdgeEnds;
}

/** The ends of an edge. */
export interface EdgeEnds {
  /**
   * The id of the node that the edge leaves.
   */
  from: string;
  /**
   * The node it leads to, or END; left out for the conditional edge that leaves the node.
   */
  to?: string | null;
}

/** A channel of the state. */
export interface ChannelTarget {
  /**
   * The channel's name.
   */
  channel: string;
}

/** A tool. */
export interface ToolTarget {
  /**
   * The tool's name.
   */
  tool: string;
}

/** The flow itself: its name, description, inputs, outputs, start … */
export interface FlowTarget {
  /**
   * True says the flow itself; a part of it is named by "node", "edge", "channel" or "tool" instead.
   */
  flow: true;
}

/**
 * Lead from one node to another.
 *
 * From a node without a way out this makes a plain edge, or a conditional one when a route or a sentence is given.
 * From a node with a plain edge it makes that edge conditional, with two routes. From a conditional edge it adds a
 * route.
 */
export interface Connect {
  op: "connect";
  /**
   * The id of the node that the edge leaves.
   */
  from: string;
  /**
   * The id of the node that it leads to, or END.
   */
  to: string;
  /**
   * The route's name: up to 32 lowercase letters, digits, _ and -. Left out: one is made up where it is needed.
   */
  route?: string | null;
  /**
   * What is checked before the route is taken: "'kind' is \"order\"", or "anything else".
   */
  when?: string | null;
}

/** Remove an edge, or one route of a conditional edge with its sentence and its limit. */
export interface Disconnect {
  op: "disconnect";
  /**
   * The id of the node that the edge leaves.
   */
  from: string;
  /**
   * The node that it leads to, or END.
   */
  to: string;
  /**
   * The route's name, when several routes lead there.
   */
  route?: string | null;
}

/** Let an edge, or a route, lead to another node. */
export interface Reconnect {
  op: "reconnect";
  /**
   * The id of the node that the edge leaves.
   */
  from: string;
  /**
   * The node that it leads to, or END.
   */
  to: string;
  /**
   * The route's name, when several routes lead there.
   */
  route?: string | null;
  /**
   * The node that it is to lead to, or END.
   */
  newTo: string;
}

/** Give a route of a conditional edge another name. Its sentence and its limits follow. */
export interface RenameRoute {
  op: "renameRoute";
  /**
   * The id of the node that the edge leaves.
   */
  from: string;
  /**
   * The route's name.
   */
  route: string;
  /**
   * The route's name: up to 32 lowercase letters, digits, _ and -.
   */
  to: string;
}

/** Say which node a run begins with. */
export interface SetStart {
  op: "setStart";
  /**
   * The id of the first node.
   */
  id: string;
}

/** Remove a channel, also from inputs, outputs and cards. Prompts and outputs that still name it are said. */
export interface RemoveChannel {
  op: "removeChannel";
  /**
   * The name: letters, digits and _, beginning with a letter.
   */
  name: string;
}

/** Give a channel another name. Every field, template and condition that names it follows. */
export interface RenameChannel {
  op: "renameChannel";
  /**
   * The name: letters, digits and _, beginning with a letter.
   */
  name: string;
  /**
   * The name: letters, digits and _, beginning with a letter.
   */
  to: string;
}

/** Remove a tool. Nodes that still call it are said. */
export interface RemoveTool {
  op: "removeTool";
  /**
   * The name: letters, digits and _, beginning with a letter.
   */
  name: string;
}

/** Give a tool another name. The nodes that call it and its code follow. */
export interface RenameTool {
  op: "renameTool";
  /**
   * The name: letters, digits and _, beginning with a letter.
   */
  name: string;
  /**
   * The name: letters, digits and _, beginning with a letter.
   */
  to: string;
}

/**
 * Add copied nodes with their edges, channels and tools. What has a name that is taken gets another, and
 * everything in the copy that names it follows; a channel or tool that is the same in both is shared.
 */
export interface Paste {
  op: "paste";
  /**
   * The copied nodes.
   *
   * @maxItems 5000
   */
  nodes: { [key: string]: Json }[];
  /**
   * The edges that leave them. Where one leads out of the copy, it is left out.
   *
   * @maxItems 5000
   */
  edges?: { [key: string]: Json }[];
  /**
   * The channels that they name, by name.
   */
  channels?: {
    [k: string]: { [key: string]: Json };
  };
  /**
   * The tools that they call.
   *
   * @maxItems 5000
   */
  tools?: { [key: string]: Json }[];
  /**
   * Where they stood, by id.
   */
  positions?: { [key: string]: Position } | null;
  /**
   * How far from there the copies are put.
   */
  offset?: Position | null;
}

/** Put a whole flow in place of the draft: a text as typed in the JSON view, or a version that is restored. */
export interface SetDocument {
  op: "setDocument";
  /**
   * The flow as JSON text. It keeps this flow's id.
   */
  text: string;
}

/** Say where nodes stand on the canvas. */
export interface Move {
  op: "move";
  /**
   * Where they stand, by id.
   */
  positions: { [key: string]: Position };
}

/** Move, resize or rewrite a comment; what is left out stays. */
export interface ChangeComment {
  op: "changeComment";
  /**
   * The comment's id.
   */
  id: string;
  /**
   * Its left edge.
   */
  x?: number | null;
  /**
   * Its upper edge.
   */
  y?: number | null;
  /**
   * How wide it is.
   */
  width?: number | null;
  /**
   * How high it is.
   */
  height?: number | null;
  /**
   * What it says.
   */
  text?: string | null;
}

/** Remove a comment. */
export interface RemoveComment {
  op: "removeComment";
  /**
   * The comment's id.
   */
  id: string;
}

/** One place that two people changed. words: where; yours and theirs: what each of them made of it. */
export interface AsidePlace {
  words: string;
  yours: Json;
  theirs: Json;
}

/**
 * One step. With old and new: replace; only new: insert; only old: remove. Applied in order.
 *
 * path: keys and list positions from the top. A position in a list is the path's last part; index is the position of
 * a key that is inserted into, or removed from, an object.
 */
export interface Change {
  doc: "flow" | "layout";
  path: (string | number)[];
  old?: Json;
  new?: Json;
  index?: number;
}

/**
 * sign: added, changed or removed. name: the thing's own name. words: the sentence. node: the node to show.
 *
 * path: what of it, as keys from the thing. old, new: its value before and after, where one is worth showing.
 */
export interface ChangeLine {
  sign: "+" | "~" | "-";
  what: "node" | "edge" | "route" | "channel" | "tool" | "flow" | "unit" | "layout";
  name: string;
  words: string;
  node?: string | null;
  path?: (string | number)[] | null;
  old?: Json;
  new?: Json;
}

/** What the flow's socket says: the draft has a new revision. */
export interface DraftNews {
  type: "draft";
  revision: number;
  by: string;
}

/** fix: what puts it right, where there is one obvious way. */
export interface DraftProblem {
  code: string;
  level: "error" | "warning";
  path: string;
  message: string;
  hint: string;
  fix?: SetField[] | null;
}

/** The code of one handler, router, tool or service. */
export interface DraftUnit {
  kind: "handler" | "router" | "tool" | "service";
  name: string;
  state: "current" | "stale" | "edited" | "missing" | "refused";
  origin: "generated" | "regular" | "edited" | "";
  reason: string;
  description: string;
  code: string;
}

/** Two people changed one place: nothing was overwritten, and the later edit is kept as an aside. */
export interface EditConflict {
  revision: number;
  changes: Change[];
  text?: string | null;
  layout?: Layout | null;
  name: string;
  problems: DraftProblem[];
  units: DraftUnit[];
  undo: EditStep | null;
  redo: EditStep | null;
  asides: Aside[];
  lines: ChangeLine[];
  renamed?: { [key: string]: string } | null;
  code: "EDIT_CONFLICT";
  message: string;
  aside: Aside;
}

/** What is kept beside the document: where nodes stand, by id, and the comments. */
export interface Layout {
  nodes: { [key: string]: Position };
  comments: Comment[];
}

/** What undo or redo would do, in words. */
export interface EditStep {
  label: string;
}

/** operation: its position in what was sent. */
export interface EditMistake {
  operation: number;
  code: string;
  message: string;
  hint: string;
}

/** Nothing was applied; all that is wrong, at once. */
export interface EditRefusal {
  code: string;
  message: string;
  problems: EditMistake[];
}

/**
 * The draft after an edit. changes: all since the revision that was sent, others' included.
 *
 * text and layout: instead of changes, when these do not say it exactly. lines: what this edit did, in words.
 * renamed: the names that a paste changed, old to new.
 */
export interface EditReply {
  revision: number;
  changes: Change[];
  text?: string | null;
  layout?: Layout | null;
  name: string;
  problems: DraftProblem[];
  units: DraftUnit[];
  undo: EditStep | null;
  redo: EditStep | null;
  asides: Aside[];
  lines: ChangeLine[];
  renamed?: { [key: string]: string } | null;
}

/** What the editor's page carries. kept: how many edits undo reaches back. language: where panels read theirs. */
export interface EditorBoot {
  id: string;
  name: string;
  text: string;
  revision: number;
  layout: Layout;
  canEdit: boolean;
  canPublish: boolean;
  canRun: boolean;
  problems: DraftProblem[];
  units: DraftUnit[];
  undo: EditStep | null;
  redo: EditStep | null;
  asides: Aside[];
  kept: number;
  language: string;
}

/** What becomes of an edit that was set aside. */
export interface AsideBody {
  revision: number;
  act: "apply" | "drop";
}

/** An edit. id: the page's own; the same one again is the same edit. label: words for "Undo …"; made when empty. */
export interface EditsBody {
  id: string;
  revision: number;
  label?: string;
  /**
   * @maxItems 2000
   */
  operations: Operation[];
}

/** revision: the one that the page shows. */
export interface RevisionBody {
  revision: number;
}
