import type { DeltaMessage } from "../generated/frames";

/** The text of an answer as far as it came. `length` counts characters (code points), as the server's offsets do. */
export interface Stream {
  attempt: number;
  text: string;
  length: number;
}

/** Where a stream stands after a delta: grown, unchanged (old news), or with a gap that only the stored text can fill. */
export type Fit = { fit: "grown"; stream: Stream } | { fit: "old" } | { fit: "gap" };

function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export function streamOf(attempt: number, text: string): Stream {
  return { attempt, text, length: lengthOf(text) };
}

/** Adds a delta where its offset fits. A later attempt starts the text anew; an earlier one is ignored. */
export function fitDelta(held: Stream | undefined, delta: Pick<DeltaMessage, "attempt" | "offset" | "text">): Fit {
  if (held && delta.attempt < held.attempt) return { fit: "old" };
  const base = held && held.attempt === delta.attempt ? held : streamOf(delta.attempt, "");
  if (delta.offset > base.length) return { fit: "gap" };
  const known = base.length - delta.offset;
  const fresh = known === 0 ? delta.text : Array.from(delta.text).slice(known).join("");
  if (!fresh && base === held) return { fit: "old" };
  return {
    fit: "grown",
    stream: { attempt: base.attempt, text: base.text + fresh, length: base.length + lengthOf(fresh) },
  };
}

/** The stored text, taken if it says more than what is held. */
export function fitStored(held: Stream | undefined, stored: { attempt: number; text: string }): Stream {
  const read = streamOf(stored.attempt, stored.text);
  if (!held || read.attempt > held.attempt) return read;
  return read.attempt === held.attempt && read.length > held.length ? read : held;
}
