"""A status is a word with a coloured dot. An agent that is paused or down says so in its place."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from flows.words.base import Dsl, Word

_SAYS = {"ok": "All is well.", "busy": "It takes longer.", "warn": "Something is wrong.", "off": "Not here."}


class Status(Word):
    """How things are, as the author wrote it."""

    type: Annotated[Literal["status"], Dsl(topic="shell")] = Field(description='"status"')
    label: Annotated[str, Field(min_length=1, max_length=80), Dsl(widget="line", since="0.25")] = Field(
        description="The words."
    )
    state: Annotated[Literal["ok", "busy", "warn", "off"], Dsl(widget="choice", since="0.25", says=_SAYS)] = Field(
        description="The colour of the dot: ok, busy, warn or off."
    )
