/** `data-copy="<id>"` copies that field's value and says so on the button for a moment. */
export function startCopying(): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-copy]") : null;
    const field = button?.dataset.copy ? document.getElementById(button.dataset.copy) : null;
    if (!button || !(field instanceof HTMLInputElement)) return;
    void copy(field).then((done) => {
      const label = button.querySelector("span");
      if (!done || !label || button.dataset.was) return;
      button.dataset.was = label.textContent ?? "";
      label.textContent = button.dataset.copied ?? "";
      window.setTimeout(() => {
        label.textContent = button.dataset.was ?? "";
        delete button.dataset.was;
      }, 1800);
    });
  });
}

async function copy(field: HTMLInputElement): Promise<boolean> {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // Without the clipboard's permission (plain http, say) the text stays selected for the keyboard.
    return false;
  }
}
