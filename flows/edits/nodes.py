"""Operations on nodes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from flows.edits.operation import Next, NodeId, Operation, Position
from flows.words.base import Word

Json = Any


class Splice(Word):
    """The edge that a new node is dropped on: it comes between its two ends."""

    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    to: Next = Field(description="The id of the node that the edge leads to, or END.")
    route: str | None = Field(None, max_length=64, description="The route's name, when the edge is conditional.")


class AddNode(Operation):
    """Add a node. The first node of a flow becomes its start. Give it a way out with connect, unless it is spliced."""

    op: Literal["addNode"]
    node: dict[str, Json] = Field(
        description='The whole node as the language writes it: "id", "type" (left out for a handler) and its fields.'
    )
    position: Position | None = Field(None, description="Where it stands on the canvas; left out when you do not know.")
    splice: Splice | None = Field(None, description="An edge that there is: the node is put in the middle of it.")


class RemoveNodes(Operation):
    """Remove nodes with the edges at them."""

    op: Literal["removeNodes"]
    ids: Annotated[list[NodeId], Field(min_length=1, max_length=5000)] = Field(description="The ids of the nodes.")
    heal: bool = Field(
        True, description="Join what led to a removed node to what came after it; false leaves the gap open."
    )


class RenameNode(Operation):
    """Give a node another id. Everything that names it follows: start, edges, routes, limits, onError, onReject."""

    op: Literal["renameNode"]
    id: NodeId = Field(description="The node's id.")
    to: str = Field(min_length=1, max_length=64, description="The new id: letters, digits, _ and -.")


class SetStart(Operation):
    """Say which node a run begins with."""

    op: Literal["setStart"]
    id: NodeId = Field(description="The id of the first node.")
