import type { Json, MessageItem, Shown } from "../generated/frames";
import { labelOfField, type Fields } from "../shared/fields";

/** A value of a message names its input since messages carry it; older ones say its label only. */
type Named = Shown & { channel?: string };

/** The inputs that a message was sent with, by channel. A label that two inputs share names neither. */
export function inputsOf(message: MessageItem, fields: Fields): { [channel: string]: Json } {
  const named = Object.entries(fields);
  const inputs: { [channel: string]: Json } = {};
  for (const shown of message.values as Named[]) {
    if (shown.channel) {
      if (shown.channel in fields) inputs[shown.channel] = shown.value;
      continue;
    }
    const same = named.filter(([name, field]) => labelOfField(name, field) === shown.label);
    if (same.length === 1) inputs[same[0]![0]] = shown.value;
  }
  return inputs;
}
