/* Written by `make generate` from flows/words and flows/kinds. Never edited. */
import type { Json } from "./frames";

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

/** Run a failing node again. */
export interface Retry {
  /**
   * How often the node runs in all.
   */
  maxAttempts: number;
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

/** One thing a person may enter. */
export interface Field {
  /**
   * string, text (several lines), number, boolean, date (YYYY-MM-DD), list, object or any.
   */
  type: "string" | "text" | "number" | "boolean" | "date" | "list" | "object" | "any";
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
  nodes: (LlmNode | AskNode | FormNode | HandlerNode | ToolNode)[];
  /**
   * What runs after what.
   */
  edges?: (PlainEdge | ConditionalEdge)[];
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
   * Name → what it is and exactly how to call it; code reaches it as services.name.
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

/** What the flow needs: secrets, services, settings and packages, by name. */
export interface Requires1 {
  /**
   * The secrets that code reads as env.NAME.
   *
   * @maxItems 50
   */
  env?: string[];
  /**
   * Name → what it is and exactly how to call it; code reaches it as services.name.
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
}
