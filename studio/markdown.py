"""Markdown of our own as HTML: headings with addresses, tables that scroll by themselves, links between topics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

_TAGS = {
    "h1", "h2", "h3", "p", "ul", "ol", "li", "a", "code", "pre", "strong", "em", "blockquote", "br", "hr",
    "table", "thead", "tbody", "tr", "th", "td", "div",
}  # fmt: skip
_ATTRIBUTES: dict[str, set[str]] = {
    "a": {"href"},
    "h2": {"id"},
    "h3": {"id"},
    "div": {"class", "tabindex"},
    "ol": {"start"},
}


def anchor(heading: str) -> str:
    """A heading as the part of an address after `#`."""
    return "-".join(re.findall(r"\w+", heading.lower()))


@lru_cache(maxsize=64)
def rendered(text: str, links: str) -> SafeString:
    """The text as HTML. links: where `topic.md` is, `/reference/`."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("table_open", _table_open)
    reader.add_render_rule("table_close", _table_close)
    tokens = reader.parse(text)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and token.tag != "h1" and following is not None:
            token.attrSet("id", anchor(following.content))
        for each in token.children or ():
            href = each.attrGet("href")
            if each.type == "link_open" and isinstance(href, str):
                each.attrSet("href", re.sub(r"^(\w+)\.md(?=#|$)", rf"{links}\1", href))
    html = reader.renderer.render(tokens, reader.options, {})
    return mark_safe(nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, link_rel=None))  # noqa: S308 - just cleaned


def _table_open(renderer: Any, tokens: Sequence[Token], at: int, *_: Any) -> str:
    # What scrolls must be reachable by keyboard.
    return '<div class="table-scroll" tabindex="0"><table>'


def _table_close(*_: Any) -> str:
    return "</table></div>"
