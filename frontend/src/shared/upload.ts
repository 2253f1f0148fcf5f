import type { Json } from "../generated/frames";
import { ApiError, csrfToken, refusalOf } from "./api";
import { asFile, type FileRef } from "./files";
import { t } from "./strings";

export interface Upload {
  done: Promise<FileRef>;
  stop: () => void;
}

/** Stopped by the person: nobody is told. */
export class Stopped extends Error {}

function bodyOf(request: XMLHttpRequest): unknown {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return null;
  }
}

/** Sends a file; `onPart` hears how much of it is there, from 0 to 1. `fetch` cannot tell that. */
export function upload(path: string, file: File, onPart: (part: number) => void): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<FileRef>((resolve, reject) => {
    request.open("POST", path);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRFToken", csrfToken());
    request.upload.onprogress = (event) => event.lengthComputable && onPart(event.loaded / event.total);
    request.onabort = () => reject(new Stopped());
    request.onerror = () => reject(new ApiError(0, "OFFLINE", t("shared.offline")));
    request.onload = () => {
      const body = bodyOf(request);
      const ref = asFile(body as Json);
      if (request.status >= 200 && request.status < 300 && ref) resolve(ref);
      else reject(refusalOf(request.status, body));
    };
    const form = new FormData();
    form.append("file", file, file.name);
    request.send(form);
  });
  return { done, stop: () => request.abort() };
}
