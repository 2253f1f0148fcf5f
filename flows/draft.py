"""A flow as far as it could be read: what the rules look at. A part that is broken is known by name, so that
nothing else is blamed for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from flows.words.base import Json
from flows.words.channel import Channel
from flows.words.document import Document
from flows.words.edge import Edge
from flows.words.node import Node
from flows.words.tool import Tool


@dataclass
class Draft:
    """document holds the parts that could be read; the rest are the same parts with their places, and the names of all.

    nodes, edges, tools: (position in the JSON list, word). names of nodes, channels and tools count broken ones too.
    ways: node id → what may run next (node ids and END), as far as it is written, in broken nodes and edges as well.
    detours: the part of ways that is not an edge: onError and onReject.
    """

    raw: dict[str, Json]
    document: Document
    nodes: list[tuple[int, Node]] = field(default_factory=list)
    edges: list[tuple[int, Edge]] = field(default_factory=list)
    tools: list[tuple[int, Tool]] = field(default_factory=list)
    node_ids: dict[str, int] = field(default_factory=dict)
    channel_names: set[str] = field(default_factory=set)
    tool_names: set[str] = field(default_factory=set)
    ways: dict[str, list[str]] = field(default_factory=dict)
    detours: dict[str, list[str]] = field(default_factory=dict)
    leaving: dict[str, list[int]] = field(default_factory=dict)

    lost: set[str] = field(default_factory=set)
    """Sections (nodes, edges, state, tools) in which something has no readable name, so that absence proves nothing."""

    def channel(self, name: str) -> Channel | None:
        """The channel, when it is declared and could be read."""
        return self.document.state.get(name)

    def tool(self, name: str) -> Tool | None:
        """The tool, when it is declared and could be read."""
        return next((tool for _, tool in self.tools if tool.name == name), None)
