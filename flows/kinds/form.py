"""A form node asks for several things at once, checked, and writes the answers as one object.

Its fields are written out, or are one template naming the channel that holds them: fields, or a JSON Schema that
is read as fields. A form that the person closes fails the node; onError says what then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Discriminator, Tag
from pydantic import Field as Declared

from flows.draft import Draft
from flows.kinds.base import Json, Kind, NodeFailed, Pause, Step, writes
from flows.problem import Finding, Rule, at, quoted, rule
from flows.words import fields as words
from flows.words.base import Dsl
from flows.words.document import Document
from flows.words.fields import Field, Fields
from flows.words.form import FieldsRefused, from_json_schema, prefilled
from flows.words.label import label
from flows.words.node import Node
from flows.words.template import only


def _written(fields: Json) -> str:
    return "<template>" if isinstance(fields, str) else "<fields>"


class FormNode(Node):
    """Asks for fields."""

    type: Annotated[Literal["form"], Dsl(topic="forms")] = Declared(description='"form"')
    title: Annotated[str, Declared(max_length=200), Dsl(ref="template", widget="line")] = Declared(
        "", description="The words above the form."
    )
    fields: Annotated[
        Annotated[str, Tag("<template>")] | Annotated[dict[str, Field], Declared(max_length=60), Tag("<fields>")],
        Discriminator(_written),
        Dsl(ref="template", widget="fields", topic="forms", shapes={"text": "0.17"}),
    ] = Declared(description="Name → field; or one template naming the channel that holds them.")
    output: Annotated[str, Dsl(ref="channel", writes=True, fits="object")] = Declared(
        description="The channel that the answers are written to, as one object."
    )


@rule("OUTPUT_NOT_FOR_FORM")
def answers_are_an_object(draft: Draft, node: FormNode, path: str) -> Iterator[Finding]:
    """A form's answers are one object, name → value."""
    channel = draft.channel(node.output)
    if channel is not None and channel.type not in ("object", "any") and not channel.appends:
        yield (
            at(path, "output"),
            f"Form node {quoted(node.id)} writes an object to {quoted(node.output)}, a channel of type "
            f"{quoted(channel.type)}.",
            'Give the channel the type "object".',
        )


@rule("FIELDS_NOT_A_CHANNEL")
def template_names_a_channel(draft: Draft, node: FormNode, path: str) -> Iterator[Finding]:
    """Fields in text are exactly one template: what the channel holds is what is asked for."""
    if isinstance(node.fields, str) and only(node.fields) is None:
        yield (
            at(path, "fields"),
            f"The fields of form node {quoted(node.id)} are the text {quoted(node.fields)}.",
            'Write the fields out, or name the channel that holds them: "{{tool_schema}}".',
        )


def _of_fields(inner: Rule) -> Rule:
    """A rule about fields, as a rule about the node that has them."""

    def find(draft: Draft, node: FormNode, path: str) -> Iterator[Finding]:
        if not isinstance(node.fields, str):
            yield from inner.find(node.fields, at(path, "fields"))

    return inner.on(find)


class Form(Kind):
    type = "form"
    title = "Form"
    summary = "Asks for several things at once."
    group = "people"
    icon = "clipboard-list"
    since = "0.10"
    fields = FormNode
    rules = (
        *map(_of_fields, words.RULES),
        answers_are_an_object,
        template_names_a_channel,
    )

    def stops(self, node: FormNode, document: Document) -> bool:
        return True

    def pause(self, node: FormNode, step: Step) -> Pause | None:
        if "form" in step.answers:
            return None
        fields = _fields(node, step)
        return Pause(
            "form",
            "form",
            {
                "title": step.fill(node.title) or label(node.id),
                "fields": {name: field.plain() for name, field in fields.items()},
                "values": prefilled(fields, {}),
            },
        )

    async def run(self, node: FormNode, step: Step) -> dict[str, Json]:
        given = step.answers["form"]
        if given.closed:
            raise NodeFailed(f"The form {quoted(step.fill(node.title) or label(node.id))} was closed.", "FORM_CLOSED")
        return writes(step, {node.output: given.value}, f"Form node {quoted(node.id)}")


def _fields(node: FormNode, step: Step) -> Fields:
    """What the form asks for at this visit. Raises NodeFailed naming the channel when that is nothing."""
    if not isinstance(node.fields, str):
        return node.fields
    channel = only(node.fields) or node.fields
    held = step.value(node.fields)
    if not held:
        raise NodeFailed(
            f"The form of {quoted(node.id)} has nothing to ask for: the channel {quoted(channel)} is empty.",
            "FORM_EMPTY",
        )
    try:
        fields = from_json_schema(held)
    except FieldsRefused as refused:
        raise NodeFailed(
            f"The form of {quoted(node.id)} cannot be shown. Its fields come from {quoted(channel)}, and "
            f"{refused.message}.",
            "FORM_UNREADABLE",
        ) from None
    if not fields:
        raise NodeFailed(
            f"The form of {quoted(node.id)} has nothing to ask for: {quoted(channel)} holds no fields.", "FORM_EMPTY"
        )
    return fields
