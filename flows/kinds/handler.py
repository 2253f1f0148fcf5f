"""A handler runs code written from its description: what it reads, what it writes, and what it does when something
is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.kinds.base import Json, Kind, NodeFailed, Step, writes
from flows.problem import Finding, at, quoted, rule
from flows.words.base import Dsl
from flows.words.names import is_code_name
from flows.words.node import Node


class HandlerNode(Node):
    """A node with no type. Its function is given the state and returns only the channels that it changes."""

    type: Annotated[Literal["handler"], Dsl(topic="handlers")] = Field("handler", description="Left out on a handler.")
    handler: Annotated[str, Dsl(widget="line", topic="handlers", unit="handler", label="Function")] = Field(
        description="The name of its function."
    )


@rule("CODE_NAME_INVALID")
def function_name(draft: object, node: HandlerNode, path: str) -> Iterator[Finding]:
    """The name is the function's, unchanged: a Python identifier that is no keyword."""
    if not is_code_name(node.handler):
        yield (
            at(path, "handler"),
            f"The handler {quoted(node.handler)} of node {quoted(node.id)} is no name that a Python function can have.",
            "Use letters, digits and _, begin with a letter, and use no Python keyword.",
        )


class Handler(Kind):
    type = "handler"
    title = "Code"
    summary = "Runs code that is written from its description."
    group = "code"
    icon = "code"
    fields = HandlerNode
    rules = (function_name,)
    calls = True
    sees_all = True

    async def run(self, node: HandlerNode, step: Step) -> dict[str, Json]:
        answer = await step.code("handler", node.handler, dict(step.state))
        by = f"Handler {quoted(node.handler)}"
        if answer is None:
            return {}
        if not isinstance(answer, dict):
            raise NodeFailed(f"{by} must return an object of the channels that it changes.", "WRITE_REFUSED")
        return writes(step, answer, by)
