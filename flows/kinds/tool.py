"""A tool node makes one call. A call that lacks a required argument, or holds one that its field refuses, stops the
run with a form, filled in with what is known; nothing is called until it passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from flows.draft import Draft
from flows.kinds.base import Json, Kind, NodeFailed, Pause, Step, writes
from flows.problem import Finding, at, listed, quoted, rule
from flows.words import arguments
from flows.words.base import Dsl
from flows.words.callables import inputs_of, takes_inputs
from flows.words.document import Document
from flows.words.fields import Fields
from flows.words.form import missing_or_refused, prefilled
from flows.words.label import label
from flows.words.node import Node


class ToolNode(Node):
    """Makes one call."""

    type: Annotated[Literal["tool"], Dsl(topic="tools")] = Field(description='"tool"')
    tool: Annotated[str, Dsl(ref="tool", unit="tool")] = Field(description="The name of one of the flow's tools.")
    args: Annotated[dict[str, Json], Field(max_length=100), Dsl(ref="template", label="Arguments", keys="tool")] = (
        Field(
            default_factory=dict,
            description="Its arguments, flat. One that is exactly one template gets the channel's value itself.",
        )
    )
    output: Annotated[str | None, Dsl(ref="channel", writes=True, fits="object")] = Field(
        None, description="The channel that the result is written to."
    )


@rule("ARGS_WRAPPED")
def args_are_flat(draft: Draft, node: ToolNode, path: str) -> Iterator[Finding]:
    """A tool's inputs are its arguments exactly; an object around them hides every one."""
    tool = draft.tool(node.tool)
    if tool is None or not tool.inputs or len(node.args) != 1:
        return
    (name, inner), *_ = node.args.items()
    if name not in tool.inputs and isinstance(inner, dict) and any(key in tool.inputs for key in inner):
        yield (
            at(path, "args", name),
            f"The arguments of node {quoted(node.id)} are wrapped in {quoted(name)}; {quoted(node.tool)} takes them "
            "flat.",
            f'Write {listed(inner, "and")} directly under "args".',
        )


class Tool(Kind):
    type = "tool"
    title = "Tool"
    summary = "Makes one call to the outside."
    group = "tools"
    icon = "wrench"
    fields = ToolNode
    rules = (args_are_flat,)
    calls = True

    def stops(self, node: ToolNode, document: Document) -> bool:
        return node.approval is not None or takes_inputs(document, node.tool)

    def acts_by(self, node: ToolNode) -> dict[str, Json]:
        return dict(node.args)

    def pause(self, node: ToolNode, step: Step) -> Pause | None:
        inputs = _inputs(node, step)
        known = arguments.known(_filled(node, step))
        if "args" in step.answers or step.off(node.tool) or not missing_or_refused(inputs, known):
            return None
        return Pause(
            "args",
            "form",
            {
                "title": f"{label(node.tool)}: details",
                "fields": {name: field.plain() for name, field in inputs.items()},
                "values": prefilled(inputs, known),
            },
        )

    async def run(self, node: ToolNode, step: Step) -> dict[str, Json]:
        off = step.off(node.tool)
        if off:
            raise NodeFailed(off, "TOOL_OFF")
        result = await step.call(node.tool, _complete(node, step))
        return writes(step, {node.output: result}, f"Tool {quoted(node.tool)}") if node.output else {}


def _inputs(node: ToolNode, step: Step) -> Fields:
    return inputs_of(step.flow, node.tool)


def _filled(node: ToolNode, step: Step) -> Mapping[str, Json]:
    return step.value(node.args)


def _complete(node: ToolNode, step: Step) -> dict[str, Json]:
    """The arguments of the call: what is known, or what the form gave, and the rest untouched."""
    given = step.answers.get("args")
    if given is not None and given.closed:
        raise NodeFailed(f"The form for {quoted(node.tool)} was closed, so nothing was called.", "FORM_CLOSED")
    args, errors = arguments.complete(
        _inputs(node, step), _filled(node, step), given.value if given is not None else None
    )
    if errors:
        wrong = "; ".join(f"{quoted(name)}: {message}" for name, message in errors.items())
        raise NodeFailed(f"The tool {quoted(node.tool)} was not called. {wrong}", "ARGS_REFUSED")
    return args
