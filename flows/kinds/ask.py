"""An ask node pauses the run, puts one question to the person, and writes the reply as text.

For something learned after starting: a choice between results, a confirmation of a guess. What the person gives at
the start is an input, and several things at once are a form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import Json, Kind, NodeFailed, Pause, Step, shown, writes
from flows.problem import Finding, at, quoted, rule
from flows.words.base import Dsl
from flows.words.document import Document
from flows.words.node import Node


class AskNode(Node):
    """Puts one question."""

    type: Annotated[Literal["ask"], Dsl(topic="ask")] = Field(description='"ask"')
    ask: Annotated[
        str, Field(min_length=1, max_length=8000), Dsl(ref="template", widget="prompt", label="Question")
    ] = Field(description="The question, in Markdown.")
    show: Annotated[
        list[Annotated[str, Dsl(ref="channel")]], Field(max_length=50), Dsl(ref="channel", since="0.10", label="Shows")
    ] = Field(default_factory=list, description="The channels shown with the question.")
    output: Annotated[str, Dsl(ref="channel", writes=True, fits="string")] = Field(
        description="The channel that the reply is written to, as text."
    )


@rule("OUTPUT_NOT_FOR_REPLY")
def reply_is_text(draft: Draft, node: AskNode, path: str) -> Iterator[Finding]:
    """A person's reply is text; something checked (a number, a day, a choice) is a form's field."""
    channel = draft.channel(node.output)
    if channel is not None and channel.type not in ("string", "any") and not channel.appends:
        yield (
            at(path, "output"),
            f"Ask node {quoted(node.id)} writes text to {quoted(node.output)}, a channel of type "
            f"{quoted(channel.type)}.",
            "Write to a string channel, or use a form node with a field of that type.",
        )


class Ask(Kind):
    type = "ask"
    title = "Ask"
    summary = "Puts one question to the person."
    group = "people"
    icon = "message-circle-question"
    fields = AskNode
    rules = (reply_is_text,)

    def stops(self, node: AskNode, document: Document) -> bool:
        return True

    def pause(self, node: AskNode, step: Step) -> Pause | None:
        if "ask" in step.answers:
            return None
        return Pause("ask", "ask", {"text": step.fill(node.ask), "show": shown(step, node.show)})

    async def run(self, node: AskNode, step: Step) -> dict[str, Json]:
        given = step.answers["ask"]
        if given.closed:
            raise NodeFailed(f"The question of {quoted(node.id)} was closed without an answer.", "QUESTION_CLOSED")
        return writes(step, {node.output: given.value}, f"Ask node {quoted(node.id)}")
