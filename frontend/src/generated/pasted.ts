/* Written by `make generate` from studio/api/wire_pasted.py. Never edited. */
import type { Json } from "./frames";

export interface PastedOperation {
  id: string;
  summary: string;
}

/** tool: null where one of several operations is to be chosen first. */
export interface PastedReply {
  tool: PastedTool | null;
  operations: PastedOperation[];
}

/** tool: as it stands in a flow. code: what it runs. notes: what was left out, and why. */
export interface PastedTool {
  tool: { [key: string]: Json };
  code: string;
  secrets: PastedSecret[];
  notes: string[];
}

/** A secret that the tool needs, and where it may be sent. value: as it was pasted, "" when it was not. */
export interface PastedSecret {
  name: string;
  host: string;
  value: string;
}

/** text: a curl command or an OpenAPI description. operation: the one of its operations that is wanted. */
export interface PastedBody {
  text: string;
  operation?: string;
}
