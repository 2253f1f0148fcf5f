"""Web pages: what they say, without scripts, menus and what else stands around it on every page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

DEEPEST = 200
"""Elements that are nested deeper are read as if they stood at this depth."""

_EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
_DROPPED = {
    "script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "audio", "video", "select",
    "button", "input", "textarea", "dialog", "menu", "head", "math",
}  # fmt: skip
_AROUND = {"nav", "aside", "header", "footer"}
_ROLES = {"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar", "dialog", "alertdialog"}
_NAMED = re.compile(
    r"(^|[-_\s])(nav|navbar|navigation|menu|breadcrumbs?|sidebar|cookies?|consent|skip|share|social|related|advert|ads|"
    r"promo|newsletter|pagination|toolbar)([-_\s]|$)",
    re.IGNORECASE,
)
_BLOCKS = {
    "address", "article", "blockquote", "body", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption", "figure",
    "footer", "form", "header", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "main", "ol", "p", "pre", "section",
    "summary", "table", "tbody", "thead", "tfoot", "tr", "ul",
}  # fmt: skip
# What a new one of these ends, as browsers read it.
_ENDS = {
    "li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "tr": {"tr", "td", "th"}, "td": {"td", "th"},
    "th": {"td", "th"}, "option": {"option"},
}  # fmt: skip
_CLOSES_P = _BLOCKS - {"body", "li", "tr", "dt", "dd", "tbody", "thead", "tfoot", "summary", "figcaption"}
_MENU_LINKS, _MENU_SHARE, _ARTICLE_SHARE = 3, 0.7, 0.3


@dataclass
class Element:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)


class _Reader(HTMLParser):
    """Builds a tree of what is written, however it is written."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.top = Element("")
        self.open = [self.top]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end(_ENDS.get(tag, set()), {"ul", "ol", "dl", "table", "select"}, whole=True)
        if tag in _CLOSES_P:
            self._end({"p"}, {"td", "th", "li", "div", "section", "article", "main", "body"})
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in _EMPTY and len(self.open) < DEEPEST:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        self._end({tag}, set())

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def _end(self, tags: set[str], most: set[str], whole: bool = False) -> None:
        """Close the innermost open element that is one of these, unless one of `most` stands between.

        whole: the outermost that nothing of `most` stands before.
        """
        found = 0
        for at in range(len(self.open) - 1, 0, -1):
            if self.open[at].tag in tags:
                found = at
                if not whole:
                    break
            elif self.open[at].tag in most:
                break
        if found:
            del self.open[found:]


def read(html: str) -> tuple[str, str]:
    """The title and the text."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    titles = [_words(each) for each in _all(reader.top, "title")] + [_words(each) for each in _all(reader.top, "h1")]
    root = _main(reader.top)
    inside = root.tag in ("main", "article")
    lines = "".join(_drawn(root, inside))
    text = "\n".join(re.sub(r"[ \t\u00a0]+", " ", line).strip() for line in lines.split("\n"))
    return next((title for title in titles if title), ""), re.sub(r"\n{3,}", "\n\n", text).strip()


def _main(top: Element) -> Element:
    """The part of the page that it is there for: its main, else an article that is much of it, else all of it."""
    mains = [each for each in _elements(top) if each.tag == "main" or each.attributes.get("role") == "main"]
    if mains:
        return mains[0] if mains[0].tag == "main" else Element("main", {}, mains[0].children)
    articles = [(len(_words(each)), each) for each in _all(top, "article")]
    size, found = max(articles, key=lambda pair: pair[0], default=(0, top))
    # Many articles of one size are a list of them, and then all of it counts.
    return found if len(articles) == 1 or size > _ARTICLE_SHARE * len(_words(top)) else top


def _elements(root: Element) -> Iterator[Element]:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        yield element
        waiting.extend(each for each in reversed(element.children) if isinstance(each, Element))


def _all(root: Element, tag: str) -> Iterator[Element]:
    return (each for each in _elements(root) if each.tag == tag)


def _words(element: Element) -> str:
    """Everything written in it, on one line."""
    found: list[str] = []
    waiting: list[Element | str] = [element]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            found.append(each)
        elif each.tag not in _DROPPED:
            waiting.extend(reversed(each.children))
    return " ".join("".join(found).split())


def _is_left_out(element: Element, inside: bool) -> bool:
    """Is it none of what the page says? inside: within the part that it is there for."""
    attributes = element.attributes
    if element.tag in _DROPPED or "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    if re.search(r"display\s*:\s*none", attributes.get("style", ""), re.IGNORECASE):
        return True
    if element.tag == "nav" or attributes.get("role", "") in _ROLES:
        return True
    if not inside and element.tag in _AROUND:
        return True
    named = _NAMED.search(f"{attributes.get('class', '')} {attributes.get('id', '')}")
    return (
        bool(named or not inside) and element.tag in ("ul", "ol", "div", "section", "p", "aside") and _is_menu(element)
    )


def _is_menu(element: Element) -> bool:
    """Is it links and little else?"""
    links = [len(_words(each)) for each in _all(element, "a")]
    whole = len(_words(element))
    return len(links) >= _MENU_LINKS and whole > 0 and sum(links) / whole > _MENU_SHARE


def _drawn(element: Element, inside: bool) -> Iterator[str]:
    tag = element.tag
    block = tag in _BLOCKS
    if block:
        yield "\n" if tag in ("li", "tr", "dt", "dd") else "\n\n"
    if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
        yield "#" * int(tag[1]) + " "
    elif tag == "li":
        yield "- "
    elif tag == "br":
        yield "\n"
    elif tag in ("td", "th"):
        yield "| "
    for each in element.children:
        if isinstance(each, str):
            yield each if tag == "pre" else re.sub(r"\s+", " ", each)
        elif not _is_left_out(each, inside):
            yield from _drawn(each, inside or each.tag in ("main", "article"))
    if tag in ("td", "th"):
        yield " "
    elif tag == "tr":
        yield "|"
    if block and tag not in ("li", "tr", "dt", "dd"):
        yield "\n\n"
