import type { StepsItem } from "../generated/frames";
import type { ChatStore } from "./store";

/** What the chat says to the editor around it: whose turn it is, and what the steps of that run do. */
export interface Report {
  source: "lgstudio";
  type: "steps";
  conversation: string | null;
  run: string | null;
  status: "idle" | "working" | "waiting_you" | "waiting_others";
  steps: StepsItem["steps"];
}

/** The report of a store as it stands: about the run whose turn it is, else about the last one. */
export function reportOf(store: Pick<ChatStore, "state" | "status">): Report {
  const { items, conversation } = store.state;
  let run = store.status.run;
  if (run === null) for (const item of items.values()) if (item.type !== "status") run = item.run;
  const steps = items.get(`steps:${run}`);
  return { source: "lgstudio", type: "steps", conversation, run, status: store.status.state, steps: steps?.type === "steps" ? steps.steps : [] };
}

/** Inside the editor: tells it what runs do, and does what its buttons ask. Only a page of this product is told, and heard. */
export function joinEditor(store: ChatStore, editor: Window = parent, origin: string = location.origin): () => void {
  let said = "";
  const tell = () => {
    const report = reportOf(store);
    const text = JSON.stringify(report);
    if (text === said) return;
    said = text;
    editor.postMessage(report, origin);
  };
  const hear = (event: MessageEvent<unknown>) => {
    if (event.origin !== origin || event.source !== editor) return;
    const message = event.data;
    if (typeof message !== "object" || message === null || !("source" in message) || message.source !== "lgstudio" || !("type" in message)) return;
    if (message.type === "newChat") void store.newChat();
    if (message.type === "open" && "conversation" in message && typeof message.conversation === "string") void store.open(message.conversation);
    if (message.type === "report") {
      said = "";
      tell();
    }
  };
  addEventListener("message", hear);
  const stop = store.subscribe(tell);
  tell();
  return () => {
    removeEventListener("message", hear);
    stop();
  };
}
