"""A note is a few words beside or under the conversation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from flows.words.base import Dsl, Word


class Note(Word):
    """Words with a title."""

    type: Annotated[Literal["note"], Dsl(topic="shell")] = Field(description='"note"')
    title: Annotated[str, Field(max_length=80), Dsl(widget="line", since="0.25")] = Field(
        "", description="The words above it."
    )
    text: Annotated[str, Field(min_length=1, max_length=2000), Dsl(widget="text", since="0.25")] = Field(
        description="The words."
    )
