"""An index node builds a collection anew, so that knowledge nodes find in it what is there now.

It writes `{ passages, model, dimensions }`: how many passages were made, and by which model they are found. The
collection's declaration says `"builds": true`, which is the permission. Usually the collection has a folder of its own,
said where the flow is deployed, and the node names no documents at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import WrittenOnly
from flows.problem import Finding, at, listed, quoted, rule
from flows.shapes import Shape
from flows.words.base import Dsl
from flows.words.node import Node
from flows.words.template import is_fixed
from flows.words.whereabouts import whereabouts

Method = Literal["fixed", "structure", "sentence", "paragraph", "page", "semantic"]

PLANNED = ("sentence", "paragraph", "page", "semantic")
"""Ways to split a document that are words already, and that nobody has built."""
BUILT = ("fixed", "structure")
SIZE = 1000
"""Characters in a passage when the node does not say it."""

_METHODS = {
    "fixed": "Counts characters, whatever the document says.",
    "structure": "Splits where headings and numbered clauses do.",
    "sentence": "Planned: whole sentences.",
    "paragraph": "Planned: whole paragraphs.",
    "page": "Planned: one page each.",
    "semantic": "Planned: where the subject changes.",
}


BUILT_SHAPE = Shape(
    "an object { passages: how many were made, model: the name of what indexed them, dimensions: number }.",
)
"""What an index node writes."""


class IndexNode(Node):
    """Builds a collection."""

    refuses: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("from", "folder", "path", "url", "source"),
        'What is built is said by "into"; its documents come from the collection\'s own folder, or from a channel in '
        '"documents".',
    )

    type: Annotated[Literal["index"], Dsl(topic="index")] = Field(description='"index"')
    into: Annotated[str, Dsl(ref="collection", label="Build")] = Field(
        description='The collection, by its name in requires.knowledge. There it says "builds": true.'
    )
    documents: Annotated[str | None, Dsl(ref="channel", fits="list")] = Field(
        None,
        description="A channel that holds the documents, each { title, source, text }. Left out: the collection's own "
        "folder.",
    )
    method: Annotated[Method, Dsl(widget="choice", label="Split by", says=_METHODS, planned=PLANNED)] = Field(
        "fixed", description="How a document becomes passages."
    )
    size: Annotated[int, Field(ge=100, le=20_000), Dsl(widget="number", placeholder=str(SIZE))] = Field(
        SIZE, description="How many characters a passage has at most."
    )
    built_from: Annotated[
        str, Field(min_length=1, max_length=500), Dsl(ref="template", widget="line", placeholder="the HR share")
    ] = Field(description="What it is built from, in words for people. They are kept with the collection.")
    output: Annotated[str, Dsl(ref="channel", writes=True, fits="object")] = Field(
        description="The channel that the result is written to: { passages, model, dimensions }."
    )


@rule("COLLECTION_NOT_BUILDABLE")
def building_is_allowed(draft: Draft, node: IndexNode, path: str) -> Iterator[Finding]:
    """A build replaces what others may be asking, so the flow says of a collection that it builds it."""
    known = draft.required("knowledge")
    declared = known.get(node.into) if known else None
    if isinstance(declared, dict) and declared.get("builds") is not True:
        yield (
            at(path, "into"),
            f"Index node {quoted(node.id)} builds the collection {quoted(node.into)}, which this flow only asks.",
            f'Add "builds": true to requires.knowledge.{node.into}, if replacing what is in it is meant.',
        )


@rule("METHOD_NOT_BUILT")
def methods_are_built(draft: Draft, node: IndexNode, path: str) -> Iterator[Finding]:
    """A planned way of splitting is a word already; nothing does it yet, and a build at night would be too late to
    learn that."""
    if node.method in PLANNED:
        yield (
            at(path, "method"),
            f"Index node {quoted(node.id)} splits by {quoted(node.method)}, which is planned and not built.",
            f"Use {listed(BUILT)}.",
        )


@rule("DOCUMENTS_NOT_WHOLE")
def documents_are_read_already(draft: Draft, node: IndexNode, path: str) -> Iterator[Finding]:
    """Documents are given with their text, never by address: nothing of a flow's may choose what is fetched here."""
    channel = draft.channel(node.documents or "")
    if channel is not None and channel.type not in ("list", "object", "any"):
        hint = "Name a list channel whose entries are { title, source, text }."
        if channel.type in ("file", "string"):
            hint = "Let a read node read it, and name the channel that it writes: { title, source, text }."
        yield (
            at(path, "documents"),
            f"Index node {quoted(node.id)} takes its documents from {quoted(channel.name)}, a channel of type "
            f"{quoted(channel.type)}.",
            hint,
        )


@rule("INVALID_DESCRIPTION")
def origin_is_a_phrase(draft: Draft, node: IndexNode, path: str) -> Iterator[Finding]:
    """builtFrom is read by people: a phrase, and no path or address."""
    place = whereabouts(node.built_from) if is_fixed(node.built_from) else ""
    if place:
        yield (
            at(path, "builtFrom"),
            f"Index node {quoted(node.id)} says that it builds from {quoted(place)}, which is a place.",
            'Say what it is, for whoever reads it: "the HR share".',
        )


@rule("OUTPUT_NOT_FOR_BUILD")
def result_is_an_object(draft: Draft, node: IndexNode, path: str) -> Iterator[Finding]:
    """What was built is told as one object."""
    channel = draft.channel(node.output)
    if channel is not None and channel.type not in ("object", "any") and not channel.appends:
        yield (
            at(path, "output"),
            f"Index node {quoted(node.id)} writes an object to {quoted(node.output)}, a channel of type "
            f"{quoted(channel.type)}.",
            'Give the channel the type "object".',
        )


class Index(WrittenOnly):
    type = "index"
    title = "Build a collection"
    summary = "Indexes documents, so that they can be asked."
    group = "data"
    icon = "boxes"
    since = "0.31"
    fields = IndexNode
    rules = (
        building_is_allowed,
        methods_are_built,
        documents_are_read_already,
        origin_is_a_phrase,
        result_is_an_object,
    )

    def gives(self, node: IndexNode) -> Shape:
        return BUILT_SHAPE
