"""Advice on how a flow meets people: what they give at the start, and what they are asked later."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flows.blocks.base import Beside
from flows.draft import Draft
from flows.kinds.ask import AskNode
from flows.kinds.form import FormNode
from flows.problem import Finding, at, quoted, rule

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@rule("START_ASKS", "warning")
def what_comes_first_is_an_input(draft: Draft) -> Iterator[Finding]:
    """What a person gives at the start is an input: the chat has a box for it, and a trigger and another flow can give
    it too. A node asks for what is learned later, or for several details at once."""
    for index, node in draft.nodes:
        if node.id != draft.document.start:
            continue
        # A question about something that is shown, or with buttons, is put by the flow: a quiz begins so.
        if isinstance(node, AskNode) and not node.show and node.id not in _with_buttons(draft):
            yield (
                at("nodes", index),
                f"The run starts at ask node {quoted(node.id)}, and what a person gives at the start is an input.",
                f'Put {quoted(node.output)} into "inputs" and start at the next node; for several details at once, '
                "start at a form node.",
            )
        elif isinstance(node, FormNode) and _asks_one_thing(node):
            yield (
                at("nodes", index, "fields"),
                f"The run starts at form node {quoted(node.id)}, which asks one question that is answered in words.",
                "Make it an input, which the chat has a box for. A form is for several details, a choice, a number or "
                "a date.",
            )


def _with_buttons(draft: Draft) -> set[str | None]:
    """The questions that have buttons."""
    return {view.place.with_ for _, view in draft.views if isinstance(view.place, Beside)}


def _asks_one_thing(node: FormNode) -> bool:
    if not isinstance(node.fields, dict) or len(node.fields) != 1:
        return False
    (field,) = node.fields.values()
    return field.type in ("string", "text") and not field.options


@rule("ANSWER_UNREAD", "warning")
def answers_are_read(draft: Draft) -> Iterator[Finding]:
    """A question whose answer nothing reads only shows something. Outputs are shown at the end, and what is shown
    while the flow runs is a view: neither stops a run."""
    document = draft.document
    if not draft.whole or not any(isinstance(node, AskNode) for _, node in draft.nodes):
        return
    named = {*document.outputs, *(each.name for each in draft.reads if not each.writes)}
    for words in (
        *(node.description for _, node in draft.nodes),
        *(sentence for edge in document.routers() for sentence in edge.when.values()),
    ):
        named.update(_IDENTIFIER.findall(words))
    for index, node in draft.nodes:
        if isinstance(node, AskNode) and node.output not in named and node.output in draft.channel_names:
            yield (
                at("nodes", index, "output"),
                f"Nothing reads {quoted(node.output)}, what a person answers to ask node {quoted(node.id)}.",
                "Read it further on, or leave the node out: outputs are shown when the run ends, and a view shows "
                "something while it runs.",
            )


RULES = (what_comes_first_is_an_input, answers_are_read)
