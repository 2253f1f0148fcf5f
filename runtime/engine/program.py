"""A flow version compiled: the graph that runs it, and what its nodes look up."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from flows.check import check
from flows.kinds.flow import FlowNode
from flows.models import FlowVersion
from flows.tree import TOP, find
from flows.words.document import Document
from runtime.stepname import named

CHANNEL = "ch."
VISITS, ROUTES, ANSWERS, UNKNOWN, CLOCK = "at.visits", "at.routes", "at.answers", "at.unknown", "at.clock"
KEPT = "at.kept"
"""What visits that go on must not forget, by address: {"turn", "attempt", "kept", "pause"}."""
PLACE, COPY, COPIES, RESULT = "at.place", "at.copy", "at.copies", "at.result"
"""Where an inner flow stands; which copy of a fan-out this is; what the copies gave so far; what one copy gave."""
EMPTY: Mapping[str, Any] = MappingProxyType({})


class Broken(RuntimeError):
    """A stored version no longer passes its own check; it must not run."""


@dataclass(eq=False)
class Part:
    """One flow of a version: the one on top, or one that is run inside it.

    file: where it stands in the tree. units: {"handler:plan": code}. calls: its flow nodes, each with the file of the
    flow that it runs. graph: the compiled LangGraph graph.
    """

    file: str
    document: Document
    units: Mapping[str, str] = field(default_factory=dict)
    calls: Mapping[str, str] = field(default_factory=dict)
    graph: Any = None
    copies: dict[str, Any] = field(default_factory=dict)
    """The graph of one copy of a node that a fan-out sends to, by node."""

    @property
    def types(self) -> dict[str, str]:
        return {name: channel.type for name, channel in self.document.state.items()}

    def unit_sha(self, kind: str, name: str) -> str:
        return hashlib.sha256(self.units.get(f"{kind}:{name}", "").encode()).hexdigest()


class Program:
    """One version, ready to run: its flow, and whatever that runs. agents: what the names of agents mean, by file."""

    def __init__(
        self, top: Part, sha: str, parts: Mapping[str, Part] = EMPTY, agents: Mapping[str, str] = EMPTY
    ) -> None:
        self.top, self.sha, self.agents = top, sha, agents
        self.parts = {top.file: top, **parts}
        self._by_document = {id(part.document): part for part in self.parts.values()}

    @property
    def document(self) -> Document:
        return self.top.document

    @property
    def graph(self) -> Any:
        return self.top.graph

    def of(self, flow: Document) -> Part:
        """The part whose flow this is."""
        return self._by_document[id(flow)]

    def at(self, address: str) -> Part:
        """The part that a step belongs to."""
        part = self.top
        way = named(address).split("/")[:-1]
        while way:
            id = way.pop(0)
            file = part.calls.get(id) or self.agents[way.pop(0)]
            part = self.parts[file]
        return part

    def part(self, file: str) -> Part:
        """The part in a file, compiled."""
        part = self.parts[file]
        if part.graph is None:
            from runtime.engine.compile import compile_part

            compile_part(part, None)
        return part


class Shelf:
    """Compiled versions, by id; the least used go first."""

    def __init__(self, saver: Any, size: int = 200) -> None:
        self._saver = saver
        self._size = size
        self._programs: OrderedDict[Any, Program] = OrderedDict()

    def get(self, version_id: Any) -> Program | None:
        found = self._programs.get(version_id)
        if found is not None:
            self._programs.move_to_end(version_id)
        return found

    def begun_at(self, program: Program, node: str) -> Any:
        """The graph of a program for a run that begins at this node of its top flow. Raises Broken."""
        from runtime.engine.compile import graph_from

        if all(each.id != node for each in program.document.nodes):
            raise Broken(f'There is no step "{node}" in this version to begin at.')
        return graph_from(program.top, self._saver, node)

    def load(self, version: FlowVersion) -> Program:
        """Compile a version, or return it compiled. Raises Broken."""
        found = self.get(version.id)
        if found is not None:
            return found
        from runtime.engine.compile import compile_part

        checked = check(version.document)
        if checked.flow is None or not checked.ok:
            first = next((problem.message for problem in checked.problems if problem.level == "error"), "unreadable")
            called = f"Version {version.number}" if version.number else "A tried draft"
            raise Broken(f"{called} of this flow does not pass its check: {first}")
        tree = version.tree or {}
        top = Part(tree.get("top", TOP), checked.flow, dict(version.units))
        program = Program(top, version.sha, _inner(top, tree), tree.get("agents", EMPTY))
        compile_part(top, self._saver)
        self._programs[version.id] = program
        while len(self._programs) > self._size:
            self._programs.popitem(last=False)
        return program


def _inner(top: Part, tree: Mapping[str, Any]) -> dict[str, Part]:
    """The parts of a version beside its top; every flow node learns which file it runs. Raises Broken."""
    if not tree:
        return {}
    parts: dict[str, Part] = {}
    for file, kept in tree["flows"].items():
        checked = check(kept["document"])
        if checked.flow is None or not checked.ok:
            raise Broken(f'"{file}", which this version runs, does not pass its check any more.')
        parts[file] = Part(file, checked.flow, dict(kept["units"]))
    files = {part.file: part for part in (top, *parts.values())}
    for part in files.values():
        found = {
            node.id: find(files, node.flow, part.file) for node in part.document.nodes if isinstance(node, FlowNode)
        }
        part.calls = {id: file for id, file in found.items() if file is not None}
    return parts
