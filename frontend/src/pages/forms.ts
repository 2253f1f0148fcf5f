/**
 * Forms of the server-rendered pages: the button waits while it sends, the first problem gets the focus, a select may
 * send its form, a choice shows what belongs to it, and leaving with something typed asks first.
 */
import { startTesting } from "./testing";

function busy(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const button = submitter ?? form.querySelector<HTMLElement>("button:not([type=button])");
  button?.setAttribute("aria-busy", "true");
}

/** Events of every field that the form sends; one that names it with form="…" may stand anywhere on the page. */
function onField(form: HTMLFormElement, type: "input" | "change", listener: () => void): void {
  document.addEventListener(type, (event) => {
    const field = event.target;
    if (field instanceof Element && (form.contains(field) || ("form" in field && field.form === form))) listener();
  });
}

/** `data-show="<name>=<value>"`: shown only while that field of the form has that value. */
function follow(form: HTMLFormElement): void {
  const parts = [...form.querySelectorAll<HTMLElement>("[data-show]")];
  if (!parts.length) return;
  const update = (): void => {
    const values = new FormData(form);
    for (const part of parts) {
      const [name = "", wanted = ""] = (part.dataset.show ?? "").split("=");
      part.hidden = !wanted.split("|").some((one) => values.getAll(name).includes(one));
    }
  };
  onField(form, "change", update);
  update();
}

/** `data-slug-from="<name>"`: an address that follows a name until somebody writes in it. */
function slugs(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement>("input[data-slug-from]")) {
    const source = form.elements.namedItem(field.dataset.slugFrom ?? "");
    if (!(source instanceof HTMLInputElement)) continue;
    let own = field.value !== "" && field.value !== slug(source.value);
    field.addEventListener("input", () => (own = field.value !== ""));
    source.addEventListener("input", () => {
      if (!own) field.value = slug(source.value);
    });
  }
}

export function slug(words: string): string {
  return words
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
}

/** `data-drop`: a file dropped on it lands in its file input; a chosen file may be sent at once (`data-send`). */
function drops(): void {
  for (const zone of document.querySelectorAll<HTMLElement>("[data-drop]")) {
    const input = zone.querySelector<HTMLInputElement>("input[type=file]");
    if (!input) continue;
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      zone.dataset.over = "true";
    });
    zone.addEventListener("dragleave", () => delete zone.dataset.over);
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      delete zone.dataset.over;
      if (event.dataTransfer?.files.length) {
        input.files = event.dataTransfer.files;
        input.dispatchEvent(new Event("change", { bubbles: true }));
      }
    });
  }
}

/** `data-guard`: leaving with something typed and not sent asks first. */
function guardTyped(form: HTMLFormElement): void {
  let typed = false;
  onField(form, "input", () => (typed = true));
  form.addEventListener("submit", () => (typed = false));
  window.addEventListener("beforeunload", (event) => {
    if (typed) event.preventDefault();
  });
}

export function startForms(): void {
  document.addEventListener("submit", (event) => {
    if (event.target instanceof HTMLFormElement && !event.defaultPrevented) busy(event.target, event.submitter);
  });
  // A page taken back from the browser's cache must not stay busy.
  window.addEventListener("pageshow", () => {
    for (const button of document.querySelectorAll("button[aria-busy=true]")) button.removeAttribute("aria-busy");
  });
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (field instanceof HTMLSelectElement && field.dataset.submit !== undefined) field.form?.requestSubmit();
    if (field instanceof HTMLInputElement && field.dataset.send !== undefined && field.files?.length) field.form?.requestSubmit();
  });
  for (const form of document.querySelectorAll("form")) {
    follow(form);
    slugs(form);
    if (form.dataset.guard !== undefined) guardTyped(form);
  }
  drops();
  startTesting();
  document.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
}
