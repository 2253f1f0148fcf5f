/** Menus are <details class="menu">: one open at a time, closed by Escape or a click elsewhere, walked with arrows. */
function close(menu: HTMLDetailsElement, focus = false): void {
  menu.open = false;
  if (focus) menu.querySelector<HTMLElement>("summary")?.focus();
}

function openMenus(): HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")];
}

function place(menu: HTMLDetailsElement): void {
  const list = menu.querySelector<HTMLElement>(".menu-list");
  if (!list) return;
  menu.classList.remove("menu-up");
  const box = list.getBoundingClientRect();
  if (box.bottom > window.innerHeight && menu.getBoundingClientRect().top > box.height) menu.classList.add("menu-up");
}

function walk(menu: HTMLDetailsElement, step: number): void {
  const items = [...menu.querySelectorAll<HTMLElement>(".menu-item")];
  const at = items.findIndex((item) => item === document.activeElement);
  items[(at + step + items.length) % items.length]?.focus();
}

export function startMenus(): void {
  document.addEventListener(
    "toggle",
    (event) => {
      const menu = event.target;
      if (!(menu instanceof HTMLDetailsElement) || !menu.matches(".menu") || !menu.open) return;
      for (const other of openMenus()) if (other !== menu && !other.contains(menu)) close(other);
      place(menu);
    },
    true,
  );
  document.addEventListener("click", (event) => {
    const target = event.target;
    if (!(target instanceof Node)) return;
    for (const menu of openMenus()) if (!menu.contains(target)) close(menu);
  });
  document.addEventListener("keydown", (event) => {
    const menu = openMenus().at(-1);
    if (!menu) return;
    if (event.key === "Escape") close(menu, true);
    else if (event.key === "ArrowDown") walk(menu, 1);
    else if (event.key === "ArrowUp") walk(menu, -1);
    else return;
    event.preventDefault();
  });

  const toggle = document.querySelector<HTMLElement>("[data-nav-toggle]");
  const show = (open: boolean): void => {
    document.body.dataset.nav = open ? "open" : "";
    toggle?.setAttribute("aria-expanded", String(open));
    if (open) document.querySelector<HTMLElement>("#side a")?.focus();
  };
  toggle?.addEventListener("click", () => show(document.body.dataset.nav !== "open"));
  document.querySelector("[data-nav-close]")?.addEventListener("click", () => show(false));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.body.dataset.nav !== "open") return;
    show(false);
    toggle?.focus();
  });
}
