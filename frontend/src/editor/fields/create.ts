import type { Field } from "../../generated/language";
import { t } from "../../shared/strings";
import { object, text } from "../store/document";
import { valueAt } from "../store/optimism";
import { stepsOf } from "../store/paths";
import type { Json, JsonObject, Operation } from "../store/wire";
import type { Scope } from "./scope";

/** The type of a channel that is made for a field: what the word beside it says, else what the field itself says. */
export function typeFor(scope: Scope, field: Field, holder: JsonObject): string {
  const [usual = "", path = ""] = (field.fits ?? "").split(",");
  const said = path ? text(valueAt(holder, stepsOf(path))) : "";
  const known = scope.language.channelTypes.some((one) => one.value === said);
  return known ? said : usual || "string";
}

export const isChannelName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name);

/** Makes a channel, and sets the field that asked for it in the same edit. */
export function creating(scope: Scope, field: Field, holder: JsonObject): (name: string, then: Operation | null) => void {
  return (name, then) => {
    const made: Operation = { op: "addChannel", name, channel: { type: typeFor(scope, field, holder), description: "" } };
    void scope.edit(t("panel.create.channel", { name }), then ? [made, then] : [made]);
  };
}

/** Makes a tool, and sets the field that asked for it in the same edit. */
export function creatingTool(scope: Scope): (name: string, then: Operation) => void {
  return (name, then) => void scope.edit(t("panel.create.tool", { name }), [{ op: "addTool", tool: { name, description: "" } }, then]);
}

const named = (tools: Json | undefined): string[] =>
  Array.isArray(tools) ? tools.map((tool) => (typeof tool === "string" ? tool : text(object(tool).name))).filter(Boolean) : [];

/** The names of the tools that a flow declares itself. */
export const toolNames = (flow: JsonObject): string[] => named(flow.tools);

/** The MCP servers that a flow needs, each with the tools that it may call there. */
export const serversOf = (flow: JsonObject): [string, string[]][] =>
  Object.entries(object(object(flow.requires).mcp)).map(([server, each]) => [server, named(object(each).tools)]);
