"""Who shows the name of the person who is signed in, and nothing when nobody is. A flow cannot put a name in it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from flows.words.base import Dsl, Word


class Who(Word):
    """The person who is signed in."""

    type: Annotated[Literal["who"], Dsl(topic="shell")] = Field(description='"who"')
    label: Annotated[str, Field(max_length=80), Dsl(widget="line", since="0.25")] = Field(
        "", description="The words beside the name."
    )
