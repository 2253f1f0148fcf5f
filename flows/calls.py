"""A tree of flows as it was read: its files, which flow runs which, and what the agents' names mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from flows.check import Checked
from flows.draft import Draft
from flows.problem import Problem
from flows.words.agents import Registry
from flows.words.document import Document


class Call(NamedTuple):
    """A node that runs another flow. path: of the field that names it. to: its file; None when there is none.

    certain: the node runs this flow whenever it runs; an agent that is chosen among several is not.
    """

    node: str
    place: int
    path: str
    address: str
    to: str | None
    by: Literal["flow", "agent"]
    certain: bool


@dataclass
class Tree:
    """top: the flow that people talk to. files: path → text, of the whole folder. flows: those that are run, by path.

    drafts: the same as the rules look at them; a file that could not be read has none. registry_file: where the names
    of agents are given a meaning; registry: None when there is no such file, or it could not be read.
    """

    top: str
    files: Mapping[str, str | bytes]
    registry_file: str
    registry: Registry | None = None
    flows: dict[str, Checked] = field(default_factory=dict)
    drafts: dict[str, Draft] = field(default_factory=dict)
    calls: dict[str, list[Call]] = field(default_factory=dict)
    agents: dict[str, str | None] = field(default_factory=dict)
    found: dict[str, list[Problem]] = field(default_factory=dict)
    cut: bool = False
    _ways_back: dict[str, dict[str, str]] = field(default_factory=dict)

    def document(self, file: str | None) -> Document | None:
        """The flow in a file, as far as it could be read."""
        checked = self.flows.get(file) if file else None
        return checked.flow if checked else None

    def certain(self, file: str) -> list[Call]:
        """The flows that a flow runs whichever agent is chosen."""
        return self._certain.get(file, [])

    @cached_property
    def _certain(self) -> dict[str, list[Call]]:
        return {
            file: [call for call in calls if call.certain and call.to in self.flows]
            for file, calls in self.calls.items()
        }

    @cached_property
    def _run_by(self) -> dict[str, dict[str, None]]:
        """Flow → the flows that run it, whichever agent is chosen."""
        found: dict[str, dict[str, None]] = {}
        for file, calls in self._certain.items():
            for call in calls:
                found.setdefault(call.to or "", {})[file] = None
        return found

    def ways_back(self, file: str) -> dict[str, str]:
        """Flow → the flow that it runs next on the shortest way to this one; of all that come to it."""
        if file not in self._ways_back:
            found: dict[str, str] = {}
            waiting = [file]
            for here in waiting:
                for each in self._run_by.get(here, ()):
                    if each not in found:
                        found[each] = here
                        waiting.append(each)
            self._ways_back[file] = found
        return self._ways_back[file]

    @cached_property
    def above(self) -> dict[str, set[str]]:
        """Flow → the flows that it can come to by running flows, itself included when it goes round."""
        found: dict[str, set[str]] = {}
        for file in self.flows:
            seen: set[str] = set()
            stack = [call.to for call in self.certain(file)]
            while stack:
                here = stack.pop()
                if here is not None and here not in seen:
                    seen.add(here)
                    stack += [call.to for call in self.certain(here)]
            found[file] = seen
        return found

    def goes_round(self, file: str, call: Call) -> bool:
        """Does this call come back to the flow that it stands in?"""
        return call.certain and call.to is not None and (call.to == file or file in self.above.get(call.to, ()))

    @cached_property
    def depths(self) -> dict[str, int]:
        """Flow → how many flows run inside one another below it, itself counted; what goes round is not followed."""
        found: dict[str, int] = {}
        for file in self._inner_first:
            inner = [found.get(call.to or "", 0) for call in self.certain(file) if not self.goes_round(file, call)]
            found[file] = 1 + max(inner, default=0)
        return found

    @cached_property
    def _inner_first(self) -> list[str]:
        """Every flow after those that it runs."""
        order: list[str] = []
        seen: set[str] = set()
        for top in self.flows:
            stack: list[tuple[str, bool]] = [(top, False)]
            while stack:
                file, left = stack.pop()
                if left:
                    order.append(file)
                elif file not in seen:
                    seen.add(file)
                    stack.append((file, True))
                    stack += [(call.to, False) for call in self.certain(file) if call.to and call.to not in seen]
        return order

    @property
    def inner_first(self) -> list[str]:
        return self._inner_first
