"""A knowledge node asks a collection of documents a question, and gets the few passages that answer it.

It writes a list of `{ text, source }`. What a question costs does not grow with the collection, and nobody hands
anything in. It only finds: a model after it answers, so that a poor answer can be traced to one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import WrittenOnly
from flows.problem import Finding, at, quoted, rule
from flows.shapes import Shape
from flows.words.base import Dsl
from flows.words.node import Node

MOST = 5
"""How many passages come back when the node does not say it."""
MOST_PASSAGES = 50
NO_ANSWER = "Sorry, based on the provided data source, I cannot reply."
"""What a person is told when a collection or a database has no answer."""


PASSAGES = Shape(
    "a list of passages, each { text: text, source: text }. When there is no answer it has one entry, which has "
    "besides: nothingFound: true, reply: the sentence for the person, refused: true (what was found does not answer), "
    "false (nothing was found) or null (nobody was asked).",
    (
        "When an entry has nothingFound, what a person reads is its reply, word for word, and nothing inferred.",
        "What a person reads names the source of each passage that it uses.",
    ),
)
"""What a knowledge node writes."""


class KnowledgeNode(Node):
    """Finds the passages that answer a question."""

    type: Annotated[Literal["knowledge"], Dsl(topic="knowledge")] = Field(description='"knowledge"')
    from_: Annotated[str, Dsl(ref="collection", label="Ask")] = Field(
        alias="from", description="The collection, by its name in requires.knowledge."
    )
    ask: Annotated[str, Field(min_length=1, max_length=20_000), Dsl(ref="template", widget="prompt")] = Field(
        description="The question, in words."
    )
    most: Annotated[int, Field(ge=1, le=MOST_PASSAGES), Dsl(widget="number", placeholder=str(MOST))] = Field(
        MOST, description="How many passages may come back."
    )
    output: Annotated[str, Dsl(ref="channel", writes=True, fits="list")] = Field(
        description="The channel that the passages are written to: [{ text, source }]."
    )


@rule("OUTPUT_NOT_FOR_PASSAGES")
def passages_are_a_list(draft: Draft, node: KnowledgeNode, path: str) -> Iterator[Finding]:
    """What a collection answers is a list of passages, even when it is one, or says that there is none."""
    channel = draft.channel(node.output)
    if channel is not None and channel.type not in ("list", "any"):
        yield (
            at(path, "output"),
            f"Knowledge node {quoted(node.id)} writes a list to {quoted(node.output)}, a channel of type "
            f"{quoted(channel.type)}.",
            'Give the channel the type "list".',
        )


class Knowledge(WrittenOnly):
    type = "knowledge"
    title = "Ask a collection"
    summary = "Finds the passages of a collection that answer a question."
    group = "data"
    icon = "book-open"
    since = "0.30"
    fields = KnowledgeNode
    rules = (passages_are_a_list,)

    def gives(self, node: KnowledgeNode) -> Shape:
        return PASSAGES
