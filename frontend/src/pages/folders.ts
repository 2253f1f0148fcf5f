/** Importing a folder: dropped or chosen, read here file by file, and sent as one; the server says what it takes. */
import { ApiError, post } from "../shared/api";
import { toast } from "./toasts";

const LARGEST = 1_000_000;
const MOST = 20_000_000;
const MOST_FILES = 2_000;
const READ = /\.(json|py)$/;
const LITTER = new Set(["node_modules", "__pycache__", "venv", "__MACOSX"]);

export interface Found {
  path: string;
  file: File;
}

interface SentFile {
  path: string;
  base64: string | null;
}

/** Are these only a tool's own folders, which no flow has anything in? */
export function isLitter(path: string): boolean {
  return path
    .split("/")
    .slice(0, -1)
    .some((part) => part.startsWith(".") || LITTER.has(part));
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** Every file below what was dropped. */
export async function below(entry: FileSystemEntry, before = ""): Promise<Found[]> {
  const path = before ? `${before}/${entry.name}` : entry.name;
  if (isFile(entry)) return [{ path, file: await new Promise<File>((done, failed) => entry.file(done, failed)) }];
  if (!isFolder(entry) || isLitter(`${path}/x`)) return [];
  const reader = entry.createReader();
  const found: Found[] = [];
  for (;;) {
    // A reader gives its entries in parts, and none when there are no more.
    const part = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (!part.length) return found;
    for (const each of part) found.push(...(await below(each, path)));
    if (found.length > MOST_FILES) return found;
  }
}

function base64(bytes: ArrayBuffer): string {
  let text = "";
  const view = new Uint8Array(bytes);
  for (let at = 0; at < view.length; at += 0x8000) text += String.fromCharCode(...view.subarray(at, at + 0x8000));
  return btoa(text);
}

/** What is sent of a folder: the content of what may be read, and of the rest the name, which the report says. */
export async function packed(found: Found[]): Promise<SentFile[]> {
  const sent: SentFile[] = [];
  for (const { path, file } of found.filter((each) => !isLitter(each.path))) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const reads = READ.test(name) && file.size <= LARGEST;
    sent.push({ path, base64: reads ? base64(await file.arrayBuffer()) : null });
  }
  return sent;
}

/** How much would be sent; more than the server takes is not even read. */
function isTooMuch(found: Found[]): boolean {
  const sizes = found.filter(({ path, file }) => READ.test(path) && !isLitter(path) && file.size <= LARGEST).map(({ file }) => file.size);
  return sizes.reduce((sum, size) => sum + size, 0) > MOST;
}

async function send(url: string, found: Found[], tooMuch: string): Promise<void> {
  if (isTooMuch(found)) return toast(tooMuch, { bad: true });
  const files = await packed(found);
  const name = files[0]?.path.split("/")[0] ?? "";
  const reply = await post<{ url: string }>(url, { name, files: files.slice(0, MOST_FILES + 1) });
  location.assign(reply.url);
}

/** Reads and sends, and says meanwhile that it does. */
function start(zone: HTMLElement | null, url: string, found: Promise<Found[]>): void {
  const state = zone?.querySelector<HTMLElement>("[data-drop-state]");
  const before = state?.textContent ?? "";
  if (state) state.textContent = state.dataset.dropState ?? "";
  zone?.setAttribute("aria-busy", "true");
  found
    .then((files) => send(url, files, zone?.dataset.tooMuch ?? ""))
    .catch((thrown: unknown) => {
      if (!(thrown instanceof ApiError)) throw thrown;
      toast(thrown.message, { bad: true });
    })
    .finally(() => {
      zone?.removeAttribute("aria-busy");
      if (state) state.textContent = before;
    });
}

export function startFolders(): void {
  for (const zone of document.querySelectorAll<HTMLElement>("[data-folders]")) {
    const url = zone.dataset.folders ?? "";
    // Before the drop on a file input is handled: a folder is no file that a form could send.
    zone.addEventListener(
      "drop",
      (event) => {
        const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
        if (entries.length < 2 && !entries.some(isFolder)) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        delete zone.dataset.over;
        start(zone, url, Promise.all(entries.map((entry) => below(entry))).then((found) => found.flat()));
      },
      { capture: true },
    );
  }
  for (const input of document.querySelectorAll<HTMLInputElement>("input[data-folder]")) {
    input.closest<HTMLElement>("[data-folder-line]")?.removeAttribute("hidden");
    input.addEventListener("change", () => {
      const found = [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
      input.value = "";
      if (found.length) start(document.querySelector("[data-folders]"), input.dataset.folder ?? "", Promise.resolve(found));
    });
  }
}
