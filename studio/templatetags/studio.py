"""What templates may say: sentences, icons, the bundle's files, times in words, a value as embedded JSON."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from studio.access import may as role_may
from studio.entry import entry as find_entry
from studio.strings import t as sentence

register = template.Library()
ICONS = Path(__file__).resolve().parent.parent / "icons"


@register.simple_tag
def t(key: str, **values: object) -> str:
    return sentence(key, **values)


@register.filter
def sentence_of(key: str, area: str) -> str:
    """`{{ state|sentence_of:"flow.state" }}`: the sentence `flow.state.<state>`."""
    return sentence(f"{area}.{key}")


@cache
def _drawing(name: str) -> str:
    return (ICONS / f"{name}.svg").read_text(encoding="utf-8").strip()


@register.simple_tag
def icon(name: str, classes: str = "") -> SafeString:
    """An icon of the set, hidden from screen readers: its meaning stands beside it in words."""
    shown = f"icon {classes}".strip()
    return mark_safe(_drawing(name).replace("<svg ", f'<svg class="{shown}" aria-hidden="true" ', 1))  # noqa: S308


@register.simple_tag(takes_context=True)
def entry(context: dict[str, Any], name: str) -> SafeString:
    """The hashed script and style of one entry of the bundle."""
    found = find_entry(name)
    if not found.script:
        return format_html("<!-- {} -->", sentence("page.not_built"))
    nonce = getattr(context.get("request"), "nonce", "")
    sheets = format_html_join("\n", '<link rel="stylesheet" href="{}">', ((sheet,) for sheet in found.styles))
    return format_html('{}\n<script type="module" src="{}" nonce="{}"></script>', sheets, found.script, nonce)


@register.simple_tag
def embed(id: str, value: Any) -> SafeString:
    """A value as JSON in the page, safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return format_html('<script id="{}" type="application/json">{}</script>', id, mark_safe(text))  # noqa: S308


@register.simple_tag(takes_context=True)
def may(context: dict[str, Any], right: str) -> bool:
    """Whether the person looking at the page has the right: menus show only what a role may do."""
    return role_may(getattr(context.get("request"), "role", None), right)


@register.filter
def ago(moment: datetime | None) -> str:
    """A past moment in words; the exact one belongs in the element's datetime and title."""
    if moment is None:
        return sentence("time.never")
    seconds = max(0, int((timezone.now() - moment).total_seconds()))
    if seconds < 45:
        return sentence("time.now")
    if seconds < 3600:
        return sentence("time.minutes", count=max(1, round(seconds / 60)))
    if seconds < 86400:
        return sentence("time.hours", count=round(seconds / 3600))
    if seconds < 30 * 86400:
        return sentence("time.days", count=round(seconds / 86400))
    return moment.strftime("%d %b %Y").lstrip("0")


@register.filter
def as_text(value: Any) -> str:
    """A value as a page shows it beside its name: text as it is, anything else as JSON over several lines."""
    if value == "":
        return sentence("trace.emptyText")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


@register.filter
def money(cost: Any) -> str:
    """USD, to the cent where there are cents; "" where nothing is known."""
    if cost is None:
        return ""
    return f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}".rstrip("0").rstrip(".")


@register.filter
def number(value: float) -> str:
    """A number as attributes take it, whatever the page's language writes between its digits."""
    return f"{value:g}"


@register.filter
def initials(name: str) -> str:
    words = [word for word in name.split() if word]
    return "".join(word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words))


@register.filter
def get(mapping: Any, key: Any) -> Any:
    """A mapping's value by a name the template computed."""
    return mapping.get(key, "") if hasattr(mapping, "get") else ""


@register.filter
def words(text: str) -> list[str]:
    """`{% for name in "a b"|words %}`."""
    return text.split()
