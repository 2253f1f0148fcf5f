/** `data-live="<seconds>"`: a part of a page that is asked for again and again while something goes on in it. */

/** What a person did to the part, so that a newer one does not take it from them. */
interface Held {
  open: ReadonlyMap<string, boolean>;
  focus: string | null;
}

const FOCUSED = ["id", "href", "data-open"] as const;

function names(part: HTMLElement): [string, HTMLDetailsElement][] {
  const counts = new Map<string, number>();
  return [...part.querySelectorAll("details")].map((details) => {
    const words = details.querySelector("summary")?.textContent ?? "";
    const count = (counts.get(words) ?? 0) + 1;
    counts.set(words, count);
    return [`${words} ${count}`, details];
  });
}

function hold(part: HTMLElement): Held {
  const focused = document.activeElement;
  const name = part.contains(focused) ? FOCUSED.find((one) => focused?.hasAttribute(one)) : undefined;
  return {
    open: new Map(names(part).map(([of, details]) => [of, details.open])),
    focus: name ? `[${name}="${CSS.escape(focused?.getAttribute(name) ?? "")}"]` : null,
  };
}

function give(part: HTMLElement, held: Held): void {
  for (const [of, details] of names(part)) details.open = held.open.get(of) ?? details.open;
  if (held.focus) part.querySelector<HTMLElement>(held.focus)?.focus({ preventScroll: true });
}

/** Nothing is exchanged while somebody reads what would go: marked text, or a dialog over the page. */
function isRead(part: HTMLElement): boolean {
  const marked = document.getSelection();
  const within = marked !== null && !marked.isCollapsed && part.contains(marked.anchorNode);
  return within || document.querySelector("dialog[open]") !== null;
}

/** Signed out or locked, the server leads to another page. */
function leadsAway(address: string): boolean {
  return address !== "" && new URL(address, location.href).pathname !== location.pathname;
}

export function startLive(): void {
  const found = document.querySelector<HTMLElement>("[data-live]");
  if (!found?.id) return;
  let part: HTMLElement = found;
  let written = found.outerHTML;
  const again = (): void => {
    const seconds = Number(part.dataset.live);
    if (seconds > 0) window.setTimeout(look, seconds * 1000);
  };
  const look = (): void => {
    if (document.hidden || isRead(part)) return again();
    const request = new XMLHttpRequest();
    request.open("GET", location.pathname + location.search);
    request.responseType = "document";
    request.onload = () => {
      // Signed out, locked or gone: the page says which, and shows nothing of it any more.
      if ([401, 403, 404].includes(request.status) || leadsAway(request.responseURL)) return location.reload();
      const fresh = request.status === 200 ? request.responseXML?.getElementById(part.id) : null;
      if (fresh && !isRead(part) && fresh.outerHTML !== written) {
        const held = hold(part);
        written = fresh.outerHTML;
        part.replaceWith(fresh);
        part = fresh;
        give(part, held);
      }
      again();
    };
    request.onerror = again;
    request.send();
  };
  again();
}
