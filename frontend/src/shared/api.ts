import type { Refusal } from "../generated/wire";
import { t } from "./strings";

/** A reply that was no success, or none at all (`status` 0). `message` is a sentence for the person. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fields: Record<string, string> = {},
    readonly body: Partial<Refusal> = {},
  ) {
    super(message);
    this.name = "ApiError";
  }
}

export function csrfToken(): string {
  const cookie = /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie)?.[1];
  return cookie ? decodeURIComponent(cookie) : (document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "");
}

async function readJson(reply: Response): Promise<unknown> {
  if (!(reply.headers.get("content-type") ?? "").includes("json")) return null;
  try {
    return await reply.json();
  } catch {
    return null;
  }
}

let locked: () => void = () => undefined;

/** Called whenever the server says that this session is locked, to whichever request. */
export function whenLocked(act: () => void): void {
  locked = act;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function refusalOf(status: number, body: unknown): ApiError {
  const words = isRecord(body) ? body : {};
  const fields: Record<string, string> = {};
  if (isRecord(words.fields))
    for (const [path, message] of Object.entries(words.fields)) fields[path] = Array.isArray(message) ? message.join(" ") : String(message);
  const message =
    typeof words.message === "string" && words.message
      ? words.message
      : status === 401
        ? t("shared.signedOut")
        : status === 429
          ? t("shared.tooMany")
          : t("shared.failed", { status });
  if (words.code === "LOCKED") locked();
  return new ApiError(status, typeof words.code === "string" ? words.code : `HTTP_${status}`, message, fields, words as Partial<Refusal>);
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** One JSON request of the signed-in person. Resolves with the reply's body; rejects with ApiError only. */
export async function call<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRFToken"] = csrfToken();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let reply: Response;
  try {
    reply = await fetch(path, {
      method,
      headers,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch {
    throw new ApiError(0, "OFFLINE", t("shared.offline"));
  }
  const read = await readJson(reply);
  if (!reply.ok) throw refusalOf(reply.status, read);
  return read as T;
}

export const get = <T>(path: string, signal?: AbortSignal) => call<T>("GET", path, undefined, signal);
export const post = <T>(path: string, body: unknown = {}) => call<T>("POST", path, body);
export const put = <T>(path: string, body: unknown) => call<T>("PUT", path, body);
export const remove = <T>(path: string) => call<T>("DELETE", path);

/** The error as one: anything thrown that is not ours is a bug and goes on. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  throw thrown;
}

/** A key that makes a repeated request the same request. */
export function newKey(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
