"""A stat is one figure that the author typed. It never changes, so one that cannot be filled in is left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.problem import Finding, at, quoted, rule
from flows.words.base import Dsl, Word


class Stat(Word):
    """A figure with its name."""

    type: Annotated[Literal["stat"], Dsl(topic="shell")] = Field(description='"stat"')
    label: Annotated[str, Field(min_length=1, max_length=80), Dsl(widget="line", since="0.25")] = Field(
        description="What the figure is."
    )
    value: Annotated[str, Field(max_length=80), Dsl(widget="line", since="0.25")] = Field(
        description="The figure, as text."
    )
    note: Annotated[str, Field(max_length=200), Dsl(widget="line", since="0.25")] = Field(
        "", description="Small words under it."
    )


@rule("STAT_EMPTY", "warning")
def figures_are_there(block: Word, path: str) -> Iterator[Finding]:
    """What is typed into a stat stays as it is; nothing ever fills an empty one."""
    if isinstance(block, Stat) and not block.value.strip():
        yield (
            at(path, "value"),
            f"The stat {quoted(block.label)} has no value, and nothing fills one in.",
            "Write the figure, or leave the stat out. What a run knows is shown by a view.",
        )


RULES = (figures_are_there,)
