/** Settings → Models: the model servers that answer on this machine, offered by name. */
import { ApiError, get } from "../shared/api";

interface Found {
  name: string;
  baseUrl: string;
  models: string[];
  added: boolean;
}

function row(found: Found, words: DOMStringMap): HTMLElement {
  const item = document.createElement("div");
  item.className = "item item-wrap";
  const text = document.createElement("div");
  text.className = "item-text";
  const title = document.createElement("span");
  title.className = "item-title";
  title.textContent = found.name;
  const about = document.createElement("span");
  about.className = "item-sub clip";
  about.textContent = [found.baseUrl, ...found.models.slice(0, 3)].join(" · ");
  text.append(title, about);
  const side = document.createElement("div");
  side.className = "item-side";
  if (found.added) {
    const badge = document.createElement("span");
    badge.className = "badge badge-ok";
    badge.textContent = words.added ?? "";
    side.append(badge);
  } else {
    const add = document.createElement("a");
    add.className = "btn";
    add.textContent = words.add ?? "";
    const query = new URLSearchParams({ name: found.name, base_url: found.baseUrl, model: found.models[0] ?? "" });
    add.href = `/settings/models/new?${query.toString()}`;
    side.append(add);
  }
  item.append(text, side);
  return item;
}

export function startFound(): void {
  const box = document.querySelector<HTMLElement>("[data-found]");
  const list = box?.querySelector<HTMLElement>("[data-found-list]");
  if (!box || !list) return;
  const none = (words: string): void => {
    const line = document.createElement("p");
    line.className = "card-pad small muted";
    line.textContent = words;
    list.replaceChildren(line);
  };
  get<{ found: Found[] }>(box.dataset.found ?? "")
    .then(({ found }) => {
      if (found.length) list.replaceChildren(...found.map((one) => row(one, box.dataset)));
      else none(box.dataset.none ?? "");
    })
    .catch((thrown: unknown) => {
      if (!(thrown instanceof ApiError)) throw thrown;
      none(thrown.message);
    })
    .finally(() => list.removeAttribute("aria-busy"));
}
