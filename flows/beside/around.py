"""The flow that a file beside it speaks of: its steps by their addresses, and what it declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from flows.calls import Tree
from flows.draft import Draft
from flows.tree import TOP, read_tree
from flows.words.callables import named_on_servers
from flows.words.document import Document
from flows.words.node import Node

ENTERS = "/"
"""Between the steps of an address: find_customer/look_up."""


class Spot(NamedTuple):
    """What an address leads to. draft: the flow that the step is in; None when nothing can be said about it.

    missing: there is no such step; choices: the addresses that there are in that place. node: None when it is broken.
    """

    draft: Draft | None
    node: Node | None = None
    missing: bool = False
    choices: tuple[str, ...] = ()


_UNKNOWN = Spot(None)


@dataclass(frozen=True)
class Around:
    """tree: the flow with everything that it runs. file: the path of the flow in it."""

    tree: Tree
    file: str

    @classmethod
    def of(cls, files: Mapping[str, str | bytes], file: str = TOP) -> Around:
        """Read a flow and what it runs, from paths and texts."""
        return cls(read_tree(files, file), file)

    @property
    def draft(self) -> Draft | None:
        """The flow as far as it could be read; None when it could not."""
        return self.tree.drafts.get(self.file)

    @property
    def document(self) -> Document | None:
        return self.draft.document if self.draft else None

    @property
    def version(self) -> str:
        """The version that the flow says; "" when it says none that can be read."""
        raw = self.draft.raw.get("version") if self.draft else None
        return raw if isinstance(raw, str) else ""

    @cached_property
    def inputs(self) -> list[str] | None:
        """What a run of the flow may be given; None when that is not known."""
        draft = self.draft
        if draft is None or "state" in draft.lost:
            return None
        declared = draft.raw.get("inputs")
        if declared is None:
            return sorted(draft.channel_names)
        return [name for name in declared if isinstance(name, str)] if isinstance(declared, list) else None

    @cached_property
    def outputs(self) -> list[str] | None:
        """What the flow gives back; None when that is not known."""
        draft = self.draft
        if draft is None or "state" in draft.lost:
            return None
        declared = draft.raw.get("outputs")
        if declared is None:
            return sorted(draft.channel_names)
        return [name for name in declared if isinstance(name, str)] if isinstance(declared, list) else None

    @cached_property
    def settings(self) -> list[str] | None:
        """The settings that the flow declares; None when that is not known."""
        if self.draft is None:
            return None
        requires = self.draft.raw.get("requires", {})
        declared = requires.get("settings", {}) if isinstance(requires, dict) else None
        return list(declared) if isinstance(declared, dict) else None

    @cached_property
    def tools(self) -> set[str] | None:
        """Every tool that the flow, or a flow that it runs, may call; None when that is not known."""
        found: set[str] = set()
        for draft in self.drafts:
            if draft is None or "tools" in draft.lost:
                return None
            found |= draft.tool_names
            found |= {name for names in named_on_servers(draft.raw.get("requires")).values() for name in names}
        return found

    @cached_property
    def drafts(self) -> list[Draft | None]:
        """The flow and every flow that it runs or may call; None for one that could not be read."""
        found: list[Draft | None] = []
        seen = {self.file}
        waiting = [self.file]
        while waiting:
            file = waiting.pop(0)
            found.append(self.tree.drafts.get(file))
            for call in self.tree.calls.get(file, ()):
                if call.to is None:
                    found.append(None)
                elif call.to not in seen:
                    seen.add(call.to)
                    waiting.append(call.to)
        return found

    def step(self, address: str) -> Spot:
        """What an address leads to: a step of the flow, or behind / one of a flow that it runs."""
        found = self._steps.get(address)
        if found is None:
            found = self._steps[address] = self._step(address)
        return found

    @cached_property
    def _steps(self) -> dict[str, Spot]:
        return {}

    def _step(self, address: str) -> Spot:
        file, parts, before = self.file, address.split(ENTERS), ""
        while True:
            draft = self.tree.drafts.get(file)
            if draft is None:
                return _UNKNOWN
            name = parts.pop(0)
            if name not in draft.node_ids:
                known = tuple(before + id for id in draft.node_ids)
                return _UNKNOWN if "nodes" in draft.lost else Spot(draft, None, True, known)
            if not parts:
                return Spot(draft, next((node for _, node in draft.nodes if node.id == name), None))
            calls = [call for call in self.tree.calls.get(file, ()) if call.node == name]
            if not calls:
                return Spot(draft, None, True, (before + name,))
            before += name + ENTERS
            chosen = calls[0]
            if chosen.by == "agent":
                agent = parts.pop(0)
                names = tuple(before + call.address for call in calls)
                chosen = next((call for call in calls if call.address == agent), None)
                if chosen is None or not parts:
                    return Spot(draft, None, True, names)
                before += agent + ENTERS
            if chosen.to is None:
                return _UNKNOWN
            file = chosen.to
