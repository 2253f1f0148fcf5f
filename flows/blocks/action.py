"""An action is a button in a question. Pressing it answers the question as if its words had been typed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.blocks.base import View
from flows.problem import Finding, at, quoted, rule
from flows.words.base import Dsl


class Action(View):
    """A button."""

    type: Annotated[Literal["action"], Dsl(topic="views")] = Field(description='"action"')
    icon: Annotated[str, Field(max_length=40), Dsl(widget="line", since="0.11")] = Field(
        "", description="One emoji, or the name of an icon of the page."
    )
    label: Annotated[str, Field(min_length=1, max_length=80), Dsl(widget="line", since="0.11")] = Field(
        description="The words on the button, fixed."
    )
    sends: Annotated[str, Field(min_length=1, max_length=500), Dsl(widget="line", since="0.11")] = Field(
        description="What pressing it answers, fixed; the flow's routes say what it means."
    )


@rule("ACTION_TEMPLATE")
def buttons_are_fixed(view: View, path: str) -> Iterator[Finding]:
    """Routes compare what a button sends, so its words are the same every time."""
    for key in ("label", "sends") if isinstance(view, Action) else ():
        if "{{" in getattr(view, key):
            yield (
                at(path, key),
                f"The {key} of the action {quoted(view.id)} is {quoted(getattr(view, key))}; an action takes no "
                "templates.",
                "Write fixed words, and let the question itself show what changes.",
            )


RULES = (buttons_are_fixed,)
