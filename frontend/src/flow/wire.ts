import type { Problem } from "../generated/wire";

export type { Problem };

/** What the flow's page carries, and what its saves and checks reply (studio/api/flows.py). */
export interface UnitLine {
  kind: string;
  name: string;
  state: string;
  origin: string;
  reason: string;
}

export interface FlowBoot {
  id: string;
  text: string;
  revision: number;
  /** False for those who may only look: their saves would be refused. */
  canEdit: boolean;
  problems: Problem[];
  units: UnitLine[];
}

export interface DraftState {
  revision: number;
  name: string;
  problems: Problem[];
  units: UnitLine[];
}

/** Somebody else's save, as a 409 brings it. */
export interface TheirDraft {
  text: string;
  revision: number;
  by: string;
}

export function theirDraftOf(body: { [key: string]: unknown }): TheirDraft | null {
  return typeof body.text === "string" && typeof body.revision === "number"
    ? { text: body.text, revision: body.revision, by: typeof body.by === "string" ? body.by : "" }
    : null;
}

