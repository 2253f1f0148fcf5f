"""A tools node makes every call that is queued in a channel: `[{ "name", "args", "id" }]`, the `id` only where wished.

It writes one entry for each call: `[{ "id", "name", "result", "error" }]`. A call that fails stops no other; its error
stands in its own entry. The queue is emptied afterwards, unless `clear` is false. Use it where a model picks the calls,
or where many calls wait for one approval.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import WrittenOnly
from flows.problem import Finding, at, quoted, rule
from flows.words.base import Dsl
from flows.words.callables import own_names, takes_inputs
from flows.words.document import Document
from flows.words.node import Node


class ToolsNode(Node):
    """Makes every call in a queue."""

    type: Annotated[Literal["tools"], Dsl(topic="tools")] = Field(description='"tools"')
    calls: Annotated[str, Dsl(ref="channel", fits="list", label="Queue")] = Field(
        description="The channel that holds the calls: [{ name, args, id? }], each with its arguments flat in args."
    )
    output: Annotated[str, Dsl(ref="channel", writes=True, fits="list", label="Results")] = Field(
        description="The channel that the results are written to: [{ id, name, result, error }], one for each call."
    )
    clear: Annotated[bool, Dsl(widget="switch", label="Empty the queue afterwards")] = Field(
        True, description="Whether the queue is emptied once its calls were made; false keeps it."
    )


@rule("QUEUE_NOT_A_LIST")
def calls_are_a_list(draft: Draft, node: ToolsNode, path: str) -> Iterator[Finding]:
    """A queue is a list of calls, so the channel holds a list."""
    channel = draft.channel(node.calls)
    if channel is not None and channel.type not in ("list", "any"):
        yield (
            at(path, "calls"),
            f"Tools node {quoted(node.id)} takes its calls from {quoted(node.calls)}, a channel of type "
            f"{quoted(channel.type)}.",
            'Give the channel the type "list"; each entry is one call: { "name": …, "args": { … } }.',
        )


@rule("OUTPUT_NOT_FOR_RESULTS")
def results_are_a_list(draft: Draft, node: ToolsNode, path: str) -> Iterator[Finding]:
    """Results are a list with one entry for each call, in a channel of their own."""
    channel = draft.channel(node.output)
    if channel is not None and channel.type not in ("list", "any"):
        yield (
            at(path, "output"),
            f"Tools node {quoted(node.id)} writes a list to {quoted(node.output)}, a channel of type "
            f"{quoted(channel.type)}.",
            'Give the channel the type "list".',
        )
    if node.output == node.calls:
        yield (
            at(path, "output"),
            f"Tools node {quoted(node.id)} writes its results to {quoted(node.output)}, which is its queue.",
            "Write them to a list channel of their own.",
        )


@rule("NO_TOOLS")
def something_can_be_called(draft: Draft, node: ToolsNode, path: str) -> Iterator[Finding]:
    """The flow's list of tools is the permission; where there is none, every call in the queue would be refused."""
    if not draft.tool_names and "tools" not in draft.lost:
        yield (
            at(path, "calls"),
            f"Tools node {quoted(node.id)} may call nothing: the flow declares no tools.",
            'Add what it may call to "tools".',
        )


class Tools(WrittenOnly):
    type = "tools"
    title = "Tool batch"
    summary = "Makes every call that is queued in a channel."
    group = "tools"
    icon = "list-checks"
    fields = ToolsNode
    rules = (calls_are_a_list, results_are_a_list, something_can_be_called)
    calls = True

    def may_call(self, node: ToolsNode, document: Document) -> list[str]:
        return own_names(document)

    def stops(self, node: ToolsNode, document: Document) -> bool:
        return node.approval is not None or any(takes_inputs(document, name) for name in own_names(document))
