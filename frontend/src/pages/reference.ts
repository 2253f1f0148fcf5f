/** The reference's search answers while one types. Without this script the form is sent, as forms are. */

const PAUSE = 150;

export function startReference(): void {
  const form = document.querySelector<HTMLFormElement>("[data-reference-search]");
  const box = form?.querySelector("input");
  const topic = document.querySelector<HTMLElement>(".reference-text");
  if (!form || !box || !topic) return;
  const told = form.querySelector("[role=status]");
  const headings = document.querySelector<HTMLElement>(".reference-headings");
  const address = location.pathname + location.search;
  let shown: Element = topic;
  let timer = 0;
  let asked = 0;

  const show = (next: Element, url: string): void => {
    shown.replaceWith(next);
    shown = next;
    if (headings) headings.hidden = next !== topic;
    if (told) told.textContent = next === topic ? "" : (next.querySelector(".lead")?.textContent ?? "");
    history.replaceState(null, "", url);
  };

  const search = async (query: string): Promise<void> => {
    const mine = (asked += 1);
    if (!query && !box.defaultValue) {
      show(topic, address);
      return;
    }
    const url = query ? `/reference?q=${encodeURIComponent(query)}` : "/reference";
    const found = await fetched(url);
    if (mine !== asked) return;
    if (found) show(found, url);
    else form.submit();
  };

  box.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void search(box.value.trim()), PAUSE);
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
}

/** The text of the page at an address; nothing when it cannot be had, because somebody was signed out, say. */
function fetched(url: string): Promise<Element | null> {
  // The browser reads the page itself: a script may not make HTML out of text here.
  const request = new XMLHttpRequest();
  return new Promise((done) => {
    request.onload = () => {
      const page =
        request.status === 200 && new URL(request.responseURL).pathname === "/reference" ? request.responseXML : null;
      done(page?.querySelector(".reference-text") ?? null);
    };
    request.onerror = () => done(null);
    request.open("GET", url);
    request.responseType = "document";
    request.send();
  });
}
