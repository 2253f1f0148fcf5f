import type { ApiError } from "../../shared/api";
import type { Refused } from "./queue";
import type { Aside, EditReply, OperationProblem } from "./wire";

type Body = { revision?: number; problems?: unknown; aside?: Aside | null; changes?: unknown; text?: unknown; name?: unknown };

function isProblem(one: unknown): one is OperationProblem {
  return typeof one === "object" && one !== null && "operation" in one && "message" in one;
}

function isReply(body: unknown): body is EditReply {
  if (typeof body !== "object" || body === null || !("revision" in body) || typeof body.revision !== "number") return false;
  return "problems" in body && ("changes" in body || "text" in body) && "name" in body;
}

/** What a refused edit brought: the draft as it is, the edit as it is kept, what was wrong with it. */
export function readRefused(error: ApiError): Refused {
  const body: Body = { ...error.body };
  const problems = Array.isArray(body.problems) ? body.problems.filter(isProblem) : [];
  const whole: unknown = error.body;
  return { reply: isReply(whole) ? whole : null, aside: body.aside ?? null, problems };
}
