import type { Json } from "../generated/frames";
import { isRecord } from "./shape";
import { t } from "./strings";

/** A stored file as a channel holds it. Its address follows from its id alone. */
export interface FileRef {
  id: string;
  name: string;
  mediaType: string;
  bytes: number;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The reference that a value is; undefined for every other record. */
export function asFile(value: Json | undefined): FileRef | undefined {
  if (!isRecord(value)) return undefined;
  const { id, name, mediaType, url, bytes } = value;
  if (typeof id !== "string" || !ID.test(id) || url !== `/files/${id}`) return undefined;
  if (typeof name !== "string" || typeof mediaType !== "string" || typeof bytes !== "number") return undefined;
  return Object.keys(value).length === 5 ? { id, name, mediaType, bytes } : undefined;
}

/** The file in a draft, which keeps it as text. */
export function fileOfDraft(draft: unknown): FileRef | undefined {
  if (typeof draft !== "string" || !draft.startsWith("{")) return undefined;
  try {
    return asFile(JSON.parse(draft) as Json);
  } catch {
    return undefined;
  }
}

export const addressOf = (file: FileRef): string => `/files/${file.id}`;

/** As a channel holds it, and as it is sent back. */
export const asJson = (file: FileRef): { [name: string]: Json } => ({ ...file, url: addressOf(file) });

export type Shows = "picture" | "sound" | "film" | "document";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
const FILMS = new Set(["video/mp4", "video/webm"]);
const SOUNDS = new Set(["audio/mpeg", "audio/wav", "audio/ogg", "audio/flac", "audio/mp4"]);

/** How a page shows it: only what a browser draws without running anything of it. */
export function showsAs(file: FileRef): Shows {
  if (PICTURES.has(file.mediaType)) return "picture";
  if (SOUNDS.has(file.mediaType)) return "sound";
  return FILMS.has(file.mediaType) ? "film" : "document";
}

export function sizeOf(bytes: number): string {
  if (bytes < 1000) return t("shared.bytes", { n: bytes });
  const [n, unit] = bytes < 999_500 ? [bytes / 1000, "KB"] : [bytes / 1_000_000, "MB"];
  return `${n < 10 ? n.toFixed(1).replace(/\.0$/, "") : Math.round(n)} ${unit}`;
}

/** What people call its type: the ending of its name, else the second half of its media type. */
export function typeOf(file: FileRef): string {
  const ending = /\.([A-Za-z0-9]{1,8})$/.exec(file.name)?.[1];
  return (ending ?? file.mediaType.split("/").at(-1) ?? "").slice(0, 12).toUpperCase();
}

/** Whether a file may be chosen here, as far as the page can tell; the server looks into it. */
export function mayTake(accept: string | undefined, file: { name: string; type: string }): boolean {
  const wanted = (accept ?? "").split(",").map((word) => word.trim().toLowerCase()).filter(Boolean);
  if (!wanted.length || !file.type) return true;
  return wanted.some((word) =>
    word.startsWith(".") ? file.name.toLowerCase().endsWith(word) : word.endsWith("/*") ? file.type.startsWith(word.slice(0, -1)) : file.type === word,
  );
}
