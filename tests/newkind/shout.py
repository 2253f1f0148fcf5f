"""A shout node writes its text in capitals, as often as it is told to.

It is here to prove that a kind is one module: nothing else in the product knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import Json, Kind, NodeFailed, Step, writes
from flows.problem import Finding, at, quoted, rule
from flows.words.base import Dsl
from flows.words.node import Node


class ShoutNode(Node):
    """Says it loudly."""

    type: Literal["shout"] = Field(description='"shout"')
    text: Annotated[str, Field(min_length=1, max_length=500), Dsl(ref="template", widget="text")] = Field(
        description="What is shouted."
    )
    times: Annotated[int, Field(ge=1, le=9), Dsl(widget="number")] = Field(1, description="How often it is said.")
    output: Annotated[str, Dsl(ref="channel", writes=True)] = Field(description="The channel that hears it.")


@rule("SHOUT_NOT_TEXT")
def a_shout_is_text(draft: Draft, node: ShoutNode, path: str) -> Iterator[Finding]:
    """Capitals are text, so only a string channel can hold them."""
    channel = draft.channel(node.output)
    if channel is not None and channel.type != "string":
        yield at(path, "output"), f"{quoted(node.output)} cannot hold a shout.", "Write to a string channel."


class Shout(Kind):
    type = "shout"
    title = "Shout"
    group = "data"
    icon = "megaphone"
    since = "1.0"
    fields = ShoutNode
    rules = (a_shout_is_text,)

    async def run(self, node: ShoutNode, step: Step) -> dict[str, Json]:
        words = step.fill(node.text).strip()
        if not words:
            raise NodeFailed(f"{quoted(node.id)} has nothing to shout.", "NOTHING_TO_SHOUT")
        return writes(step, {node.output: " ".join([words.upper() + "!"] * node.times)}, f"Node {quoted(node.id)}")
