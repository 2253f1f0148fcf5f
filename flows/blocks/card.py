"""A card is for a glance while a run goes on: a few figures, a line of text, a bar."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from flows.blocks.base import View
from flows.problem import Finding, quoted, rule
from flows.words.base import Dsl, Word

MAX_ITEMS = 12


def _written(value: Any) -> Hashable:
    return "<template>" if isinstance(value, str) else "<number>"


Amount = Annotated[
    Annotated[str, Field(min_length=1, max_length=500), Tag("<template>")] | Annotated[float, Tag("<number>")],
    Discriminator(_written),
]


class Item(Word):
    """One line of a card."""

    label: Annotated[str, Field(min_length=1, max_length=200), Dsl(ref="template", widget="line", since="0.11")] = (
        Field(description="What the value is.")
    )
    value: Annotated[str, Field(max_length=2000), Dsl(ref="template", widget="line", since="0.11")] = Field(
        description="The value, usually a template: one field or a count, never a whole list."
    )


class Progress(Word):
    """A bar. It is left off while it has no numbers."""

    value: Annotated[Amount, Dsl(ref="template", widget="line", since="0.11")] = Field(
        description="How far: a number, or a template that gives one."
    )
    max: Annotated[Amount, Dsl(ref="template", widget="line", since="0.11")] = Field(
        description="The whole: a number, or a template that gives one."
    )
    label: Annotated[str, Field(max_length=200), Dsl(ref="template", widget="line", since="0.11")] = Field(
        "", description="The words beside the bar."
    )


class Card(View):
    """A title with text, lines of values or a bar."""

    type: Annotated[Literal["card"], Dsl(topic="views")] = Field(description='"card"')
    title: Annotated[str, Field(min_length=1, max_length=200), Dsl(ref="template", widget="line", since="0.11")] = (
        Field(description="The words at its top.")
    )
    text: Annotated[str | None, Field(max_length=4000), Dsl(ref="template", widget="prompt", since="0.11")] = Field(
        None, description="Words under the title, in Markdown."
    )
    items: Annotated[list[Item] | None, Field(min_length=1, max_length=MAX_ITEMS), Dsl(widget="json", since="0.11")] = (
        Field(None, description="1 to 12 lines of a label and a value.")
    )
    progress: Annotated[Progress | None, Dsl(since="0.11")] = Field(None, description="A bar.")


@rule("CARD_EMPTY")
def cards_hold_something(view: View, path: str) -> Iterator[Finding]:
    """A card with a title alone says nothing that changes."""
    if isinstance(view, Card) and view.text is None and view.items is None and view.progress is None:
        yield (
            path,
            f"The card {quoted(view.id)} has a title and nothing under it.",
            'Add "text", "items" or "progress".',
        )


RULES = (cards_hold_something,)
