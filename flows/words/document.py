"""The whole flow: who it is, what it promises, and what it is made of."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, SerializeAsAny

from flows.blocks.base import View
from flows.words.base import Dsl, Json, Word
from flows.words.channel import Channel
from flows.words.edge import ConditionalEdge, Edge
from flows.words.node import Node
from flows.words.page import Page
from flows.words.requires import Requires
from flows.words.shell import Shell
from flows.words.tool import Tool

MAX_NODES = 5000
MAX_SUGGESTIONS = 8
MAX_VIEWS = 200


class Document(Word):
    """A flow, typed. Made by flows.check; when the flow has problems, it holds the parts that could be read."""

    version: Annotated[str, Dsl(widget="line", topic="versions", tab="flow", label="Language version")] = Field(
        description='The version of the language, in quotes: "0.33".'
    )
    id: Annotated[
        str | None, Field(min_length=1, max_length=64), Dsl(widget="shown", since="0.21", topic="identity", tab="flow")
    ] = Field(None, description="Given once, when the flow is first saved; never changed.")
    name: Annotated[str | None, Field(min_length=1, max_length=120), Dsl(widget="line", since="0.21", tab="flow")] = (
        Field(None, description="What people call the flow.")
    )
    created_by: Annotated[str | None, Field(max_length=120), Dsl(widget="shown", since="0.21", tab="flow")] = Field(
        None, description="Who made the flow."
    )
    last_updated_by: Annotated[str | None, Field(max_length=120), Dsl(widget="shown", since="0.21", tab="flow")] = (
        Field(None, description="Who changed the flow last.")
    )
    kind: Annotated[Literal["user", "system"], Dsl(widget="choice", topic="conversation", tab="flow")] = Field(
        "user", description='"user", or "system" for a flow that nobody may delete.'
    )
    description: Annotated[
        str, Field(max_length=8000), Dsl(widget="text", since="0.7", topic="contract", tab="flow")
    ] = Field("", description="What the whole flow does, from start to finish.")
    conversation: Annotated[bool, Dsl(widget="switch", since="0.9", topic="conversation", tab="contract")] = Field(
        False, description="Whether the flow remembers its conversation, as the channel history."
    )
    suggestions: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]],
        Field(max_length=MAX_SUGGESTIONS),
        Dsl(widget="list", since="0.10", topic="conversation", tab="contract"),
    ] = Field(default_factory=list, description="Up to 8 questions that a person would really type.")
    inputs: Annotated[list[str], Dsl(ref="channel", since="0.7", topic="contract", tab="contract", fits="string")] = (
        Field(default_factory=list, description="The channels that a run starts from. [] starts by itself.")
    )
    outputs: Annotated[list[str], Dsl(ref="channel", since="0.7", topic="contract", tab="contract", fits="string")] = (
        Field(default_factory=list, description="The channels shown at the end.")
    )
    requires: Annotated[Requires, Dsl(since="0.7", topic="contract", tab="needs")] = Field(
        default_factory=Requires, description="What the flow needs from the place where it runs."
    )
    start: Annotated[str, Dsl(ref="node", topic="overview", tab="contract", label="First step")] = Field(
        description="The id of the first node."
    )
    tools: Annotated[list[Tool], Dsl(topic="tools")] = Field(
        default_factory=list, description="What the flow may call."
    )
    state: Annotated[dict[str, Channel], Dsl(topic="channels")] = Field(
        default_factory=dict, description="The flow's channels by name: what nodes read and write."
    )
    nodes: Annotated[list[SerializeAsAny[Node]], Dsl(topic="overview")] = Field(description="The flow's steps.")
    edges: Annotated[list[SerializeAsAny[Edge]], Dsl(topic="edges")] = Field(
        default_factory=list, description="What runs after what."
    )
    views: Annotated[
        list[SerializeAsAny[View]],
        Field(max_length=MAX_VIEWS),
        Dsl(widget="json", since="0.11", topic="views", tab="page", offered=False),
    ] = Field(default_factory=list, description="What the chat shows while it runs: cards, pictures and buttons.")
    page: Annotated[Page | None, Dsl(since="0.12", topic="page", tab="page", offered=False)] = Field(
        None, description="How the chat page of this agent looks."
    )
    shell: Annotated[Shell | None, Dsl(since="0.25", topic="shell", tab="page", offered=False)] = Field(
        None, description="What stands around the chat."
    )

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def _edges(self) -> dict[str, Edge]:
        return {edge.from_: edge for edge in self.edges}

    @cached_property
    def _tools(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def _restarts(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for edge in self.routers():
            for route, limit in (edge.limits or {}).items():
                if limit.per is not None:
                    found.setdefault(limit.per, []).append(f"{edge.from_}/{route}")
        return found

    def node(self, id: str) -> Node:
        """The node with this id. Raises KeyError."""
        return self._nodes[id]

    def edge_from(self, id: str) -> Edge | None:
        """The one edge that leaves the node, if any."""
        return self._edges.get(id)

    def tool(self, name: str) -> Tool:
        """The tool with this name. Raises KeyError."""
        return self._tools[name]

    def routers(self) -> list[ConditionalEdge]:
        """The edges whose way is chosen by code."""
        return [edge for edge in self.edges if isinstance(edge, ConditionalEdge)]

    def restarts(self, id: str) -> list[str]:
        """The counts, `from/route`, that begin again whenever this node runs (`per`)."""
        return self._restarts.get(id, [])

    def says(self, name: str) -> bool:
        """Did the author write this key (`inputs`), even with an empty value?"""
        return name in self.model_fields_set

    def as_json(self) -> dict[str, Json]:
        """The document as its author wrote it."""
        return self.plain()
