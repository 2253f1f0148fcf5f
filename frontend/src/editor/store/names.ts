import { channelsOf, nodeById, object, toolsOf } from "./document";
import type { JsonObject, Operation } from "./wire";

export type Renaming = Extract<Operation, { op: "renameNode" | "renameChannel" | "renameTool" | "renameRoute" }>;

export const isRenaming = (operation: Operation): operation is Renaming =>
  operation.op === "renameNode" || operation.op === "renameChannel" || operation.op === "renameTool" || operation.op === "renameRoute";

/** These operations, made before anybody knew that those were done, with the names that things have since. */
export function withNames(done: readonly Operation[], later: readonly Operation[]): Operation[] {
  return done.filter(isRenaming).reduce<Operation[]>((all, renaming) => all.map((each) => renamed(each, renaming)), [...later]);
}

/** Does nothing in the flow have the old name any more? */
export function isGone(flow: JsonObject | null, renaming: Renaming): boolean {
  switch (renaming.op) {
    case "renameNode":
      return !nodeById(flow).has(renaming.id);
    case "renameChannel":
      return !(renaming.name in channelsOf(flow));
    case "renameTool":
      return !toolsOf(flow).some((tool) => tool.name === renaming.name);
    case "renameRoute":
      return !edgesOf(flow).some((edge) => edge.from === renaming.from && renaming.route in object(edge.routes));
  }
}

const edgesOf = (flow: JsonObject | null): JsonObject[] => (Array.isArray(flow?.edges) ? flow.edges.map(object) : []);

function renamed(operation: Operation, renaming: Renaming): Operation {
  switch (renaming.op) {
    case "renameNode":
      return withNode(operation, (id) => (id === renaming.id ? renaming.to : id));
    case "renameRoute":
      return withRoute(operation, renaming);
    case "renameChannel": {
      const to = (name: string) => (name === renaming.name ? renaming.to : name);
      if (operation.op === "setField" && "channel" in operation.on) return { ...operation, on: { channel: to(operation.on.channel) } };
      return operation.op === "removeChannel" || operation.op === "renameChannel" ? { ...operation, name: to(operation.name) } : operation;
    }
    case "renameTool": {
      const to = (name: string) => (name === renaming.name ? renaming.to : name);
      if (operation.op === "setField" && "tool" in operation.on) return { ...operation, on: { tool: to(operation.on.tool) } };
      return operation.op === "removeTool" || operation.op === "renameTool" ? { ...operation, name: to(operation.name) } : operation;
    }
  }
}

function withNode(operation: Operation, to: (id: string) => string): Operation {
  switch (operation.op) {
    case "setField": {
      const { on } = operation;
      if ("node" in on) return { ...operation, on: { node: to(on.node) } };
      if ("edge" in on) return { ...operation, on: { edge: { from: to(on.edge.from), ...(on.edge.to == null ? {} : { to: to(on.edge.to) }) } } };
      return operation;
    }
    case "renameNode":
    case "setStart":
      return { ...operation, id: to(operation.id) };
    case "removeNodes":
      return { ...operation, ids: operation.ids.map(to) };
    case "connect":
    case "disconnect":
      return { ...operation, from: to(operation.from), to: to(operation.to) };
    case "reconnect":
      return { ...operation, from: to(operation.from), to: to(operation.to), newTo: to(operation.newTo) };
    case "renameRoute":
      return { ...operation, from: to(operation.from) };
    case "addNode":
      return operation.splice ? { ...operation, splice: { ...operation.splice, from: to(operation.splice.from), to: to(operation.splice.to) } } : operation;
    case "move":
      return { ...operation, positions: Object.fromEntries(Object.entries(operation.positions).map(([id, at]) => [to(id), at])) };
    default:
      return operation;
  }
}

/** The sections of a decision that are keyed by its routes. */
const BY_ROUTE: ReadonlySet<string | number> = new Set(["routes", "when", "limits"]);

function withRoute(operation: Operation, { from, route, to }: Extract<Renaming, { op: "renameRoute" }>): Operation {
  if (operation.op === "setField" && "edge" in operation.on && operation.on.edge.from === from && operation.on.edge.to == null) {
    const [section = "", name, ...rest] = operation.path;
    return BY_ROUTE.has(section) && name === route ? { ...operation, path: [section, to, ...rest] } : operation;
  }
  const routed = operation.op === "disconnect" || operation.op === "reconnect" || operation.op === "renameRoute";
  return routed && operation.from === from && operation.route === route ? { ...operation, route: to } : operation;
}
