"""A read node turns a document into text: a file that a person gave, or what stands at an address.

It writes `{ title, source, mediaType, pages, chars, truncated, text }`, and needs neither a model nor code. With
nothing new to read it writes nothing, so a channel that remembers keeps the document for the rest of the
conversation.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import Json, Kind, NodeFailed, Step, writes
from flows.problem import Finding, at, quoted, rule
from flows.shapes import Shape
from flows.words.base import Dsl, shape
from flows.words.node import Node
from flows.words.template import is_fixed, only

MOST_CHARS = 100_000
"""How much of a document is read when the node does not say it."""
DOCUMENT = Shape(
    "an object { title: text, source: the name or the address, mediaType: text, pages: number or null, chars: how many "
    "characters the document has, truncated: true when its text was cut, text: text }. In a PDF each page begins with "
    "[page N]. It is empty while nothing was read.",
)
"""What a read node writes."""

_HERE = ("localhost", "localhost.localdomain", "ip6-localhost")


class ReadNode(Node):
    """Reads a document into a channel."""

    type: Annotated[Literal["read"], Dsl(topic="read")] = Field(description='"read"')
    from_: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=2000), Dsl(ref="template", widget="line")]],
        Field(min_length=1, max_length=20),
        Dsl(ref="template", label="Sources", placeholder="{{document}}"),
    ] = Field(
        alias="from",
        description="Where it may come from; the first with something in it is read. A template is what a message "
        "brings, a file or a link; any other is the address of one document that this agent is about.",
    )
    output: Annotated[str, Dsl(ref="channel", writes=True, fits="object")] = Field(
        description="The channel that the document is written to."
    )
    max_chars: Annotated[
        int, Field(ge=1, le=1_000_000), Dsl(widget="number", label="Most characters", placeholder=str(MOST_CHARS))
    ] = Field(MOST_CHARS, description="How much of its text is kept. What is left out is said in the document.")
    allow_private: Annotated[bool, Dsl(widget="switch", label="Addresses on this machine too")] = Field(
        False, description="Whether addresses on this machine and its network may be read."
    )


@rule("SOURCE_NOT_READABLE")
def sources_can_be_read(draft: Draft, node: ReadNode, path: str) -> Iterator[Finding]:
    """A source is a file or a link that a message brings, or a web address that everybody may open."""
    for position, source in enumerate(node.from_):
        here = at(path, "from", position)
        channel = draft.channel(only(source) or "")
        if channel is not None and channel.type in ("number", "boolean", "list"):
            yield (
                here,
                f"Read node {quoted(node.id)} takes a document from {quoted(channel.name)}, a channel of type "
                f"{quoted(channel.type)}.",
                "Name a file channel, or a string channel that holds a link. For a list, let a fan-out run the node.",
            )
        elif is_fixed(source):
            fault = _fault(source, node.allow_private)
            if fault:
                yield here, f"Read node {quoted(node.id)} reads {quoted(source)}, which {fault[0]}.", fault[1]


def _fault(source: str, private: bool) -> tuple[str, str] | None:
    """Why a fixed source cannot be read, and what to do."""
    web = "Write an address that begins with https:// or http://, or the template of a channel: {{document}}."
    try:
        parts = urlsplit(source.strip())
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return "is no address", web
    if parts.scheme not in ("http", "https") or not host:
        return "is no web address", web
    if not private and _is_private(host):
        return (
            "is an address on this machine or its network",
            'Use a public address, or add "allowPrivate": true where the document is meant to lie here.',
        )
    return None


def _is_private(host: str) -> bool:
    """Does the name itself say that it lies here? What a public name leads to is seen when it is read."""
    if host.lower() in _HERE or host.lower().endswith(".localhost"):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False


@rule("OUTPUT_NOT_FOR_DOCUMENT")
def document_is_an_object(draft: Draft, node: ReadNode, path: str) -> Iterator[Finding]:
    """A document is an object: its text, and what it is, where it came from and whether all of it was read."""
    channel = draft.channel(node.output)
    if channel is not None and channel.type not in ("object", "any") and not channel.appends:
        yield (
            at(path, "output"),
            f"Read node {quoted(node.id)} writes an object to {quoted(node.output)}, a channel of type "
            f"{quoted(channel.type)}.",
            f'Give the channel the type "object". Its text is then {{{{{node.output}.text}}}}.',
        )


@rule("DOCUMENT_NOT_REMEMBERED", "warning")
def documents_are_kept(draft: Draft, node: ReadNode, path: str) -> Iterator[Finding]:
    """A message that brings no document is about the one before it, which is gone unless its channel remembers."""
    channel = draft.channel(node.output)
    if channel is None or channel.remembers or channel.type not in ("object", "any") or node.id in draft.copied:
        return
    if draft.document.conversation:
        yield (
            at("state", channel.name),
            f"Read node {quoted(node.id)} writes {quoted(channel.name)}, which is empty again at the next message of "
            "the conversation.",
            f'Give {quoted(channel.name)} "remembers": true.',
        )


class Read(Kind):
    type = "read"
    title = "Read"
    summary = "Reads a document: a file that somebody gave, or a web page."
    group = "data"
    icon = "file-text"
    fields = ReadNode
    rules = (sources_can_be_read, document_is_an_object, documents_are_kept)

    def gives(self, node: ReadNode) -> Shape:
        return DOCUMENT

    async def run(self, node: ReadNode, step: Step) -> dict[str, Json]:
        source = self._source(node, step)
        if source is None:
            return {}
        document = await step.document(source, node.max_chars, node.allow_private)
        return writes(step, {node.output: document}, f"Read node {quoted(node.id)}")

    def _source(self, node: ReadNode, step: Step) -> Json:
        """What is to be read: the first source with something in it, else the fixed one while there is no document."""
        fixed: str | None = None
        for text in node.from_:
            if is_fixed(text):
                fixed = fixed or text.strip()
                continue
            found = step.value(text)
            found = found.strip() if isinstance(found, str) else found
            if not found:
                continue
            if not isinstance(found, str | dict):
                raise NodeFailed(
                    f"Read node {quoted(node.id)} was given {shape(found)}, which is neither a file nor an address.",
                    "SOURCE_NOT_READABLE",
                )
            return found
        return None if step.state.get(node.output) else fixed
