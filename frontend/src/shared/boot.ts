/** What the server prints into the page as JSON (`<script type="application/json" id="boot">`), read once. */
export function readBoot<T>(id = "boot"): T {
  const text = document.getElementById(id)?.textContent;
  if (!text) throw new Error(`The page carries no #${id} element`);
  return JSON.parse(text) as T;
}

/** The element that a page's script draws into. */
export function mountPoint(id = "app"): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page carries no #${id} element`);
  return element;
}
