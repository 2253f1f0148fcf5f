import { newKey } from "../shared/api";
import type { Draft } from "../shared/fields";
import { keep, readKept } from "../shared/hooks";

/** What stands half typed in the composer. The key goes with what is sent: the same words sent once more are one message. */
export interface HalfTyped {
  text: string;
  inputs: { [name: string]: Draft };
  key: string;
}

/** `desk` names the agent and the person who types. */
const nameOf = (desk: string, conversation: string | null): string => `draft:${desk}:${conversation ?? "new"}`;

export function readHalfTyped(desk: string, conversation: string | null): HalfTyped {
  return readKept<HalfTyped>(nameOf(desk, conversation)) ?? { text: "", inputs: {}, key: newKey() };
}

export function keepHalfTyped(desk: string, conversation: string | null, draft: HalfTyped): void {
  const empty = !draft.text && !Object.keys(draft.inputs).length;
  keep(nameOf(desk, conversation), empty ? undefined : draft);
}
