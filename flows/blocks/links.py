"""Links are a list of words that look like links and lead nowhere: what the agent can be asked about."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from flows.words.base import Dsl, Word


class Links(Word):
    """A list of words with a title."""

    type: Annotated[Literal["links"], Dsl(topic="shell")] = Field(description='"links"')
    title: Annotated[str, Field(max_length=80), Dsl(widget="line", since="0.25")] = Field(
        "", description="The words above it."
    )
    items: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=120)]],
        Field(min_length=1, max_length=20),
        Dsl(widget="list", since="0.25"),
    ] = Field(description="Its lines.")
