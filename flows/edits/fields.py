"""The operation that sets one field of anything: a node, an edge, a channel, a tool or the flow."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from flows.edits.operation import Operation, Target

Json = Any
Part = Annotated[str, Field(max_length=200)] | Annotated[int, Field(ge=0, le=100_000)]


class SetField(Operation):
    """Set one field of a node, an edge, a channel, a tool or the flow; without a value the field is removed.

    Names have operations of their own: renameNode, renameChannel, renameTool, renameRoute.
    """

    op: Literal["setField"]
    on: Target = Field(description="What has the field.")
    path: Annotated[list[Part], Field(min_length=1, max_length=40)] = Field(
        description='Keys and list positions from there: ["prompt"], ["approval", "ask"], ["retry", "maxAttempts"]. '
        "Objects that are missing on the way are made; the position after a list's last entry adds one."
    )
    value: Json = Field(None, description="The new value, any JSON. Left out: the field is removed.")
    was: Json = Field(None, description="The value that you saw there; when it is another by now, nothing is changed.")
