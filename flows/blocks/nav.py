"""A nav lists what the agent can be asked about. It leads nowhere and nothing happens when it is pressed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from flows.words.base import Dsl, Word


class NavItem(Word):
    """One line of a nav, with more than its words."""

    label: Annotated[str, Field(min_length=1, max_length=80), Dsl(widget="line", since="0.25")] = Field(
        description="Its words."
    )
    icon: Annotated[str, Field(max_length=40), Dsl(widget="line", since="0.25")] = Field(
        "", description="One emoji, or the name of an icon of the page."
    )
    on: Annotated[bool, Dsl(widget="switch", since="0.25")] = Field(
        False, description="Whether it is drawn as the line one is at."
    )


def _written(item: Any) -> Hashable:
    return "<text>" if isinstance(item, str) else "<item>"


NavEntry = Annotated[
    Annotated[str, Field(min_length=1, max_length=80), Tag("<text>")] | Annotated[NavItem, Tag("<item>")],
    Discriminator(_written),
]


class Nav(Word):
    """A list of words with a title."""

    type: Annotated[Literal["nav"], Dsl(topic="shell")] = Field(description='"nav"')
    title: Annotated[str, Field(max_length=80), Dsl(widget="line", since="0.25")] = Field(
        "", description="The words above it."
    )
    items: Annotated[list[NavEntry], Field(min_length=1, max_length=20), Dsl(widget="json", since="0.25")] = Field(
        description="Its lines: words alone, or { label, icon, on }."
    )
