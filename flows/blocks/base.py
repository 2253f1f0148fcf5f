"""What a block is: a view, which shows a run's values in the chat, or a piece of what stands around it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from flows.words.base import Dsl, Word

Json = Any


class Beside(Word):
    """A place in the conversation: after a step, or with a question."""

    after: Annotated[str | None, Dsl(ref="node", since="0.11")] = Field(
        None,
        description="The node whose every end drops the view into the reply; an ask node ends when it is answered.",
    )
    with_: Annotated[str | None, Dsl(ref="node", since="0.11")] = Field(
        None, alias="with", description="The ask node in whose question an action stands."
    )


def place_of(place: Json) -> Hashable:
    """Which of its two forms a place is written in."""
    return "<pinned>" if isinstance(place, str) else "<beside>"


Place = Annotated[
    Annotated[Literal["pinned"], Tag("<pinned>")] | Annotated[Beside, Tag("<beside>")], Discriminator(place_of)
]


class View(Word):
    """What every view has. It only shows: it writes nothing and decides nothing."""

    id: Annotated[str, Dsl(widget="line", since="0.11", label="Name")] = Field(
        description="The view's name, which no other view has."
    )
    # Each view narrows it to its own word, which a checker allows only over Any.
    type: Annotated[Any, Dsl(widget="shown")] = Field(description="card, image or action.")
    place: Annotated[Place, Dsl(widget="json", since="0.11")] = Field(
        description='"pinned" above the conversation, { "after": node } in the reply; an action { "with": ask node }.'
    )
    description: Annotated[str, Field(max_length=2000), Dsl(widget="text", since="0.11")] = Field(
        "", description="What the view is for, for whoever edits the flow."
    )


def typed(raw: Json) -> Hashable:
    """Chooses the member of a union by its `type`; nothing where there is none to choose by."""
    type = raw.get("type") if isinstance(raw, dict) else getattr(raw, "type", None)
    return f"<{type}>" if isinstance(type, str) else None
