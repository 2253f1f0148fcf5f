"""How a page must be at every width and in both themes: it fits, and everything in it has a name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Height as a person's window of that width has it.
WIDTHS = {1440: 900, 1024: 768, 390: 844}
THEMES = ("light", "dark")

_JUDGE = """(but) => {
  const faults = [];
  const root = document.documentElement;
  const most = root.clientWidth;
  const all = [];
  const gather = (within) => {
    for (const each of within.querySelectorAll('*')) {
      all.push(each);
      if (each.shadowRoot) gather(each.shadowRoot);
    }
  };
  gather(document);
  const seen = (each) =>
    each.checkVisibility({ visibilityProperty: true }) && !each.closest('[aria-hidden=true], [inert]')
    && !(but && each.closest(but));
  const say = (what, each) => faults.push(`${what}: ${each.outerHTML.slice(0, 140)}`);
  const words = (each) => {
    const named = (each.getAttribute('aria-labelledby') ?? '').split(/\\s+/).filter(Boolean)
      .map((id) => each.getRootNode().getElementById(id)?.textContent ?? '').join(' ');
    const labels = [...(each.labels ?? [])].map((label) => label.textContent).join(' ');
    return [each.getAttribute('aria-label'), named, labels].filter(Boolean).join(' ').trim();
  };
  if (root.scrollWidth > most) {
    const wide = all.filter((each) => each.getBoundingClientRect().right > most + 1 && seen(each));
    faults.push(`scrolls sideways, ${root.scrollWidth} > ${most}`);
    wide.slice(-3).forEach((each) => say('reaches out', each));
  }
  const headings = all.filter((each) => each.nodeName === 'H1' && seen(each));
  // Behind a dialog the page is put away, with its heading.
  const dialog = all.some((each) => each.matches('[role=dialog]') && seen(each));
  const titles = headings.map((each) => each.textContent);
  if (titles.length !== 1 && !dialog) faults.push(`${titles.length} h1: ${titles}`);
  const ids = new Map();
  for (const each of all) {
    if (each.id) {
      const known = ids.get(each.getRootNode()) ?? new Set();
      if (known.has(each.id)) say('id twice', each);
      ids.set(each.getRootNode(), known.add(each.id));
    }
    if (!seen(each)) continue;
    const own = words(each);
    if (each.matches('input:not([type=hidden]), select, textarea, [contenteditable=true]') && !own)
      say('unlabelled', each);
    if (each.matches('button, a[href], summary, [role=button], [role=tab]') && !(each.textContent.trim() || own))
      say('unnamed', each);
    // A drawing that holds what has a name of its own, as the lines of a canvas do, needs none itself.
    const drawing = 'svg:not([aria-hidden=true]):not([role=img]):not(:has([role][aria-label]))';
    if (each.matches(`img:not([alt]), ${drawing}`)) say('picture without words', each);
    if (each.matches('[role=img]') && !own) say('unnamed picture', each);
    if (each.matches('dialog[open], [role=dialog], [role=group], [role=region], [role=tablist]') && !own)
      say('unnamed part', each);
  }
  if (!root.lang) faults.push('no language');
  if (!document.title.trim()) faults.push('no title');
  if (!all.some((each) => each.nodeName === 'MAIN')) faults.push('no main part');
  return faults;
}"""


def _picture(page: Page, file: Path, height: int, whole: bool) -> None:
    # A window as high as the page, so that what sticks to its edges stands where it belongs.
    real = page.evaluate("document.documentElement.scrollHeight") if whole else height
    width = page.evaluate("innerWidth")
    if real > height:
        page.set_viewport_size({"width": width, "height": real})
    page.screenshot(path=file, animations="disabled")
    if real > height:
        page.set_viewport_size({"width": width, "height": height})


def looks(page: Page, name: str, *, widths: Any = tuple(WIDTHS), whole: bool = True, but: str = "") -> None:
    """Judge the page as it stands at every width in light and dark; keep pictures where SCREENSHOTS names a folder.

    Without pictures dark is judged at the first width only: it differs in colours, and no name or place does.
    whole: the picture is of everything, not only of what the window shows. but: a part that a library draws, which
    other tests judge. Asserts that nothing is at fault.
    """
    folder = os.environ.get("SCREENSHOTS")
    faults: list[str] = []
    before = page.viewport_size
    for width in widths:
        page.set_viewport_size({"width": width, "height": WIDTHS[width]})
        for theme in THEMES if folder or width == next(iter(widths)) else THEMES[:1]:
            page.emulate_media(color_scheme=theme)
            if theme == THEMES[0] or folder:
                # A width's layout is settled once two frames were drawn.
                page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            faults += [f"{name} {width} {theme}: {fault}" for fault in page.evaluate(_JUDGE, but)]
            if folder:
                Path(folder).mkdir(parents=True, exist_ok=True)
                file = Path(folder) / f"{name}-{width}-{theme}.png"
                _picture(page, file, WIDTHS[width], whole)
    if before:
        page.set_viewport_size(before)
    page.emulate_media(color_scheme="null")
    assert not faults, "\n".join(faults)
