"""The reference of the flow language: a page for each topic, and a search over all of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from flows import reference as texts
from flows.reference import Topic, TopicUnknown
from studio.access import page
from studio.asked import Asked
from studio.markdown import anchor, rendered
from studio.refusal import Missing
from studio.strings import t

BASE = "/reference/"
LONGEST_QUERY = 80
MOST_FOUND = 30
AROUND = 90
STEMMED = 4


@dataclass(frozen=True)
class Entry:
    """A topic in the list beside the text. type: the node's type that it explains, or nothing."""

    label: str
    type: str
    href: str
    here: bool
    # The group that it stands in, where it is the first of it.
    begins: str = ""


@dataclass(frozen=True)
class Found:
    """One section in which every word of the search stands."""

    title: str
    href: str
    excerpt: SafeString


@page("flows.view")
@require_safe
def overview(request: Asked) -> HttpResponse:
    """The overview, or what a search finds."""
    query = " ".join(request.GET.get("q", "").split())[:LONGEST_QUERY]
    if not query:
        return _topic(request, "overview")
    return _page(request, {"query": query, "found": search(query)}, "")


@page("flows.view")
@require_safe
def topic(request: Asked, name: str) -> HttpResponse:
    return _topic(request, name)


def _topic(request: Asked, name: str) -> HttpResponse:
    try:
        found = texts.topic(name)
    except TopicUnknown as unknown:
        raise Missing(str(unknown)) from None
    headings = [(words, anchor(words)) for words in re.findall(r"^## (.+)$", found.text, re.MULTILINE)]
    body = rendered(found.text, BASE)
    return _page(request, {"title": _label(found)[0], "body": body, "headings": headings}, found.name)


def _page(request: Asked, shown: dict[str, object], here: str) -> HttpResponse:
    begins = {names[0]: group for group, names in texts.GROUPS.items()}
    entries = [
        Entry(
            *_label(each),
            f"{BASE}{each.name}" if each.name != "overview" else "/reference",
            each.name == here,
            t(f"reference.group.{begins[each.name]}") if each.name in begins else "",
        )
        for each in texts.topics()
    ]
    return render(request, "reference/reference.html", {"entries": entries, **shown})


def _label(of: Topic) -> tuple[str, str]:
    """A topic's name for a list, and the type of the nodes that it explains."""
    label, _, rest = of.title.partition(":")
    kind = re.search(r"`(\w+)`", rest)
    return label, kind[1] if kind else ""


def search(query: str) -> list[Found]:
    """Sections that hold every word of the query; those that define or head them first."""
    words = query.lower().split()
    ranked: list[tuple[int, Found]] = []
    for each in texts.topics():
        label, _ = _label(each)
        for number, part in enumerate(re.split(r"^## ", each.text, flags=re.MULTILINE)):
            heading, _, body = part.replace(texts.EVERY_NODE, "").partition("\n")
            title = label if number == 0 else f"{label} · {_bare(heading)}"
            text, near = f"{title} {body}".lower(), title.lower()
            if not all(word in text for word in words):
                continue
            href = f"{BASE}{each.name}" + (f"#{anchor(heading)}" if number else "")
            rank = -sum(_weight(word, text, near) for word in words)
            ranked.append((rank, Found(title, href, _excerpt(body, words))))
    ranked.sort(key=lambda pair: pair[0])
    return [found for _, found in ranked[:MOST_FOUND]]


def _weight(word: str, text: str, near: str) -> int:
    """How much a section is about a word. near: its heading."""
    stem = re.sub(r"(ies|y|s)$", "", word) if len(word) > STEMMED else word
    defines = f"\n| `{word}` |" in text
    return 4 * (stem in near) + 5 * defines + 2 * (f"`{word}`" in text) + min(text.count(word), 5)


def _bare(text: str) -> str:
    """Markdown without its signs, on one line."""
    text = re.sub(r"^\|[-|]+\|$", " ", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    return " ".join(re.sub(r"```\w*|[#|]", " ", text).replace("`", "").replace("**", "").split())


def _excerpt(body: str, words: list[str]) -> SafeString:
    """The text around the first word that is found, with every word marked."""
    text = _bare(body)
    at = min((place for word in words if (place := text.lower().find(word)) >= 0), default=0)
    start = text.find(" ", max(0, at - AROUND), at) + 1 if at > AROUND else 0
    cut = text[start : at + 2 * AROUND].strip()
    marked = re.sub(
        "|".join(re.escape(escape(word)) for word in words),
        lambda found: f"<mark>{found[0]}</mark>",
        str(escape(f"{'…' if start else ''}{cut}{'…' if at + 2 * AROUND < len(text) else ''}")),
        flags=re.IGNORECASE,
    )
    return mark_safe(marked)  # noqa: S308 - escaped above; only the marks were added
