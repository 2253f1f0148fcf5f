/* Written by `make generate` from studio/api/wire_units.py. Never edited. */

/** Code that was written and not taken yet. problems: why it may not run; then it cannot be taken, only mended. */
export interface Proposed {
  code: string;
  problems: string[];
  byModel: boolean;
  seal: string;
}

/**
 * The code of one handler, router, tool or service. mark: tells whether it is still the one that a page showed.
 *
 * regular: its sentences are written into code without a model. turned_down: why the last code of a model was not
 * taken in place of this.
 */
export interface UnitCode {
  kind: "handler" | "router" | "tool" | "service";
  name: string;
  state: "current" | "stale" | "edited" | "missing" | "refused";
  origin: "generated" | "regular" | "edited" | "";
  reason: string;
  description: string;
  code: string;
  mark: string;
  regular: boolean;
  turnedDown: string;
}

/** proposed: what was written, where it is to be shown before it is taken. */
export interface UnitReply {
  unit: UnitCode;
  revision: number;
  proposed?: Proposed | null;
}

/** Code as a person typed it. was: the mark of the code that they began from. */
export interface CodeBody {
  code: string;
  was: string;
}

/** yes: replace code that a person wrote. keep: take what is written at once; else it is shown first. */
export interface GenerateBody {
  yes?: boolean;
  keep?: boolean;
}

/** Take code that was shown. seal: says that it is the one that was written. yes: over a person's code. */
export interface TakeBody {
  code: string;
  seal: string;
  was: string;
  yes?: boolean;
}
