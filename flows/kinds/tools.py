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
from flows.kinds.base import Called, Given, Json, Kind, NodeFailed, Pause, Step, writes
from flows.problem import Finding, at, quoted, rule
from flows.words import arguments, queue
from flows.words.base import Dsl
from flows.words.callables import inputs_of, own_names, takes_inputs
from flows.words.document import Document
from flows.words.form import prefilled
from flows.words.label import label
from flows.words.node import Node
from flows.words.queue import Queued, QueueRefused


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


class Tools(Kind):
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

    def queue(self, node: ToolsNode) -> str:
        return node.calls

    def clears(self, node: ToolsNode) -> list[str]:
        return [node.calls] if node.clear else []

    def acts_by(self, node: ToolsNode) -> dict[str, Json]:
        return {"calls": f"{{{{{node.calls}}}}}"}

    def pause(self, node: ToolsNode, step: Step) -> Pause | None:
        calls = _queue(node, step)
        if any(given.closed for given in step.answers.values()):
            return None
        for call in calls:
            inputs, slot = inputs_of(step.flow, call.name), f"args:{call.place}"
            if call.wrong or step.off(call.name) or slot in step.answers or not queue.errors(call, inputs):
                continue
            known = arguments.known(call.args)
            mine = [one for one in calls if one.name == call.name]
            nth = f" {mine.index(call) + 1} of {len(mine)}" if len(mine) > 1 else ""
            fields = {name: field.plain() for name, field in inputs.items()}
            body = {"title": f"{label(call.name)}{nth}: details", "fields": fields, "values": prefilled(inputs, known)}
            return Pause(slot, "form", body)
        return None

    def taken(self, node: ToolsNode, step: Step, slot: str, given: Given) -> dict[str, Json]:
        if given.closed or not slot.startswith("args:"):
            return {}
        held, place = step.state[node.calls], int(slot.removeprefix("args:"))
        name = _queue(node, step)[place].name
        return {node.calls: queue.completed(held, place, inputs_of(step.flow, name), given.value)}

    def approves_nothing(self, node: ToolsNode, step: Step) -> bool:
        return not step.state.get(node.calls)

    async def run(self, node: ToolsNode, step: Step) -> dict[str, Json]:
        calls = _queue(node, step)
        if any(given.closed for given in step.answers.values()):
            raise NodeFailed(f"A form of {quoted(node.id)} was closed, so nothing was called.", "FORM_CLOSED")
        results: list[Json] = []
        for call in calls:
            inputs = inputs_of(step.flow, call.name)
            made = Called(error=call.wrong or step.off(call.name))
            if not made.error:
                args, errors = arguments.complete(inputs, call.args)
                refused = "; ".join(f"{quoted(name)}: {words}" for name, words in errors.items())
                made = Called(error=refused) if refused else await step.attempt(call.name, args, str(call.place + 1))
            entry = {"id": call.id, "name": call.name, "result": made.result, "error": made.error or None}
            results.append(entry)
        return writes(step, {node.output: results}, f"Tools node {quoted(node.id)}")


def _queue(node: ToolsNode, step: Step) -> list[Queued]:
    """The calls that wait. Raises NodeFailed naming the channel when that is no queue."""
    known = {name: inputs_of(step.flow, name) for name in own_names(step.flow)}
    try:
        return queue.read(step.state.get(node.calls), known)
    except QueueRefused as refused:
        raise NodeFailed(
            f"Tools node {quoted(node.id)} made no call. Its queue is the channel {quoted(node.calls)}, and "
            f"{refused.message}.",
            "QUEUE_UNREADABLE",
        ) from None
