"""A flow node runs another flow as one step: the child's inputs are filled in, and its outputs land where you say.

The child is a flow file like any other, and its inputs and outputs are how it is called. Nothing else is shared: it
sees no other channel of this flow and writes none. It may stop for a person, whose question then names the step,
`find_customer/ask_which`. Use it where a job stands alone and more than one agent wants it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import Kind, Step, writes
from flows.problem import Finding, at, quoted, rule
from flows.words.address import fault_of
from flows.words.base import Dsl, Json
from flows.words.node import Node

Filled = Annotated[dict[str, Json], Field(max_length=100), Dsl(ref="template", label="Its inputs", keys="flow")]


class FlowNode(Node):
    """Runs another flow."""

    type: Annotated[Literal["flow"], Dsl(topic="subflows")] = Field(description='"flow"')
    flow: Annotated[
        str, Field(min_length=1, max_length=300), Dsl(widget="flow", placeholder="./flows/customer-lookup.json")
    ] = Field(description="Where the other flow is, relative to this file.")
    input: Filled = Field(
        default_factory=dict,
        description="Each input that the other flow declares → its value. One with nothing in it counts as not given.",
    )
    output: Annotated[
        dict[str, Annotated[str | None, Dsl(ref="channel", fits="any")]],
        Field(max_length=100),
        Dsl(ref="channel", writes=True, fits="any", label="Its outputs", keys="flow"),
    ] = Field(
        default_factory=dict,
        description="Output of the other flow → the channel here that it lands in. One mapped to nothing is dropped.",
    )


@rule("FLOW_ADDRESS_INVALID")
def address_is_relative(draft: Draft, node: FlowNode, path: str) -> Iterator[Finding]:
    """Flows name each other by where they stand to one another, so that a folder of them can be put anywhere."""
    fault = fault_of(node.flow)
    if fault:
        yield (
            at(path, "flow"),
            f"Flow node {quoted(node.id)} names {quoted(node.flow)}, which {fault}.",
            'Write the address relative to this file: "./flows/customer-lookup.json".',
        )


class Flow(Kind):
    type = "flow"
    title = "Subflow"
    summary = "Runs another flow as one step."
    group = "flow"
    icon = "workflow"
    since = "0.13"
    fields = FlowNode
    rules = (address_is_relative,)
    runs_flows = True

    async def run(self, node: FlowNode, step: Step) -> dict[str, Json]:
        filled = {name: step.value(value) for name, value in node.input.items()}
        gave = await step.run_flow(step.callee(), {name: value for name, value in filled.items() if value is not None})
        return writes(
            step, {to: gave[name] for name, to in node.output.items() if to}, f'The flow that "{node.id}" runs'
        )
