/* Written by `make generate` from flows/words and flows/kinds. Never edited. */
import type { Json } from "./frames";

/** A button. */
export interface Action {
  /**
   * The view's name, which no other view has.
   */
  id: string;
  /**
   * "action"
   */
  type: "action";
  /**
   * "pinned" above the conversation, { "after": node } in the reply; an action { "with": ask node }.
   */
  place: "pinned" | Beside;
  /**
   * What the view is for, for whoever edits the flow.
   */
  description?: string;
  /**
   * One emoji, or the name of an icon of the page.
   */
  icon?: string;
  /**
   * The words on the button, fixed.
   */
  label: string;
  /**
   * What pressing it answers, fixed; the flow's routes say what it means.
   */
  sends: string;
}

/** A place in the conversation: after a step, or with a question. */
export interface Beside {
  /**
   * The node whose every end drops the view into the reply; an ask node ends when it is answered.
   */
  after?: string | null;
  /**
   * The ask node in whose question an action stands.
   */
  with?: string | null;
}

/** Hands a job to an agent chosen at run time. */
export interface AgentNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "agent"
   */
  type: "agent";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * The names of the agents that it may call, and of no others.
   *
   * @maxItems 50
   */
  agents: string[];
  /**
   * Which of them, this time: one template, or a name.
   */
  agent: string;
  /**
   * What it is called with: each input → its value, or one template that holds them all as an object.
   */
  input?:
    | string
    | { [key: string]: Json };
  /**
   * The channel that gets everything the agent gives back, and `agent`, the name of who answered.
   */
  output: string;
}

/** Run a failing node again. */
export interface Retry {
  /**
   * How often the node runs in all.
   */
  maxAttempts: number;
}

/** The card that stands before a node. */
export interface Approval {
  /**
   * The question on the card.
   */
  ask: string;
  /**
   * The channels the person sees: the figures of the decision.
   *
   * @maxItems 50
   */
  show?: string[];
  /**
   * The channels the person may correct on the card.
   *
   * @maxItems 50
   */
  edit?: string[];
  /**
   * The node that a refusal goes to, or END. Without it a refusal ends the run.
   */
  onReject?: string | null;
  /**
   * The policy this approval asks for: a free name that the deployment maps.
   */
  needs?: string | null;
  /**
   * The one channel holding the agent's own account of how it got here.
   */
  why?: string | null;
  /**
   * The file channels with the documents behind the decision; each is shown apart from the figures.
   *
   * @maxItems 20
   */
  exhibits?:
    | []
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string]
    | [string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string, string, string]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ];
}

/** Puts one question. */
export interface AskNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "ask"
   */
  type: "ask";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * The question, in Markdown.
   */
  ask: string;
  /**
   * The channels shown with the question.
   *
   * @maxItems 50
   */
  show?: string[];
  /**
   * The channel that the reply is written to, as text.
   */
  output: string;
}

/** How a question is written. */
export interface Asked {
  /**
   * How large its words are.
   */
  size?: "small" | "normal" | "large" | "huge";
  /**
   * Whether they are bold.
   */
  bold?: boolean;
  /**
   * Their colour, as #rgb or #rrggbb.
   */
  color?: string | null;
}

/** Whose page it is: letters on a colour, never a picture. */
export interface Brand {
  /**
   * Up to 4 letters, or one emoji.
   */
  initials?: string;
  /**
   * The name beside them.
   */
  name?: string;
  /**
   * Small words under the name.
   */
  note?: string;
  /**
   * The colour behind the letters, as #rgb or #rrggbb.
   */
  color?: string | null;
}

/** A title with text, lines of values or a bar. */
export interface Card {
  /**
   * The view's name, which no other view has.
   */
  id: string;
  /**
   * "card"
   */
  type: "card";
  /**
   * "pinned" above the conversation, { "after": node } in the reply; an action { "with": ask node }.
   */
  place: "pinned" | Beside;
  /**
   * What the view is for, for whoever edits the flow.
   */
  description?: string;
  /**
   * The words at its top.
   */
  title: string;
  /**
   * Words under the title, in Markdown.
   */
  text?: string | null;
  /**
   * 1 to 12 lines of a label and a value.
   */
  items?:
    | []
    | [Item]
    | [Item, Item]
    | [Item, Item, Item]
    | [Item, Item, Item, Item]
    | [Item, Item, Item, Item, Item]
    | [Item, Item, Item, Item, Item, Item]
    | [Item, Item, Item, Item, Item, Item, Item]
    | [Item, Item, Item, Item, Item, Item, Item, Item]
    | [Item, Item, Item, Item, Item, Item, Item, Item, Item]
    | [Item, Item, Item, Item, Item, Item, Item, Item, Item, Item]
    | [Item, Item, Item, Item, Item, Item, Item, Item, Item, Item, Item]
    | [Item, Item, Item, Item, Item, Item, Item, Item, Item, Item, Item, Item]
    | null;
  /**
   * A bar.
   */
  progress?: Progress | null;
}

/** One line of a card. */
export interface Item {
  /**
   * What the value is.
   */
  label: string;
  /**
   * The value, usually a template: one field or a count, never a whole list.
   */
  value: string;
}

/** A bar. It is left off while it has no numbers. */
export interface Progress {
  /**
   * How far: a number, or a template that gives one.
   */
  value: string | number;
  /**
   * The whole: a number, or a template that gives one.
   */
  max: string | number;
  /**
   * The words beside the bar.
   */
  label?: string;
}

/** One named value of a flow's state. */
export interface Channel {
  /**
   * What it holds: string, number, boolean, list, object, any or file.
   */
  type: "string" | "number" | "boolean" | "list" | "object" | "any" | "file";
  /**
   * What it holds, in the shape code will see it. Generated code is written against these words.
   */
  description?: string;
  /**
   * How a second write combines with the first: replace, append (lists) or merge (objects).
   */
  reducer?: "replace" | "append" | "merge";
  /**
   * The value it starts from.
   */
  default?: Json;
  /**
   * Whether its value is kept into the next message of the conversation.
   */
  remembers?: boolean;
  /**
   * On a file channel: what a person may choose, such as "image/*" or ".pdf,.docx".
   */
  accept?: string | null;
}

/** Documents that were indexed in advance, and that a flow asks. */
export interface Collection {
  /**
   * What the collection holds. Never where it is.
   */
  describe: string;
  /**
   * "required" where what comes back depends on who asks: the person goes along with the question.
   */
  reader?: "required" | null;
  /**
   * Index nodes of this flow may build the collection anew. Left out, it is only asked.
   */
  builds?: true | null;
}

/** The page's parts, by what somebody who looks at it sees. A part colours what is inside it. */
export interface Colors {
  /**
   * The bar at the top.
   */
  header?: Ground | null;
  /**
   * The lines between the parts.
   */
  rule?: string | null;
  /**
   * The paper that all of it lies on.
   */
  desk?: Ground | null;
  /**
   * The words of an empty chat.
   */
  welcome?: Welcome | null;
  /**
   * The box to type in.
   */
  composer?: Ground | null;
  /**
   * The line under the box.
   */
  footer?: Ground | null;
  /**
   * The chips.
   */
  suggestions?: Ground | null;
}

/** The colours of one part of the page. */
export interface Ground {
  /**
   * Behind it.
   */
  background?: string | null;
  /**
   * Of everything written in it.
   */
  text?: string | null;
}

/** The colours of the words of welcome. */
export interface Welcome {
  /**
   * Of the title.
   */
  title?: string | null;
  /**
   * Of the text under it.
   */
  text?: string | null;
}

/** Lets a router choose one of its routes. The router's code is written from the when sentences. */
export interface ConditionalEdge {
  /**
   * The id of the node that it leaves.
   */
  from: string;
  /**
   * "conditional"; leave it out for an edge that always goes on.
   */
  type: "conditional";
  /**
   * The name of the router's function.
   */
  router: string;
  /**
   * Route name → the node id it leads to, or END.
   */
  routes: { [key: string]: string };
  /**
   * Route name → exactly what the router checks; the last is often “anything else”.
   */
  when: { [key: string]: string };
  /**
   * Route name → how often it may be taken, and the route taken then.
   */
  limits?: { [key: string]: Limit } | null;
}

/** Take a route at most `max` times, then take the route named in `then`. */
export interface Limit {
  /**
   * How often the route may be taken.
   */
  max: number;
  /**
   * The route taken afterwards: a route name, not a node id.
   */
  then: string;
  /**
   * The node that starts the count again whenever it runs.
   */
  per?: string | null;
}

/** A database that a flow reads. */
export interface Database {
  /**
   * What the database holds. Never where it is.
   */
  describe: string;
}

/** Reads a database. */
export interface DatabaseNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "database"
   */
  type: "database";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * The database, by its name in requires.database.
   */
  from: string;
  /**
   * What is asked: sql runs a statement, schema tells the tables.
   */
  mode?: "sql" | "schema";
  /**
   * In mode sql: the statement, usually one template. It runs exactly as it is written.
   */
  sql?: string | null;
  /**
   * In mode sql: how many rows may come back, up to 200, and 200 when it is left out.
   */
  most?: number | null;
  /**
   * The channel that the answer is written to.
   */
  output: string;
}

/** Runs another node once for each item of a list. */
export interface FanoutNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "fanout"
   */
  type: "fanout";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * The channel that holds the list.
   */
  over: string;
  /**
   * The name under which each copy reads its item. It is not declared in the state.
   */
  as: string;
  /**
   * The id of the node that runs for each item.
   */
  to: string;
}

/** One thing a person may enter. */
export interface Field {
  /**
   * string, text (several lines), number, boolean, date (YYYY-MM-DD), list, object, any or file.
   */
  type: "string" | "text" | "number" | "boolean" | "date" | "list" | "object" | "any" | "file";
  /**
   * Whether the form refuses to go on without it.
   */
  required?: boolean;
  /**
   * The words above the box; the field's name when left out.
   */
  label?: string;
  /**
   * The words under the box.
   */
  description?: string;
  /**
   * The values allowed, shown as a choice.
   */
  options?: Json[] | null;
  /**
   * What the box begins with.
   */
  default?: Json;
  /**
   * On a file: what a person may choose, such as "image/*" or ".pdf,.docx".
   */
  accept?: string | null;
  /**
   * How many characters a text may have.
   */
  maxLength?: number | null;
  /**
   * On a list: the fields of one row.
   */
  of?: { [key: string]: Field } | null;
}

/** A flow, typed. Made by flows.check; when the flow has problems, it holds the parts that could be read. */
export interface Flow {
  /**
   * The version of the language, in quotes: "0.33".
   */
  version: string;
  /**
   * Given once, when the flow is first saved; never changed.
   */
  id?: string | null;
  /**
   * What people call the flow.
   */
  name?: string | null;
  /**
   * Who made the flow.
   */
  createdBy?: string | null;
  /**
   * Who changed the flow last.
   */
  lastUpdatedBy?: string | null;
  /**
   * "user", or "system" for a flow that nobody may delete.
   */
  kind?: "user" | "system";
  /**
   * What the whole flow does, from start to finish.
   */
  description?: string;
  /**
   * Whether the flow remembers its conversation, as the channel history.
   */
  conversation?: boolean;
  /**
   * Up to 8 questions that a person would really type.
   *
   * @maxItems 8
   */
  suggestions?:
    | []
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string]
    | [string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string];
  /**
   * The channels that a run starts from. [] starts by itself.
   */
  inputs?: string[];
  /**
   * The channels shown at the end.
   */
  outputs?: string[];
  requires?: Requires;
  /**
   * The id of the first node.
   */
  start: string;
  /**
   * What the flow may call.
   */
  tools?: Tool[];
  /**
   * The flow's channels by name: what nodes read and write.
   */
  state?: { [key: string]: Channel };
  /**
   * The flow's steps.
   */
  nodes: (
    | LlmNode
    | WorkNode
    | AgentNode
    | AskNode
    | FormNode
    | HandlerNode
    | ToolNode
    | ToolsNode
    | ReadNode
    | KnowledgeNode
    | IndexNode
    | DatabaseNode
    | FanoutNode
    | FlowNode
  )[];
  /**
   * What runs after what.
   */
  edges?: (PlainEdge | ConditionalEdge)[];
  /**
   * What the chat shows while it runs: cards, pictures and buttons.
   *
   * @maxItems 200
   */
  views?: (Card | Image | Action)[];
  /**
   * How the chat page of this agent looks.
   */
  page?: Page | null;
  /**
   * What stands around the chat.
   */
  shell?: Shell | null;
}

/** What the flow needs from the place where it runs. */
export interface Requires {
  /**
   * The secrets that code reads as env.NAME.
   *
   * @maxItems 50
   */
  env?: string[];
  /**
   * Name → what it is, what it offers and exactly how to call it; code is written from that once, and all other code reaches it as services.name.
   */
  services?: { [key: string]: string };
  /**
   * Name → default and description; code reads settings.name.
   */
  settings?: { [key: string]: Setting };
  /**
   * PyPI distribution → version range. Nothing else may be imported.
   */
  packages?: { [key: string]: string };
  /**
   * The agent answers only people whom it can name. Nobody is named in a flow: who they are is said where it is deployed.
   */
  users?: true | null;
  /**
   * MCP server → what it is for, and which of its tools the flow may call.
   */
  mcp?: { [key: string]: McpServer };
  /**
   * Collection → what it holds. Knowledge nodes ask it.
   */
  knowledge?: { [key: string]: Collection };
  /**
   * Database → what it holds. Database nodes read it.
   */
  database?: { [key: string]: Database };
}

/** A value that code reads as settings.<name>, and that a deployment may change. */
export interface Setting {
  /**
   * The value when nothing else is set.
   */
  default?: Json;
  /**
   * What it does, for whoever sets it.
   */
  description?: string;
}

/** An MCP server that a flow calls: what it is for, and the tools that the flow may call on it. */
export interface McpServer {
  /**
   * What the server is for. Never where it is.
   */
  describe: string;
  /**
   * The tools that the flow may call there, each by its name or as an object. The list is the permission: what is not in it cannot be called.
   *
   * @maxItems 200
   */
  tools: (string | McpTool)[];
}

/** A tool of an MCP server, with more than its name. */
export interface McpTool {
  /**
   * What this flow calls the tool. Each tool of a flow has a name of its own, wherever it is.
   */
  name: string;
  /**
   * What the server calls it, where that differs.
   */
  remote?: string | null;
  /**
   * What it does, for whoever reads the flow and for the model that may call it.
   */
  describe?: string;
  /**
   * What it takes. A call without a required one stops the run with a form, and nothing is called until it is filled in.
   */
  inputs?: { [key: string]: Field } | null;
}

/** One thing the flow may call. */
export interface Tool {
  /**
   * The name of the tool's function.
   */
  name: string;
  /**
   * Which service it calls and how, and at the end exactly what it returns, in the shape of the channel the calling node writes.
   */
  description?: string;
  /**
   * Its arguments, as fields. Arguments that are not declared pass through untouched.
   */
  inputs?: { [key: string]: Field } | null;
}

/** Asks the model. */
export interface LlmNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "llm"
   */
  type: "llm";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * What the model should do, written as if a person were to answer.
   */
  prompt: string;
  /**
   * The channel that the answer is written to.
   */
  output: string;
  /**
   * The exact shape that the model must answer in.
   */
  schema?: Schema | null;
  /**
   * Whether the model may put a form before the person instead of answering at once.
   */
  asks?: boolean;
  /**
   * With asks: the words that the flow shows when the form is closed, which ends the turn there.
   */
  onCancel?: string | null;
}

/** One value of an answer. */
export interface Schema {
  /**
   * string, number, boolean, object or list.
   */
  type: "string" | "number" | "boolean" | "object" | "list";
  /**
   * What it means; it is put to the model.
   */
  description?: string;
  /**
   * On an object: name → the schema of each of its values.
   */
  properties?: { [key: string]: Schema } | null;
  /**
   * On an object: the names that may not be left out.
   */
  required?: string[] | null;
  /**
   * On a list: the schema of each of its entries.
   */
  items?: Schema | null;
  /**
   * The values allowed.
   */
  enum?: Json[] | null;
  /**
   * On a number: the smallest.
   */
  minimum?: number | null;
  /**
   * On a number: the largest.
   */
  maximum?: number | null;
  /**
   * On a string: the fewest characters.
   */
  minLength?: number | null;
  /**
   * On a string: the most characters.
   */
  maxLength?: number | null;
}

/** Lets a model call tools until it has an answer. */
export interface WorkNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "work"
   */
  type: "work";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * What the model should do, written as if a person were to do it.
   */
  prompt: string;
  /**
   * Tools by their names, or MCP servers by theirs: every tool that the flow declares on one.
   *
   * @maxItems 200
   */
  tools: string[];
  /**
   * The channel that the answer is written to.
   */
  output: string;
  /**
   * How often the model may be asked; a node that gets there without an answer fails.
   */
  rounds?: number;
  /**
   * The tools whose calls a person decides about before they are made.
   *
   * @maxItems 200
   */
  approve?: string[];
  /**
   * The question on the card that shows such a call.
   */
  ask?: string;
  /**
   * The channels shown beside the call.
   *
   * @maxItems 50
   */
  show?: string[];
  /**
   * The policy that these approvals ask for: a free name that the deployment maps.
   */
  needs?: string | null;
}

/** Asks for fields. */
export interface FormNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "form"
   */
  type: "form";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * The words above the form.
   */
  title?: string;
  /**
   * Name → field; or one template naming the channel that holds them.
   */
  fields:
    | string
    | { [key: string]: Field };
  /**
   * The channel that the answers are written to, as one object.
   */
  output: string;
}

/** A node with no type. Its function is given the state and returns only the channels that it changes. */
export interface HandlerNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * Left out on a handler.
   */
  type?: "handler";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * The name of its function.
   */
  handler: string;
}

/** Makes one call. */
export interface ToolNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "tool"
   */
  type: "tool";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * The name of one of the flow's tools.
   */
  tool: string;
  /**
   * Its arguments, flat. One that is exactly one template gets the channel's value itself.
   */
  args?: { [key: string]: Json };
  /**
   * The channel that the result is written to.
   */
  output?: string | null;
}

/** Makes every call in a queue. */
export interface ToolsNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "tools"
   */
  type: "tools";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * The channel that holds the calls: [{ name, args, id? }], each with its arguments flat in args.
   */
  calls: string;
  /**
   * The channel that the results are written to: [{ id, name, result, error }], one for each call.
   */
  output: string;
  /**
   * Whether the queue is emptied once its calls were made; false keeps it.
   */
  clear?: boolean;
}

/** Reads a document into a channel. */
export interface ReadNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "read"
   */
  type: "read";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * Where it may come from; the first with something in it is read. A template is what a message brings, a file or a link; any other is the address of one document that this agent is about.
   *
   * @maxItems 20
   */
  from:
    | []
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string]
    | [string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string, string, string]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ];
  /**
   * The channel that the document is written to.
   */
  output: string;
  /**
   * How much of its text is kept. What is left out is said in the document.
   */
  maxChars?: number;
  /**
   * Whether addresses on this machine and its network may be read.
   */
  allowPrivate?: boolean;
}

/** Finds the passages that answer a question. */
export interface KnowledgeNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "knowledge"
   */
  type: "knowledge";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * The collection, by its name in requires.knowledge.
   */
  from: string;
  /**
   * The question, in words.
   */
  ask: string;
  /**
   * How many passages may come back.
   */
  most?: number;
  /**
   * The channel that the passages are written to: [{ text, source }].
   */
  output: string;
}

/** Builds a collection. */
export interface IndexNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "index"
   */
  type: "index";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * The collection, by its name in requires.knowledge. There it says "builds": true.
   */
  into: string;
  /**
   * A channel that holds the documents, each { title, source, text }. Left out: the collection's own folder.
   */
  documents?: string | null;
  /**
   * How a document becomes passages.
   */
  method?: "fixed" | "structure" | "sentence" | "paragraph" | "page" | "semantic";
  /**
   * How many characters a passage has at most.
   */
  size?: number;
  /**
   * What it is built from, in words for people. They are kept with the collection.
   */
  builtFrom: string;
  /**
   * The channel that the result is written to: { passages, model, dimensions }.
   */
  output: string;
}

/** Runs another flow. */
export interface FlowNode {
  /**
   * The node's name within the flow.
   */
  id: string;
  /**
   * "flow"
   */
  type: "flow";
  /**
   * What the node does, for people; a handler's code is written from it.
   */
  description?: string;
  /**
   * The node that a failure goes to, instead of ending the run.
   */
  onError?: string | null;
  /**
   * Run the node again when it fails.
   */
  retry?: Retry | null;
  /**
   * A person decides before the node does anything.
   */
  approval?: Approval | null;
  /**
   * Where the other flow is, relative to this file.
   */
  flow: string;
  /**
   * Each input that the other flow declares → its value. One with nothing in it counts as not given.
   */
  input?: { [key: string]: Json };
  /**
   * Output of the other flow → the channel here that it lands in. One mapped to nothing is dropped.
   */
  output?: { [key: string]: string | null };
}

/** Always goes on. */
export interface PlainEdge {
  /**
   * The id of the node that it leaves.
   */
  from: string;
  /**
   * The id of the next node, or END.
   */
  to: string;
}

/** A picture with words under it. */
export interface Image {
  /**
   * The view's name, which no other view has.
   */
  id: string;
  /**
   * "image"
   */
  type: "image";
  /**
   * "pinned" above the conversation, { "after": node } in the reply; an action { "with": ask node }.
   */
  place: "pinned" | Beside;
  /**
   * What the view is for, for whoever edits the flow.
   */
  description?: string;
  /**
   * One template that names a file channel: {{picture}}.
   */
  file: string;
  /**
   * The words under the picture.
   */
  caption?: string;
}

/** How the chat page looks. Each setting is checked; none is half applied. */
export interface Page {
  /**
   * The words at the top, in any language; else the flow's name.
   */
  title?: string;
  /**
   * The words of an empty chat, in any language.
   */
  welcome?: string;
  /**
   * How a question is written.
   */
  question?: Asked | null;
  /**
   * The type of all words.
   */
  font?: "system" | "sans" | "serif" | "rounded" | "mono" | "dyslexia";
  /**
   * How large all words are, from 0.7 to 2.
   */
  fontScale?: number;
  /**
   * The colour of buttons and of what is chosen, as #rgb or #rrggbb.
   */
  accent?: string | null;
  /**
   * The colour of the paper alone, as #rgb or #rrggbb; a dark page is set with colors.
   */
  background?: string | null;
  /**
   * Which way it is read.
   */
  direction?: "ltr" | "rtl" | "auto";
  /**
   * How wide the conversation is.
   */
  width?: "narrow" | "normal" | "wide" | "full";
  /**
   * Which parts are not shown.
   *
   * @maxItems 8
   */
  hide?:
    | []
    | ["history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps"]
    | [
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps"
      ]
    | [
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps"
      ]
    | [
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps"
      ]
    | [
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps"
      ]
    | [
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps"
      ]
    | [
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps"
      ]
    | [
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps",
        "history" | "newChat" | "suggestions" | "steps" | "header" | "footer" | "attachments" | "timestamps"
      ];
  /**
   * What sits where.
   */
  layout?: Layout | null;
  /**
   * true: the agent has a logo. The file is the deployment's, never the flow's.
   */
  logo?: true | null;
  /**
   * Whether the bar shows the name of the person who is signed in.
   */
  who?: boolean;
  /**
   * The colours of the page's parts.
   */
  colors?: Colors | null;
  /**
   * What no setting says, as a style sheet that can load nothing. It comes last.
   */
  css?: string;
}

/** What sits where. Only the page's own parts move; nothing is added. */
export interface Layout {
  /**
   * Where pinned views are: above the conversation, or beside it.
   */
  pinned?: ("top" | "side") | null;
  /**
   * Where the chips are: above the box, below it, or with the welcome.
   */
  suggestions?: ("above" | "below" | "welcome") | null;
  /**
   * Where the box is; center is centred until the first message.
   */
  composer?: ("bottom" | "center") | null;
  /**
   * Where a question's buttons are: in its words, or below them.
   */
  actions?: ("inline" | "below") | null;
  /**
   * Whether messages stand in bubbles.
   */
  messages?: ("bubbles" | "plain") | null;
}

/** What stands around the conversation. A region that is left out is not drawn. */
export interface Shell {
  /**
   * Whose page it is.
   */
  brand?: Brand | null;
  /**
   * The column before the conversation; blocks.
   *
   * @maxItems 20
   */
  aside?:
    | []
    | [Nav | Links | Who | Status | Stat | Note]
    | [Nav | Links | Who | Status | Stat | Note, Nav | Links | Who | Status | Stat | Note]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ];
  /**
   * The column after the conversation; blocks.
   *
   * @maxItems 20
   */
  rail?:
    | []
    | [Nav | Links | Who | Status | Stat | Note]
    | [Nav | Links | Who | Status | Stat | Note, Nav | Links | Who | Status | Stat | Note]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ];
  /**
   * The strip above the conversation; blocks.
   *
   * @maxItems 20
   */
  above?:
    | []
    | [Nav | Links | Who | Status | Stat | Note]
    | [Nav | Links | Who | Status | Stat | Note, Nav | Links | Who | Status | Stat | Note]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ];
  /**
   * The line under the conversation; blocks.
   *
   * @maxItems 20
   */
  below?:
    | []
    | [Nav | Links | Who | Status | Stat | Note]
    | [Nav | Links | Who | Status | Stat | Note, Nav | Links | Who | Status | Stat | Note]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ]
    | [
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note,
        Nav | Links | Who | Status | Stat | Note
      ];
}

/** A list of words with a title. */
export interface Nav {
  /**
   * "nav"
   */
  type: "nav";
  /**
   * The words above it.
   */
  title?: string;
  /**
   * Its lines: words alone, or { label, icon, on }.
   *
   * @maxItems 20
   */
  items:
    | []
    | [string | NavItem]
    | [string | NavItem, string | NavItem]
    | [string | NavItem, string | NavItem, string | NavItem]
    | [string | NavItem, string | NavItem, string | NavItem, string | NavItem]
    | [string | NavItem, string | NavItem, string | NavItem, string | NavItem, string | NavItem]
    | [string | NavItem, string | NavItem, string | NavItem, string | NavItem, string | NavItem, string | NavItem]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ]
    | [
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem,
        string | NavItem
      ];
}

/** One line of a nav, with more than its words. */
export interface NavItem {
  /**
   * Its words.
   */
  label: string;
  /**
   * One emoji, or the name of an icon of the page.
   */
  icon?: string;
  /**
   * Whether it is drawn as the line one is at.
   */
  on?: boolean;
}

/** A list of words with a title. */
export interface Links {
  /**
   * "links"
   */
  type: "links";
  /**
   * The words above it.
   */
  title?: string;
  /**
   * Its lines.
   *
   * @maxItems 20
   */
  items:
    | []
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string]
    | [string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string, string, string]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ];
}

/** The person who is signed in. */
export interface Who {
  /**
   * "who"
   */
  type: "who";
  /**
   * The words beside the name.
   */
  label?: string;
}

/** How things are, as the author wrote it. */
export interface Status {
  /**
   * "status"
   */
  type: "status";
  /**
   * The words.
   */
  label: string;
  /**
   * The colour of the dot: ok, busy, warn or off.
   */
  state: "ok" | "busy" | "warn" | "off";
}

/** A figure with its name. */
export interface Stat {
  /**
   * "stat"
   */
  type: "stat";
  /**
   * What the figure is.
   */
  label: string;
  /**
   * The figure, as text.
   */
  value: string;
  /**
   * Small words under it.
   */
  note?: string;
}

/** Words with a title. */
export interface Note {
  /**
   * "note"
   */
  type: "note";
  /**
   * The words above it.
   */
  title?: string;
  /**
   * The words.
   */
  text: string;
}

/** What the flow needs: secrets, services, settings, packages, people, tool servers, collections, databases. */
export interface Requires1 {
  /**
   * The secrets that code reads as env.NAME.
   *
   * @maxItems 50
   */
  env?: string[];
  /**
   * Name → what it is, what it offers and exactly how to call it; code is written from that once, and all other code reaches it as services.name.
   */
  services?: { [key: string]: string };
  /**
   * Name → default and description; code reads settings.name.
   */
  settings?: { [key: string]: Setting };
  /**
   * PyPI distribution → version range. Nothing else may be imported.
   */
  packages?: { [key: string]: string };
  /**
   * The agent answers only people whom it can name. Nobody is named in a flow: who they are is said where it is deployed.
   */
  users?: true | null;
  /**
   * MCP server → what it is for, and which of its tools the flow may call.
   */
  mcp?: { [key: string]: McpServer };
  /**
   * Collection → what it holds. Knowledge nodes ask it.
   */
  knowledge?: { [key: string]: Collection };
  /**
   * Database → what it holds. Database nodes read it.
   */
  database?: { [key: string]: Database };
}
