"""Every flow that is right and can run here is compiled."""

from __future__ import annotations

import os
from random import Random
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph

from flows.check import check
from flows.kinds import KINDS
from flows.runnable import cannot_run
from runtime.engine.compile import compile_graph, keep, merge
from runtime.engine.graph import Graph
from runtime.engine.opaque import Opaque
from tests.flows.grown import Grown

RUNNING = tuple(kind.type for kind in KINDS if kind.runs)


@settings(max_examples=max(20, int(os.environ.get("CHECK_FLOWS", "1500")) // 10), deadline=None, database=None)
@given(st.integers(0, 2**48))
def test_what_is_accepted_and_can_run_is_compiled(seed: int) -> None:
    found = check(Grown(Random(seed), RUNNING).flow())
    assert found.flow is not None and found.ok and not cannot_run(found)
    no_saver: Any = None
    graph = compile_graph(found.flow, no_saver)
    assert {node.id for node in found.flow.nodes} <= set(graph.nodes)


def _alike(made: Any, plain: Any) -> None:
    assert list(made.nodes) == list(plain.nodes)
    assert set(made.channels) == set(plain.channels)
    assert made.trigger_to_nodes == plain.trigger_to_nodes
    for name, node in made.nodes.items():
        other = plain.nodes[name]
        kept = ("channels", "triggers", "tags", "metadata", "retry_policy", "cache_policy", "timeout", "subgraphs")
        assert [getattr(node, one) for one in kept] == [getattr(other, one) for one in kept], name
        assert [type(one) for one in node.writers] == [type(one) for one in other.writers]
        if name != START:
            assert vars(node.bound) == vars(other.bound), name
            own, library = (one.channels[node.triggers[0]] for one in (made, plain))
            assert (type(own), own.guard, own.typ) == (type(library), library.guard, library.typ)


def test_a_copied_node_is_what_langgraph_would_have_made() -> None:
    async def work(state: Any) -> Any:
        return None

    async def plainly(state: Any) -> Any:
        return None

    state: Any = TypedDict("State", {"a": Annotated[Any, keep], "b": Annotated[Any, merge]})  # type: ignore[operator]
    works = {"first": plainly, "ask.first": Opaque(work), "second": Opaque(work), "third": Opaque(work)}
    for start in works:
        graph, plain = Graph(state), StateGraph(state)
        for name, one in works.items():
            graph.add(name, one, ("second", END))
            plain.add_node(name, one)  # type: ignore[call-overload]
        plain.add_edge(START, start)
        _alike(graph.compile(start), plain.compile())


def test_a_node_that_leads_nowhere_is_not_compiled() -> None:
    async def work(state: Any) -> Any:
        return None

    graph = Graph(TypedDict("State", {"a": Annotated[Any, keep]}))  # type: ignore[operator]
    graph.add("first", Opaque(work), ("second", END))
    with pytest.raises(ValueError, match=r'"first" leads to \[\'second\'\]'):
        graph.compile("first")
