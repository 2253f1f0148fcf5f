"""An agent node hands a job to an agent that is chosen while the run goes on.

An agent is a flow with a contract: its description, inputs and outputs. `agents` is the permission, by name; which
flow a name means is said by the registry beside the project, `agents.json`. Where the child is known while you write,
use a flow node: it is checked earlier. Nothing ever falls back to another agent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from flows.draft import Draft
from flows.kinds.base import Callee, Kind, NodeFailed, Step, writes
from flows.problem import Finding, at, listed, quoted, rule, suggestion
from flows.words.agents import names_fault
from flows.words.base import Dsl, Json, shape
from flows.words.node import Node
from flows.words.template import is_fixed, only

NOTHING: tuple[Json, ...] = (None, "", [], {})


def _written(value: Json) -> str:
    return "<template>" if isinstance(value, str) else "<values>"


class AgentNode(Node):
    """Hands a job to an agent chosen at run time."""

    type: Annotated[Literal["agent"], Dsl(topic="agents")] = Field(description='"agent"')
    agents: Annotated[
        list[Annotated[str, Dsl(widget="agent")]],
        Field(min_length=1, max_length=50),
        Dsl(widget="list", label="May call"),
    ] = Field(description="The names of the agents that it may call, and of no others.")
    agent: Annotated[
        str, Field(min_length=1, max_length=300), Dsl(ref="template", widget="prompt", placeholder="{{decision.agent}}")
    ] = Field(description="Which of them, this time: one template, or a name.")
    input: Annotated[
        Annotated[str, Tag("<template>")] | Annotated[dict[str, Json], Field(max_length=100), Tag("<values>")],
        Discriminator(_written),
        Dsl(ref="template", label="Its inputs"),
    ] = Field(
        default_factory=dict,
        description="What it is called with: each input → its value, or one template that holds them all as an object.",
    )
    output: Annotated[str, Dsl(ref="channel", writes=True, fits="object")] = Field(
        description="The channel that gets everything the agent gives back, and `agent`, the name of who answered."
    )


def fixed(node: AgentNode) -> str:
    """The agent's name, where it is the same every time; "" where it is chosen."""
    return node.agent if is_fixed(node.agent) else ""


@rule("AGENT_NAME_INVALID")
def agents_are_named(draft: Draft, node: AgentNode, path: str) -> Iterator[Finding]:
    """Agents are called by name, never by address; which flow a name means is the registry's to say."""
    for position, name in enumerate(node.agents):
        fault = names_fault(name)
        if fault:
            yield (
                at(path, "agents", position),
                f"Agent node {quoted(node.id)} lists {quoted(name)}, which {fault}.",
                'Use the name that the registry, "agents.json", gives the agent.',
            )


@rule("AGENT_NOT_ALLOWED")
def fixed_agents_are_listed(draft: Draft, node: AgentNode, path: str) -> Iterator[Finding]:
    """The list is the permission: a name that is not in it is refused, whether or not there is such an agent."""
    name = fixed(node)
    if name and name not in node.agents:
        yield (
            at(path, "agent"),
            f"Agent node {quoted(node.id)} calls {quoted(name)}, which is not in its list of agents.",
            suggestion(
                name,
                node.agents,
                f'Add it to "agents", or call one of {listed(node.agents)}. To choose while the run goes on, write a '
                "template.",
            ),
        )


@rule("AGENT_INPUT_REFUSED")
def one_template_holds_the_input(draft: Draft, node: AgentNode, path: str) -> Iterator[Finding]:
    """Input in text is exactly one template: the object that a channel holds."""
    if isinstance(node.input, str) and only(node.input) is None:
        yield (
            at(path, "input"),
            f"The input of agent node {quoted(node.id)} is the text {quoted(node.input)}, and an agent takes an "
            "object.",
            'Name the channel that holds the object, "{{decision.input}}", or map each input to its value.',
        )


@rule("OUTPUT_NOT_FOR_AGENT")
def result_is_an_object(draft: Draft, node: AgentNode, path: str) -> Iterator[Finding]:
    """What an agent gives back is one object: its outputs, and the name of who answered."""
    channel = draft.channel(node.output)
    if channel is not None and channel.type not in ("object", "any") and not channel.appends:
        yield (
            at(path, "output"),
            f"Agent node {quoted(node.id)} writes an object to {quoted(node.output)}, a channel of type "
            f"{quoted(channel.type)}.",
            'Give the channel the type "object".',
        )


class Agent(Kind):
    type = "agent"
    title = "Agent"
    summary = "Hands a job to an agent that is chosen while the run goes on."
    group = "model"
    icon = "users"
    since = "0.19"
    fields = AgentNode
    rules = (agents_are_named, fixed_agents_are_listed, one_template_holds_the_input, result_is_an_object)
    runs_flows = True

    async def run(self, node: AgentNode, step: Step) -> dict[str, Json]:
        name = step.fill(node.agent).strip()
        callee = self._chosen(node, step, name)
        given = self._given(node, step, callee)
        try:
            gave = await step.run_flow(callee, given)
        except NodeFailed as failed:
            if failed.address is None or failed.code == "BUDGET_USED":
                raise
            words = f'The agent "{name}" failed: {failed.message}'
            raise NodeFailed(words, "AGENT_FAILED", failed.node, failed.address) from None
        if all(value in NOTHING for value in gave.values()):
            outputs = listed(list(gave))
            raise NodeFailed(f'The agent "{name}" ended and wrote none of its outputs: {outputs}.', "AGENT_NO_OUTPUT")
        return writes(step, {node.output: {**gave, "agent": name}}, f'Agent node "{node.id}"')

    def _chosen(self, node: AgentNode, step: Step, name: str) -> Callee:
        """The agent of that name, if this node may call it now. Nothing ever stands in for it."""
        fault = names_fault(name)
        if fault:
            raise NodeFailed(f'Agent node "{node.id}" was to call {quoted(name)}, which {fault}.', "AGENT_NAME_INVALID")
        if name not in node.agents:
            raise NodeFailed(
                f'Agent node "{node.id}" may not call "{name}"; it may call {listed(node.agents)}.', "AGENT_NOT_ALLOWED"
            )
        callee = step.callee(name)
        if callee.above:
            raise NodeFailed(
                f'Agent node "{node.id}" was to call "{name}", which is running above it.', "AGENT_RUNNING_ABOVE"
            )
        return callee

    def _given(self, node: AgentNode, step: Step, callee: Callee) -> dict[str, Json]:
        """What the agent is called with, checked against what it declares before it begins."""
        given = step.value(node.input)
        who = f'The agent "{callee.name}"'
        if not isinstance(given, dict):
            raise NodeFailed(f"{who} is called with an object, and {shape(given)} was given.", "AGENT_INPUT_REFUSED")
        declared = callee.document.inputs
        unknown = [name for name in given if name not in declared]
        missing = [name for name in declared if given.get(name) is None]
        if unknown or missing:
            faults = [f"does not take {listed(unknown, 'or')}"] if unknown else []
            faults += [f"is to be given {listed(missing, 'and')}"] if missing else []
            raise NodeFailed(f"{who} {', and '.join(faults)}.", "AGENT_INPUT_REFUSED")
        return given
