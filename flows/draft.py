"""A flow as far as it could be read: what the rules look at. A part that is broken is known by name, so that
nothing else is blamed for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from flows.blocks.base import View
from flows.problem import at, quoted
from flows.words import template
from flows.words.base import Json, Said, Word, declared, said
from flows.words.callables import named_on_servers
from flows.words.channel import Channel
from flows.words.document import Document
from flows.words.edge import ConditionalEdge, Edge
from flows.words.node import Node
from flows.words.tool import Tool
from flows.words.when import regular_reads

PARTS = ("tools", "state", "nodes", "edges", "views")
"""The sections that are read part by part."""


class Mention(NamedTuple):
    """One text in a field that names something: the field, the text, and its path."""

    field: Said
    text: str
    path: str


class Read(NamedTuple):
    """A channel that is named: where, and how it is written there. writes: it is named to be written."""

    name: str
    path: str
    written: str
    writes: bool = False


class Copies(NamedTuple):
    """A fan-out: its id, and the name that the items have in the node it sends them to."""

    id: str
    item: str


@dataclass
class Draft:
    """document holds the parts that could be read; the rest are the same parts with their places, and the names of all.

    nodes, edges, tools, views: (position in the JSON list, word). names of nodes, channels and tools count broken ones
    too.
    ways: node id → what may run next (node ids and END), as far as it is written, in broken nodes and edges as well.
    detours: the part of ways that is not an edge: onError and onReject.
    """

    raw: dict[str, Json]
    document: Document
    nodes: list[tuple[int, Node]] = field(default_factory=list)
    edges: list[tuple[int, Edge]] = field(default_factory=list)
    tools: list[tuple[int, Tool]] = field(default_factory=list)
    views: list[tuple[int, View]] = field(default_factory=list)
    node_ids: dict[str, int] = field(default_factory=dict)
    channel_names: set[str] = field(default_factory=set)
    tool_names: set[str] = field(default_factory=set)
    ways: dict[str, list[str]] = field(default_factory=dict)
    detours: dict[str, list[str]] = field(default_factory=dict)
    leaving: dict[str, list[int]] = field(default_factory=dict)

    lost: set[str] = field(default_factory=set)
    """Sections (nodes, edges, state, tools) in which something has no readable name, so that absence proves nothing."""

    def objects(self, section: str) -> list[dict[str, Json]]:
        """The parts of a section that are objects, readable as words or not."""
        parts: Json = self.raw.get(section)
        return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []

    @property
    def sections(self) -> list[Said]:
        """The sections that are read part by part, as far as the flow has them."""
        return [
            Said(dsl, key, self.raw[key], key)
            for key, dsl in declared(Document).values()
            if key in PARTS and self.raw.get(key)
        ]

    @cached_property
    def said(self) -> list[Said]:
        """Every field that a readable part of the flow sets."""
        found = list(said(self.document, "", skip=PARTS))
        for name, channel in self.document.state.items():
            found += said(channel, at("state", name))
        for section, parts in (
            ("tools", self.tools), ("nodes", self.nodes), ("edges", self.edges), ("views", self.views),
        ):  # fmt: skip
            for index, word in parts:
                found += said(word, at(section, index))
        return found

    @cached_property
    def mentions(self) -> list[Mention]:
        """Every text that names a channel, a node, a tool or a route, or is a template."""
        return [
            Mention(each, text, path)
            for each in self.said
            if each.dsl.ref and not isinstance(each.value, Word)
            for text, path in _texts(each.value, each.path)
        ]

    @cached_property
    def reads(self) -> list[Read]:
        """Every channel that the flow names, in a template, by its name or in a sentence of a route."""
        found: list[Read] = []
        for each, text, path in self.mentions:
            if each.dsl.ref == "channel":
                # A mapping may lead to nothing.
                if text or not isinstance(each.value, dict):
                    found.append(Read(text, path, quoted(text), each.dsl.writes))
            elif each.dsl.ref == "template":
                found += (Read(one.partition(".")[0], path, quoted("{{" + one + "}}")) for one in template.paths(text))
        for index, edge in self.edges:
            for route, sentence in edge.when.items() if isinstance(edge, ConditionalEdge) else ():
                for one in regular_reads(sentence):
                    found.append(Read(one.partition(".")[0], at("edges", index, "when", route), f"'{one}'"))
        return found

    @cached_property
    def fanouts(self) -> dict[str, str]:
        """Fan-out → the node that it sends its items to, as far as it is written; broken fan-outs too."""
        return {id: node["to"] for id, node in self._fanouts if isinstance(node.get("to"), str)}

    @cached_property
    def copied(self) -> dict[str, list[Copies]]:
        """Node → the fan-outs that run it once for each item."""
        found: dict[str, list[Copies]] = {}
        for id, node in self._fanouts:
            if isinstance(node.get("to"), str) and isinstance(node.get("as"), str):
                found.setdefault(node["to"], []).append(Copies(id, node["as"]))
        return found

    @cached_property
    def _fanouts(self) -> list[tuple[str, dict[str, Json]]]:
        nodes = self.raw.get("nodes")
        named = [node for node in nodes if isinstance(node, dict)] if isinstance(nodes, list) else []
        return [
            (node["id"], node) for node in named if node.get("type") == "fanout" and isinstance(node.get("id"), str)
        ]

    def node_at(self, path: str) -> str:
        """The id of the node that a path is in; "" when it is in none."""
        return self._ids.get(_index_in(path), "")

    @cached_property
    def _ids(self) -> dict[int, str]:
        return {index: node.id for index, node in self.nodes}

    def items_at(self, path: str) -> list[str]:
        """The names of fan-outs' items that may be read at this path."""
        return [each.item for each in self.copied.get(self.node_at(path), ())] if self.copied else []

    @cached_property
    def servers(self) -> dict[str, set[str]]:
        """MCP server → the tools that the flow may call on it."""
        return named_on_servers(self.raw.get("requires"))

    def required(self, section: str) -> dict[str, Json] | None:
        """What a section of `requires` declares, by name, readable or not; None when it cannot be known."""
        requires = self.raw.get("requires", {})
        found = requires.get(section, {}) if isinstance(requires, dict) else None
        return found if isinstance(found, dict) else None

    def written_by(self, id: str) -> list[Mention]:
        """The channels that a node writes, as its fields name them. What code writes is not among them."""
        return self._writes.get(self.node_ids[id], []) if id in self.node_ids else []

    @cached_property
    def _writes(self) -> dict[int, list[Mention]]:
        found: dict[int, list[Mention]] = {}
        for each in self.mentions:
            if each.field.dsl.writes and each.field.dsl.ref == "channel" and each.text:
                found.setdefault(_index_in(each.path), []).append(each)
        return found

    @property
    def whole(self) -> bool:
        """Could every node be read? Only then does it mean something that no node does a thing."""
        return "nodes" not in self.lost and len(self.nodes) == len(self.raw.get("nodes") or ())

    def channel(self, name: str) -> Channel | None:
        """The channel, when it is declared and could be read."""
        return self.document.state.get(name)

    def tool(self, name: str) -> Tool | None:
        """The tool, when it is declared and could be read."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Tool]:
        return {tool.name: tool for _, tool in reversed(self.tools)}


def _index_in(path: str) -> int:
    """The position of the node that a path is in; -1 when it is in none."""
    return int(path[6:].partition("]")[0]) if path.startswith("nodes[") else -1


def _texts(value: Json, path: str) -> Iterator[tuple[str, str]]:
    """Every text inside a field's value, with its path. Words inside are fields of their own."""
    if isinstance(value, str):
        yield value, path
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _texts(each, at(path, index))
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _texts(each, at(path, key))
