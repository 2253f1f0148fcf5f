/* Written by `make generate` from studio/api/wire_files.py. Never edited. */

/** A flow that a step may run. address: where it is, seen from the flow that is edited; of an agent, its name. */
export interface Callee {
  address: string;
  name: string;
  description: string;
  inputs: CalleeValue[];
  outputs: CalleeValue[];
}

/** An input or an output of a flow that may be run. */
export interface CalleeValue {
  name: string;
  type: string;
  description: string;
}

/** What a flow may run: the other flows of the workspace, and the agents that its registry names. */
export interface Callees {
  flows: Callee[];
  agents: Callee[];
}

export interface FileProblem {
  code: string;
  level: "error" | "warning";
  path: string;
  message: string;
  hint: string;
}

/** What the flow's socket says: a file beside it was saved, or removed. */
export interface FilesNews {
  type: "files";
  path: string;
  by: string;
}

/** A file beside a flow, as lists show it. size: in characters. */
export interface FlowFileLine {
  path: string;
  kind: "triggers" | "agents" | "test" | "eval" | "dataset";
  sha: string;
  size: number;
  errors: number;
  warnings: number;
  by: string;
  at: string;
}

/** The files beside a flow, by path. path: where the flow stands in its workspace. */
export interface FlowFileList {
  path: string;
  files: FlowFileLine[];
}

/** A file with its text, and everything that is wrong with it beside the draft as it is now. */
export interface FlowFileReply {
  path: string;
  kind: "triggers" | "agents" | "test" | "eval" | "dataset";
  sha: string;
  size: number;
  errors: number;
  warnings: number;
  by: string;
  at: string;
  text: string;
  problems: FileProblem[];
}

/** A file as a person typed it. was: the sha of the text that they began from; "" for a new file. */
export interface FileBody {
  text: string;
  was: string;
}
