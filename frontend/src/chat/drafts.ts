import { newKey } from "../shared/api";
import type { Draft } from "../shared/fields";
import { keep, readKept } from "../shared/hooks";

/** What stands half typed in the composer. The key goes with the message, so that a message sent in the moment of a refresh
 * and sent once more is one message. */
export interface HalfTyped {
  text: string;
  inputs: { [name: string]: Draft };
  key: string;
}

const nameOf = (slug: string, conversation: string | null): string => `draft:${slug}:${conversation ?? "new"}`;

export function readHalfTyped(slug: string, conversation: string | null): HalfTyped {
  return readKept<HalfTyped>(nameOf(slug, conversation)) ?? { text: "", inputs: {}, key: newKey() };
}

export function keepHalfTyped(slug: string, conversation: string | null, draft: HalfTyped): void {
  const empty = !draft.text && !Object.keys(draft.inputs).length;
  keep(nameOf(slug, conversation), empty ? undefined : draft);
}
