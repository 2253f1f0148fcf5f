"""A LangGraph graph whose nodes are alike, at what one of them costs.

LangGraph makes for each node its own list and set of every channel, and checks each list: a flow of ten times as many
nodes and channels takes forty times as long. All nodes of a flow read and may write every channel, so
LangGraph makes the first of them, and the others are copies that do something else.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.channels import EphemeralValue
from langgraph.graph import END, START, StateGraph

from runtime.engine.opaque import Opaque

Work = Callable[[Any], Awaitable[Any]]


class Graph:
    """What is put together here, and compiled once. state: a TypedDict of the channels."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self._nodes: dict[str, Work | Opaque] = {}
        self._ends: dict[str, tuple[str, ...]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._nodes

    def add(self, name: str, work: Work | Opaque, ends: tuple[str, ...]) -> None:
        """Put a node in. It goes on by the Command that it returns, to one of these ends."""
        if name in self._nodes:
            raise ValueError(f'There are two graph nodes "{name}".')
        self._nodes[name], self._ends[name] = work, ends

    def compile(self, start: str, checkpointer: Any = None) -> Any:
        """The graph that begins at this node. Raises ValueError where a node leads nowhere."""
        known = {*self._nodes, END}
        for name, ends in self._ends.items():
            if unknown := {*ends} - known:
                raise ValueError(f'The graph node "{name}" leads to {sorted(unknown)}, which is not there.')
        graph: Any = StateGraph(self._state)
        opaque = [name for name, work in self._nodes.items() if isinstance(work, Opaque)]
        pattern = start if start in opaque else next(iter(opaque), "")
        for name, work in self._nodes.items():
            # Into each plain function LangGraph looks for a graph that it runs.
            if name in (start, pattern) or not isinstance(work, Opaque):
                graph.add_node(name, work)
        graph.add_edge(START, start)
        made = graph.compile(checkpointer=checkpointer)
        for name in opaque:
            if name not in made.nodes:
                self._copy(made, pattern, name)
        made.nodes = {name: made.nodes[name] for name in (START, *self._nodes)}
        return made

    def _copy(self, made: Any, pattern: str, name: str) -> None:
        """Put a node into the compiled graph that differs from the pattern in its name and its work."""
        known = made.nodes[pattern]
        trigger = known.triggers[0].removesuffix(pattern) + name
        bound = copy.copy(known.bound)
        bound.name, bound.afunc = name, self._nodes[name]
        made.nodes[name] = known.copy({"triggers": [trigger], "bound": bound})
        made.channels[trigger] = EphemeralValue(Any, guard=False)
        made.trigger_to_nodes[trigger] = [name]
