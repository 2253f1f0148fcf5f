"""Shell: what stands around the conversation. It is scenery: every value is text, nothing in it reads a channel, and
nothing is loaded from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import Discriminator, Field, Tag

from flows import blocks
from flows.blocks.base import typed
from flows.blocks.links import Links
from flows.blocks.nav import Nav, NavItem
from flows.blocks.note import Note
from flows.blocks.stat import Stat
from flows.blocks.status import Status
from flows.blocks.who import Who
from flows.problem import Finding, Rule, at, quoted, rule, suggestion
from flows.words.base import Dsl, Word, said
from flows.words.icons import NAMES, is_icon
from flows.words.page import Colour

MAX_BLOCKS = 20

_ADDRESS = re.compile(r"(?i)\b[a-z][a-z0-9+.-]*://|\b(?:data|javascript|blob):\S|(?:^|\s)//\w")

Piece = Annotated[
    Annotated[Nav, Tag("<nav>")]
    | Annotated[Links, Tag("<links>")]
    | Annotated[Who, Tag("<who>")]
    | Annotated[Status, Tag("<status>")]
    | Annotated[Stat, Tag("<stat>")]
    | Annotated[Note, Tag("<note>")],
    Discriminator(typed),
]


class Brand(Word):
    """Whose page it is: letters on a colour, never a picture."""

    initials: Annotated[str, Field(max_length=4), Dsl(widget="line", since="0.25")] = Field(
        "", description="Up to 4 letters, or one emoji."
    )
    name: Annotated[str, Field(max_length=80), Dsl(widget="line", since="0.25")] = Field(
        "", description="The name beside them."
    )
    note: Annotated[str, Field(max_length=120), Dsl(widget="line", since="0.25")] = Field(
        "", description="Small words under the name."
    )
    color: Annotated[Colour | None, Dsl(widget="color", since="0.25")] = Field(
        None, description="The colour behind the letters, as #rgb or #rrggbb."
    )


class Shell(Word):
    """What stands around the conversation. A region that is left out is not drawn."""

    brand: Annotated[Brand | None, Dsl(since="0.25")] = Field(None, description="Whose page it is.")
    aside: Annotated[list[Piece], Field(max_length=MAX_BLOCKS), Dsl(widget="json", since="0.25")] = Field(
        default_factory=list, description="The column before the conversation; blocks."
    )
    rail: Annotated[list[Piece], Field(max_length=MAX_BLOCKS), Dsl(widget="json", since="0.25")] = Field(
        default_factory=list, description="The column after the conversation; blocks."
    )
    above: Annotated[list[Piece], Field(max_length=MAX_BLOCKS), Dsl(widget="json", since="0.25")] = Field(
        default_factory=list, description="The strip above the conversation; blocks."
    )
    below: Annotated[list[Piece], Field(max_length=MAX_BLOCKS), Dsl(widget="json", since="0.25")] = Field(
        default_factory=list, description="The line under the conversation; blocks."
    )


def pieces(shell: Shell, path: str) -> Iterator[tuple[Word, str]]:
    """Every block of a shell, with its path."""
    for region in ("aside", "rail", "above", "below"):
        for index, block in enumerate(getattr(shell, region)):
            yield block, at(path, region, index)


def _texts(shell: Shell, path: str) -> Iterator[tuple[str, str]]:
    for each in said(shell, path):
        if isinstance(each.value, str):
            yield each.value, each.path
        elif isinstance(each.value, list):
            yield from ((text, at(each.path, index)) for index, text in enumerate(each.value) if isinstance(text, str))


@rule("SHELL_ADDRESS")
def nothing_is_elsewhere(shell: Shell, path: str) -> Iterator[Finding]:
    """A shell leads nowhere and loads nothing, so an address in it is a mistake or a trap."""
    for text, here in _texts(shell, path):
        found = _ADDRESS.search(text)
        if found:
            yield (
                here,
                f"{quoted(text)} holds an address, and a shell can neither load nor open one.",
                "Write words. What a run finds is shown by a view, and a brand is initials and a colour.",
            )


@rule("SHELL_TEMPLATE", "warning")
def values_are_text(shell: Shell, path: str) -> Iterator[Finding]:
    """Nothing in a shell reads a channel: a template in it is shown as its characters."""
    for text, here in _texts(shell, path):
        if "{{" in text:
            yield (
                here,
                f"{quoted(text)} is shown as it stands: nothing in a shell reads a channel.",
                'Write the words themselves, or show the channel with a view: "views": [{ "type": "card", … }].',
            )


@rule("ICON_UNKNOWN")
def icons_are_drawn(shell: Shell, path: str) -> Iterator[Finding]:
    """An icon is an emoji or one of the page's own drawings; a picture of one's own would have to be loaded."""
    for block, here in pieces(shell, path):
        for index, item in enumerate(block.items if isinstance(block, Nav) else ()):
            if isinstance(item, NavItem) and item.icon and not is_icon(item.icon):
                yield at(here, "items", index, "icon"), *icon_words(item.icon)


def icon_words(icon: str) -> tuple[str, str]:
    """What is wrong with an icon that is none, and what to do."""
    some = "Write one emoji, or the name of a drawing such as " + ", ".join(map(quoted, NAMES[:6])) + "."
    return f"{quoted(icon)} is neither an emoji nor an icon of the page.", suggestion(icon, NAMES, some)


def _of_pieces(inner: Rule) -> Rule:
    def find(shell: Shell, path: str) -> Iterator[Finding]:
        for block, here in pieces(shell, path):
            yield from inner.find(block, here)

    return inner.on(find)


RULES = (nothing_is_elsewhere, values_are_text, icons_are_drawn, *map(_of_pieces, blocks.PIECE_RULES))
