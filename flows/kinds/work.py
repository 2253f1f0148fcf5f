"""A work node gives a model tools and lets it call them itself, one after another, until it has an answer.

It is one node in place of a loop: the model that answers is the model that called, so it cannot tell of work that
nobody did. A tool that it needs and has not got is said, and never imagined. Let it read freely, and stop it with
`approve` where something changes; a refusal goes back to the model as that call's result.

Where its output is one of the flow's and holds text, people see the answer word by word. What the model says beside a
call is no answer: it is gone again when the call is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.desk import Desk
from flows.draft import Draft
from flows.kinds.base import Json, Kind, NodeFailed, Step, Unfinished, writes
from flows.kinds.llm import json_in
from flows.problem import Finding, at, listed, quoted, rule
from flows.words.base import Dsl
from flows.words.callables import expanded, takes_inputs
from flows.words.document import Document
from flows.words.node import Node

ROUNDS = 8
"""How often the model is asked when the node does not say it."""
MOST_ROUNDS = 100


class WorkNode(Node):
    """Lets a model call tools until it has an answer."""

    type: Annotated[Literal["work"], Dsl(topic="work")] = Field(description='"work"')
    prompt: Annotated[str, Field(min_length=1, max_length=100_000), Dsl(ref="template", widget="prompt")] = Field(
        description="What the model should do, written as if a person were to do it."
    )
    tools: Annotated[
        list[Annotated[str, Dsl(ref="tool")]],
        Field(min_length=1, max_length=200),
        Dsl(ref="tool", label="May call", servers=True),
    ] = Field(description="Tools by their names, or MCP servers by theirs: every tool that the flow declares on one.")
    output: Annotated[str, Dsl(ref="channel", writes=True, fits="string")] = Field(
        description="The channel that the answer is written to."
    )
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS), Dsl(widget="number", placeholder=str(ROUNDS))] = Field(
        ROUNDS, description="How often the model may be asked; a node that gets there without an answer fails."
    )
    approve: Annotated[
        list[Annotated[str, Dsl(ref="tool")]],
        Field(max_length=200),
        Dsl(ref="tool", label="Wait for a person before"),
    ] = Field(default_factory=list, description="The tools whose calls a person decides about before they are made.")
    ask: Annotated[str, Field(max_length=4000), Dsl(ref="template", widget="prompt", label="Question on the card")] = (
        Field("", description="The question on the card that shows such a call.")
    )
    show: Annotated[
        list[Annotated[str, Dsl(ref="channel")]], Field(max_length=50), Dsl(ref="channel", label="Shows")
    ] = Field(default_factory=list, description="The channels shown beside the call.")
    needs: Annotated[
        str | None, Field(min_length=1, max_length=64), Dsl(widget="line", since="0.27", label="Policy")
    ] = Field(None, description="The policy that these approvals ask for: a free name that the deployment maps.")


@rule("OUTPUT_NOT_FOR_ANSWER")
def answer_fits_channel(draft: Draft, node: WorkNode, path: str) -> Iterator[Finding]:
    """The answer is text, or the JSON object or list in it; it is never a number or a file."""
    channel = draft.channel(node.output)
    if channel is not None and channel.type in ("number", "boolean", "file"):
        yield (
            at(path, "output"),
            f"Work node {quoted(node.id)} writes text to {quoted(node.output)}, a channel of type "
            f"{quoted(channel.type)}.",
            "Write to a string channel.",
        )


@rule("APPROVE_NOT_CALLED")
def approved_tools_are_given(draft: Draft, node: WorkNode, path: str) -> Iterator[Finding]:
    """Only a call that the node may make can wait for a person."""
    given = [tool for name in node.tools for tool in sorted(draft.servers.get(name, {name}))]
    for position, name in enumerate(node.approve):
        if name in given or "tools" in draft.lost or not (name in draft.tool_names or name in draft.servers):
            continue
        if name in draft.servers:
            message = f"Work node {quoted(node.id)} lists {quoted(name)} in approve, which is a server and no tool."
            hint = f"Name the tools: {listed(sorted(draft.servers[name]), 'and')}."
        else:
            message = f"Work node {quoted(node.id)} lists {quoted(name)} in approve, and may not call it."
            hint = f'Add {quoted(name)} to its "tools", or remove it from "approve".'
        yield at(path, "approve", position), message, hint


@rule("CARD_NEVER_SHOWN", "warning")
def cards_have_a_call(draft: Draft, node: WorkNode, path: str) -> Iterator[Finding]:
    """ask, show and needs speak of the card before a call; without approve there is no card."""
    said = [key for key in ("ask", "show", "needs") if getattr(node, key)]
    if said and not node.approve:
        yield (
            at(path, said[0]),
            f"Work node {quoted(node.id)} says {listed(said, 'and')}, and no call of it waits for a person.",
            'List the tools that need a person in "approve".',
        )


class Work(Kind):
    type = "work"
    title = "Work"
    summary = "Lets a model call tools until it has an answer."
    group = "model"
    icon = "brain"
    since = "0.24"
    fields = WorkNode
    rules = (answer_fits_channel, approved_tools_are_given, cards_have_a_call)
    calls = True

    def may_call(self, node: WorkNode, document: Document) -> list[str]:
        return expanded(document, node.tools)

    def stops(self, node: WorkNode, document: Document) -> bool:
        called = self.may_call(node, document)
        return bool(node.approval or node.approve) or any(takes_inputs(document, name) for name in called)

    def streams(self, node: WorkNode) -> str | None:
        return node.output

    def rests(self, node: WorkNode) -> bool:
        return True

    async def run(self, node: WorkNode, step: Step) -> dict[str, Json] | Unfinished:
        """One round: the calls that the model's last turn wants are made, and the model is asked again.

        Each round is kept before the next begins, so a worker that ends repeats no call and asks nothing twice.
        """
        desk = Desk(node, step, await step.offers(self.may_call(node, step.flow)))
        kept, pause = await desk.work_off(step.kept or desk.begin())
        if pause is not None:
            return Unfinished(kept, pause)
        told = await desk.messages(kept)
        turn = await step.converse(told, desk.functions)
        if not turn.calls:
            return _written(node, step, turn.text)
        if kept["round"] + 1 >= min(node.rounds, step.most_rounds):
            if step.most_rounds < node.rounds:
                raise NodeFailed(
                    f"Work node {quoted(node.id)} asked its model {step.most_rounds} times, as often as this agent's "
                    "settings allow, and got no answer. The calls of its last turn were not made. Raise the limit "
                    "there, or ask for less.",
                    "WORK_ROUNDS",
                )
            raise NodeFailed(
                f"Work node {quoted(node.id)} asked its model {node.rounds} times and got no answer; the model still "
                'wants to call tools. The calls of its last turn were not made. Raise "rounds", or ask for less.',
                "WORK_ROUNDS",
            )
        return Unfinished(desk.taken(kept, told, turn))


def _written(node: WorkNode, step: Step, text: str) -> dict[str, Json]:
    channel = step.flow.state[node.output]
    value = json_in(text, channel, node.output) if channel.type in ("object", "list") else text
    return writes(step, {node.output: value}, f"Work node {quoted(node.id)}")
