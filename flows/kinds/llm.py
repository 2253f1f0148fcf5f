"""An llm node fills its prompt from the state, asks the model, and writes the answer to its output.

With a schema only an answer that fits is written; without one the reply's text is, or the JSON in it when the
output is an object or a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import (
    Ended,
    Json,
    Kind,
    ModelReply,
    NodeFailed,
    Pause,
    Prompt,
    Step,
    Unfinished,
    ended,
    writes,
)
from flows.problem import Finding, Rule, at, quoted, rule
from flows.words import answer, needs
from flows.words.answer import NoJson, Schema, extract_json
from flows.words.base import Dsl
from flows.words.channel import Channel
from flows.words.form import prefilled
from flows.words.label import label
from flows.words.names import END
from flows.words.node import Node


class LlmNode(Node):
    """Asks the model."""

    type: Annotated[Literal["llm"], Dsl(topic="llm")] = Field(description='"llm"')
    prompt: Annotated[str, Field(min_length=1, max_length=100_000), Dsl(ref="template", widget="prompt")] = Field(
        description="What the model should do, written as if a person were to answer."
    )
    output: Annotated[str, Dsl(ref="channel", writes=True, fits="string,schema.type")] = Field(
        description="The channel that the answer is written to."
    )
    answer: Annotated[Schema | None, Dsl(widget="schema", since="0.15", topic="llm", label="Shape of the answer")] = (
        Field(None, alias="schema", description="The exact shape that the model must answer in.")
    )
    asks: Annotated[bool, Dsl(widget="switch", since="0.17", topic="llm", label="May ask for details")] = Field(
        False, description="Whether the model may put a form before the person instead of answering at once."
    )
    on_cancel: Annotated[
        str | None,
        Field(min_length=1, max_length=2000),
        Dsl(widget="line", since="0.17", topic="llm", label="When that form is closed, say"),
    ] = Field(
        None, description="With asks: the words that the flow shows when the form is closed, which ends the turn there."
    )


@rule("SCHEMA_NOT_FOR_CHANNEL")
def schema_agrees_with_channel(draft: Draft, node: LlmNode, path: str) -> Iterator[Finding]:
    """What the model must send and what the channel holds cannot be two things."""
    channel = draft.channel(node.output)
    if node.answer is None or channel is None or _agrees(node.answer, channel):
        return
    yield (
        at(path, "schema"),
        f"LLM node {quoted(node.id)} schema type {quoted(node.answer.type)} is incompatible with output channel "
        f"{quoted(node.output)} of type {quoted(channel.type)}.",
        f"Give the channel the type {quoted(node.answer.type)}, or change the schema.",
    )


@rule("OUTPUT_NOT_FOR_ANSWER")
def reply_fits_channel(draft: Draft, node: LlmNode, path: str) -> Iterator[Finding]:
    """Without a schema the reply is text, or the JSON object or list in it; it is never a number or a file."""
    channel = draft.channel(node.output)
    if node.answer is None and channel is not None and channel.type in ("number", "boolean", "file"):
        hint = "Write to a string channel."
        if channel.type != "file":
            hint = f'Add "schema": {{ "type": "{channel.type}" }}, or write to a string channel.'
        yield (
            at(path, "output"),
            f"LLM node {quoted(node.id)} writes text to {quoted(node.output)}, a channel of type "
            f"{quoted(channel.type)}.",
            hint,
        )


@rule("ON_CANCEL_UNUSED", "warning")
def cancel_needs_a_form(draft: Draft, node: LlmNode, path: str) -> Iterator[Finding]:
    """onCancel says what closing the form means; a node that never asks has no form to close."""
    if node.on_cancel is not None and not node.asks:
        yield (
            at(path, "onCancel"),
            f'LLM node {quoted(node.id)} says "onCancel", and it never asks, so nobody can close its form.',
            'Add "asks": true, or remove "onCancel".',
        )


@rule("ASKS_ON_REPORT", "warning")
def deciding_nodes_ask(draft: Draft, node: LlmNode, path: str) -> Iterator[Finding]:
    """What is missing is asked for where it is decided what to do; a node that only reports comes too late."""
    last = draft.ways.get(node.id) == [END] and node.output in draft.document.outputs
    if node.asks and last and any(isinstance(each, LlmNode) and each.id != node.id for _, each in draft.nodes):
        yield (
            at(path, "asks"),
            f"LLM node {quoted(node.id)} asks for details, and all it does is report at the end.",
            'Put "asks" on the node that decides what is to be done.',
        )


def _agrees(schema: Schema, channel: Channel) -> bool:
    # One copy of a fan-out, and any other step that gathers, adds its one entry to a list that appends.
    return channel.type in (schema.type, "any") or channel.appends


def _of_schema(inner: Rule) -> Rule:
    """A rule about a schema, as a rule about the node that has it."""

    def find(draft: Draft, node: LlmNode, path: str) -> Iterator[Finding]:
        if node.answer is not None:
            yield from inner.find(node.answer, at(path, "schema"))

    return inner.on(find)


class Llm(Kind):
    type = "llm"
    title = "Model"
    summary = "Asks the model and keeps its answer."
    group = "model"
    icon = "sparkles"
    fields = LlmNode
    rules = (
        *map(_of_schema, answer.RULES),
        schema_agrees_with_channel,
        reply_fits_channel,
        cancel_needs_a_form,
        deciding_nodes_ask,
    )

    def streams(self, node: LlmNode) -> str | None:
        return node.output if node.answer is None else None

    def rests(self, node: LlmNode) -> bool:
        return node.asks

    async def run(self, node: LlmNode, step: Step) -> dict[str, Json] | Unfinished | Ended:
        if node.asks:
            return await _with_asking(node, step)
        return _written(node, step, await _reply(node, step, None))


def _plain(node: LlmNode, step: Step) -> bool:
    """Is the answer the reply's own text?"""
    return node.answer is None and step.flow.state[node.output].type not in ("object", "list")


async def _reply(node: LlmNode, step: Step, said: list[Json] | None) -> ModelReply:
    schema = node.answer.plain() if node.answer is not None else None
    channel = node.output if _plain(node, step) else None
    return await step.model(Prompt(step.fill(node.prompt), schema, where=node.output, channel=channel, said=said))


def _written(node: LlmNode, step: Step, reply: ModelReply) -> dict[str, Json]:
    value = reply.value if node.answer is not None else reply.text
    if node.answer is None and not _plain(node, step):
        value = json_in(reply.text, step.flow.state[node.output], node.output)
    return writes(step, {node.output: value}, f"LLM node {quoted(node.id)}")


async def _with_asking(node: LlmNode, step: Step) -> dict[str, Json] | Unfinished | Ended:
    """Up to three forms before the answer. What was said and typed is kept, so that no later telling changes it."""
    kept: Json = step.kept or {"said": []}
    said: list[Json] = kept["said"]
    if "slot" in kept:
        given = step.answers[kept["slot"]]
        if given.closed:
            return _let_go(node, step)
        said = [*said, {"reply": kept["reply"], "answer": given.value}]
    reply = await _reply(node, step, said)
    if reply.needs is None:
        return _written(node, step, reply)
    if len(said) >= needs.MOST_TIMES:
        raise NodeFailed(
            f"The model was given {len(said)} forms, asked for more, and gave no answer for {quoted(node.output)}.",
            "MODEL_SHAPE",
        )
    slot = f"needs:{len(said) + 1}"
    body: dict[str, Json] = {
        "title": label(node.id),
        "why": reply.needs.why,
        "fields": {name: field.plain() for name, field in reply.needs.fields.items()},
        "values": prefilled(reply.needs.fields, {}),
    }
    return Unfinished({"said": said, "reply": reply.text, "slot": slot}, Pause(slot, "form", body))


def _let_go(node: LlmNode, step: Step) -> dict[str, Json] | Ended:
    """The person closed the form: the node writes nothing, and the turn ends with the words for that if it has any."""
    if node.on_cancel is None:
        return {}
    return ended(step.flow, node.on_cancel, [node.output])


def json_in(text: str, channel: Channel, output: str) -> Json:
    """The JSON in a reply, of the channel's shape; an entry alone will do for a list that appends."""
    wanted: tuple[Literal["object", "list"], ...] = ("object",) if channel.type == "object" else ("list",)
    if channel.type == "list" and channel.appends:
        wanted = ("list", "object") if text.lstrip().startswith("[") else ("object", "list")
    failure = ""
    for kind in wanted:
        try:
            return extract_json(text, kind)
        except NoJson as missing:
            failure = failure or missing.message
    raise NodeFailed(f"The model's answer for {quoted(output)} is not usable. {failure}", "ANSWER_NOT_JSON")
