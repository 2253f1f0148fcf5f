/** The Test button of a model entry: sends what the form says and shows what came back, without saving it. */
import { asApiError, post } from "../shared/api";

interface Tested {
  ok: boolean;
  message: string;
}

function show(box: HTMLElement, good: boolean, words: string): void {
  box.hidden = false;
  box.className = `notice ${good ? "notice-ok" : "notice-bad"}`;
  box.textContent = words;
}

export function startTesting(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-test]")) {
    button.addEventListener("click", () => {
      const form = button.form;
      const box = form?.querySelector<HTMLElement>("[data-tested]");
      if (!form || !box) return;
      const values = new FormData(form);
      const text = (name: string): string => String(values.get(name) ?? "");
      button.setAttribute("aria-busy", "true");
      const body = { entry: button.dataset.test || null, base_url: text("base_url"), key: text("key"), model: text("model") };
      post<Tested>("/api/models/test", body)
        .then((tested) => show(box, tested.ok, tested.message))
        .catch((thrown: unknown) => {
          const problem = asApiError(thrown);
          show(box, false, Object.values(problem.fields)[0] ?? problem.message);
        })
        .finally(() => button.removeAttribute("aria-busy"));
    });
  }
}
