/** Native dialogs: `data-open="<id>"` opens one, `data-close` inside closes it, as does a click on what is behind. */
function find(id: string | undefined): HTMLDialogElement | null {
  const found = id ? document.getElementById(id) : null;
  return found instanceof HTMLDialogElement ? found : null;
}

export function startDialogs(): void {
  document.addEventListener("click", (event) => {
    const target = event.target;
    if (!(target instanceof Element)) return;
    const opener = target.closest<HTMLElement>("[data-open]");
    if (opener) {
      opener.closest("details")?.removeAttribute("open");
      find(opener.dataset.open)?.showModal();
      return;
    }
    if (target.closest("[data-close]")) target.closest("dialog")?.close();
    else if (target instanceof HTMLDialogElement && event.detail > 0 && outside(target, event)) target.close();
  });
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[data-start-open]")) dialog.showModal();
}

function outside(dialog: HTMLDialogElement, event: MouseEvent): boolean {
  const box = dialog.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}
