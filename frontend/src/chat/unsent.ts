import type { Json, Shown } from "../generated/frames";
import { keep, readKept } from "../shared/hooks";

/** A message of this page that the server has not shown back yet. */
export interface Outgoing {
  /** The same key again is the same message. */
  key: string;
  text: string;
  inputs: { [channel: string]: Json };
  values: Shown[];
  run: string | null;
  /** Why it was not sent; null while it is on its way. */
  failed: string | null;
}

/** The messages of one conversation that the server has not taken yet, kept in this tab through refreshes and a new sign-in.
 * `desk` names the agent and the person, so that nobody who signs in after them sends their words. */
export class Unsent {
  constructor(private readonly desk: string) {}

  #name(conversation: string | null): string {
    return `unsent:${this.desk}:${conversation ?? "new"}`;
  }

  read(conversation: string | null): Outgoing[] {
    return readKept<Outgoing[]>(this.#name(conversation)) ?? [];
  }

  /** A message that is kept already keeps its place. */
  put(conversation: string | null, message: Outgoing): void {
    const kept = this.read(conversation);
    const known = kept.some((other) => other.key === message.key);
    keep(this.#name(conversation), known ? kept.map((other) => (other.key === message.key ? message : other)) : [...kept, message]);
  }

  remove(conversation: string | null, key: string): void {
    const left = this.read(conversation).filter((other) => other.key !== key);
    keep(this.#name(conversation), left.length ? left : undefined);
  }
}
