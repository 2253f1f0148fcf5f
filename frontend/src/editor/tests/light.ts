import type { TestResult } from "../../generated/tests";
import { cardOf } from "../run/view";
import type { JsonObject, RunView } from "../store/wire";

/** The steps that a test went through, for the canvas: a step inside a flow that was run lights the one that ran it. */
export function lightOf(flow: JsonObject | null, result: TestResult): RunView {
  const steps: RunView["steps"] = {};
  const put = (node: string, state: "done" | "failed", ms: number | null) => {
    const card = cardOf(flow, node);
    if (card !== null) steps[card] = { state, ms, address: node };
  };
  for (const node of result.path) put(node, "done", null);
  for (const event of result.events) {
    if (event.type === "step" && event.ms !== null) put(event.node, event.ok ? "done" : "failed", event.ms);
    if (event.type === "failed" && event.node) put(event.node, "failed", event.ms);
  }
  if (result.error?.node) put(result.error.node, "failed", null);
  return { run: "", steps, test: true };
}
