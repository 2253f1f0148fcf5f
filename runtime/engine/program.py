"""A flow version compiled: the graph that runs it, and what its nodes look up."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flows.check import check
from flows.models import FlowVersion
from flows.words.document import Document

CHANNEL = "ch."
VISITS, ROUTES, ANSWERS, UNKNOWN, CLOCK = "at.visits", "at.routes", "at.answers", "at.unknown", "at.clock"


class Broken(RuntimeError):
    """A stored version no longer passes its own check; it must not run."""


@dataclass(frozen=True)
class Program:
    """One version, ready to run. units: {"handler:plan": code}. graph: a compiled LangGraph graph."""

    document: Document
    units: Mapping[str, str]
    sha: str
    graph: Any

    @property
    def types(self) -> dict[str, str]:
        return {name: channel.type for name, channel in self.document.state.items()}

    def unit_sha(self, kind: str, name: str) -> str:
        return hashlib.sha256(self.units.get(f"{kind}:{name}", "").encode()).hexdigest()


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

    def load(self, version: FlowVersion) -> Program:
        """Compile a version, or return it compiled. Raises Broken."""
        found = self.get(version.id)
        if found is not None:
            return found
        from runtime.engine.compile import compile_graph

        checked = check(version.document)
        if checked.flow is None or not checked.ok:
            first = next((problem.message for problem in checked.problems if problem.level == "error"), "unreadable")
            called = f"Version {version.number}" if version.number else "A tried draft"
            raise Broken(f"{called} of this flow does not pass its check: {first}")
        graph = compile_graph(checked.flow, self._saver)
        program = Program(checked.flow, dict(version.units), version.sha, graph)
        self._programs[version.id] = program
        while len(self._programs) > self._size:
            self._programs.popitem(last=False)
        return program
