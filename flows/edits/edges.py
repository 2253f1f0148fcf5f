"""Operations on edges and their routes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from flows.edits.operation import Next, NodeId, Operation

Json = Any
Route = "The route's name: up to 32 lowercase letters, digits, _ and -."


class Connect(Operation):
    """Lead from one node to another.

    From a node without a way out this makes a plain edge, or a conditional one when a route or a sentence is given.
    From a node with a plain edge it makes that edge conditional, with two routes. From a conditional edge it adds a
    route.
    """

    op: Literal["connect"]
    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    to: Next = Field(description="The id of the node that it leads to, or END.")
    route: str | None = Field(None, max_length=64, description=f"{Route} Left out: one is made up where it is needed.")
    when: str | None = Field(
        None, max_length=8000,
        description="What is checked before the route is taken: \"'kind' is \\\"order\\\"\", or \"anything else\".",
    )  # fmt: skip


class Disconnect(Operation):
    """Remove an edge, or one route of a conditional edge with its sentence and its limit."""

    op: Literal["disconnect"]
    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    to: Next = Field(description="The node that it leads to, or END.")
    route: str | None = Field(None, max_length=64, description="The route's name, when several routes lead there.")


class Reconnect(Operation):
    """Let an edge, or a route, lead to another node."""

    op: Literal["reconnect"]
    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    to: Next = Field(description="The node that it leads to, or END.")
    route: str | None = Field(None, max_length=64, description="The route's name, when several routes lead there.")
    new_to: Next = Field(description="The node that it is to lead to, or END.")


class RenameRoute(Operation):
    """Give a route of a conditional edge another name. Its sentence and its limits follow."""

    op: Literal["renameRoute"]
    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    route: str = Field(max_length=64, description="The route's name.")
    to: str = Field(min_length=1, max_length=64, description=Route)
