import "../src/styles/base.css";
import { dress, scene, serve, setBoot } from "./backdrop";

dress();
const FLOW = {
  version: "1.0",
  id: "order-desk",
  name: "Order desk",
  description: "Looks a customer up, completes what is missing, and asks before it writes.",
  conversation: true,
  suggestions: ["Where is ALFKI based?", "Add a new customer"],
  state: {
    question: { type: "string" },
    kind: { type: "string" },
    order_calls: { type: "list", reducer: "append" },
    answer: { type: "string" },
  },
  inputs: ["question"],
  outputs: ["answer"],
  start: "understand",
  nodes: [
    { id: "understand", type: "llm", prompt: "What does the person want?\n\n{{question}}", output: "kind" },
    { id: "place", type: "tools", calls: "order_calls", output: "order_results", clear: true, approval: { ask: "Place this order?", show: ["order_calls"], edit: ["order_calls"], onReject: "report" } },
    { id: "report", type: "llm", prompt: "Say what was done.", output: "answer" },
  ],
  edges: [{ from: "understand", to: "place" }, { from: "place", to: "report" }, { from: "report", to: "END" }],
};
const text = `${JSON.stringify(FLOW, null, 2)}\n`;
const problems =
  scene === "clean"
    ? []
    : [
        { code: "CHANNEL_UNKNOWN", level: "error", path: "nodes[1].output", message: 'The node "place" writes to "order_results", which is no channel.', hint: 'Add it under "state", or write to "order_calls".' },
        { code: "PROMPT_SHORT", level: "warning", path: "nodes[2].prompt", message: 'The prompt of "report" reads no channel, so it cannot know what was done.', hint: "Read the results: {{order_results}}." },
        { code: "DESCRIPTION_MISSING", level: "warning", path: "state.kind", message: 'The channel "kind" has no description, so code that is written for it is guessed.', hint: "" },
      ];
const units = [
  { kind: "handler", name: "plan_calls", state: "current", origin: "model", reason: "" },
  { kind: "router", name: "by_kind", state: "stale", origin: "model", reason: "" },
  { kind: "tool", name: "getCustomer", state: "missing", origin: "", reason: "" },
];

const shell = document.createElement("div");
shell.className = "app app-bare app-fixed app-flow";
const bar = document.createElement("header");
bar.className = "bar";
bar.textContent = "Flows / Order desk";
const main = document.createElement("main");
main.className = "page page-full";
const flow = document.createElement("div");
flow.className = "flow";
const code = document.createElement("section");
code.className = "flow-code";
const editor = document.getElementById("app")!;
editor.id = "flow-editor";
editor.dataset.flowEditor = "";
code.append(editor);
const aside = document.createElement("aside");
aside.className = "flow-side";
for (const [title, name] of [["Problems", "problems"], ["Code", "units"]] as const) {
  const card = document.createElement("section");
  card.className = "card";
  const head = document.createElement("div");
  head.className = "card-head";
  const heading = document.createElement("h2");
  heading.className = "heading";
  heading.textContent = title;
  head.append(heading);
  const body = document.createElement("div");
  body.setAttribute(`data-flow-${name}`, "");
  if (name === "units") body.className = "list";
  card.append(head, body);
  aside.append(card);
}
flow.append(code, aside);
main.append(flow);
shell.append(bar, main);
document.body.prepend(shell);

setBoot({ id: "f1", text, revision: 7, canEdit: scene !== "readonly", problems, units });
serve([
  ["POST", /\/api\/flows\/check$/, () => ({ body: { problems } })],
  [
    "PUT",
    /\/draft$/,
    (_, body) =>
      scene === "conflict" && (body as { revision: number }).revision === 7
        ? { status: 409, body: { code: "DRAFT_CHANGED", message: "Rina L. saved this flow meanwhile.", text: text.replace("Place this order?", "Place this order in the database?"), revision: 8, by: "Rina L.", at: "" } }
        : scene === "offline"
          ? { status: 503, body: { message: "The server is restarting." } }
          : { body: { revision: 9, name: "Order desk", problems, units } },
  ],
]);
await import("../src/flow/main");
