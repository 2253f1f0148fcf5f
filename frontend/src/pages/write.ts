/** Publish → "Write what is missing": one request for each unit, with how far it is; without script each press is one. */
import { ApiError, post } from "../shared/api";

async function write(form: HTMLFormElement, state: HTMLElement): Promise<void> {
  const units = [...form.querySelectorAll<HTMLInputElement>("[data-unit]")];
  for (const [index, unit] of units.entries()) {
    state.textContent = (form.dataset.write ?? "")
      .replace("{name}", unit.dataset.unit ?? "")
      .replace("{number}", String(index + 1))
      .replace("{count}", String(units.length));
    await post(unit.value, {});
    // Written or refused, it was tried: pressing again after a failure goes on from there.
    unit.remove();
  }
  // The page says then what each of them came to.
  location.reload();
}

export function startWriting(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-write]")) {
    const state = form.querySelector<HTMLElement>("[data-write-state]");
    const button = form.querySelector("button");
    if (!state || !button) continue;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      button.disabled = true;
      write(form, state).catch((thrown: unknown) => {
        if (!(thrown instanceof ApiError)) throw thrown;
        state.textContent = thrown.message;
        button.disabled = false;
      });
    });
  }
}
