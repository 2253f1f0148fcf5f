/** Toasts: what just happened, with Undo where it can be taken back. They stay while they are pointed at or focused. */
const STAYS_MS = 8000;
const STAYS_WITH_UNDO_MS = 15000;

function leave(toast: HTMLElement): void {
  toast.dataset.leaving = "";
  window.setTimeout(() => toast.remove(), 240);
}

function watch(toast: HTMLElement): void {
  const stays = toast.querySelector("form, .toast-act") ? STAYS_WITH_UNDO_MS : STAYS_MS;
  let timer = window.setTimeout(leave, stays, toast);
  const hold = (): void => window.clearTimeout(timer);
  const resume = (): void => {
    hold();
    timer = window.setTimeout(leave, stays / 2, toast);
  };
  toast.addEventListener("pointerenter", hold);
  toast.addEventListener("focusin", hold);
  toast.addEventListener("pointerleave", resume);
  toast.addEventListener("focusout", resume);
  toast.querySelector("[data-dismiss]")?.addEventListener("click", () => leave(toast));
}

/** Shows a toast from a script. undo is called once, by its button. */
export function toast(text: string, options: { bad?: boolean; undo?: { label: string; act: () => void } } = {}): void {
  const box = document.getElementById("toasts");
  if (!box) return;
  const one = document.createElement("div");
  one.className = options.bad ? "toast toast-bad" : "toast";
  const words = document.createElement("span");
  words.className = "grow";
  words.textContent = text;
  one.append(words);
  const { undo } = options;
  if (undo) {
    const act = document.createElement("button");
    act.className = "toast-act";
    act.type = "button";
    act.textContent = undo.label;
    act.addEventListener("click", () => {
      undo.act();
      leave(one);
    });
    one.append(act);
  }
  const close = document.createElement("button");
  close.className = "toast-close";
  close.type = "button";
  close.dataset.dismiss = "";
  close.setAttribute("aria-label", box.dataset.close ?? "");
  close.textContent = "×";
  one.append(close);
  box.append(one);
  watch(one);
}

export function startToasts(): void {
  document.querySelectorAll<HTMLElement>("[data-toast]").forEach(watch);
}
