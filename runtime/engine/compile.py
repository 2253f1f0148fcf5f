"""A checked flow as a LangGraph graph.

Each flow node is a graph node of its own id. Where it can pause, `<id>.ask` stands before it and holds the only
interrupt; where its edge is conditional, `<id>.route` stands after it. Every transition is a Command, so that a node
has exactly one way out whatever happens to it.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph

from flows.kinds import kind_of
from flows.words.channel import reduce
from flows.words.document import Document
from flows.words.edge import ConditionalEdge
from runtime.engine import nodes
from runtime.engine.approvals import REPLACE
from runtime.engine.program import ANSWERS, CHANNEL, CLOCK, ROUTES, UNKNOWN, VISITS
from runtime.engine.saver import Saver

ENGINE_VALUES = ("history", "__approval", "__error")


def compile_graph(flow: Document, saver: Saver) -> Any:
    """The compiled graph of a flow that passed its check."""
    graph: Any = StateGraph(_state(flow))
    for node in flow.nodes:
        kind = kind_of(node.type)
        graph.add_node(node.id, nodes.work(flow, node, kind), destinations=_targets(flow, node))
        if nodes.may_pause(node, kind) or kind.calls:
            rejected = [_entry(flow, node.approval.on_reject or "END")] if node.approval else []
            after = (node.id, f"{node.id}.ask", *rejected)
            graph.add_node(f"{node.id}.ask", nodes.ask(flow, node, kind), destinations=after)
        edge = flow.edge_from(node.id)
        if isinstance(edge, ConditionalEdge):
            ends = tuple(_entry(flow, target) for target in edge.routes.values())
            graph.add_node(f"{node.id}.route", nodes.route(flow, node, edge), destinations=ends)
    graph.add_edge(START, nodes.entry(flow, flow.start))
    return graph.compile(checkpointer=saver)


def _entry(flow: Document, target: str) -> str:
    return END if target == "END" else nodes.entry(flow, target)


def _targets(flow: Document, node: Any) -> tuple[str, ...]:
    found = [nodes.following(flow, node)]
    if node.on_error and node.on_error != "SKIP":
        found.append(nodes.entry(flow, node.on_error))
    if kind_of(node.type).calls:
        found.append(f"{node.id}.ask")
    return tuple(found)


def _state(flow: Document) -> Any:
    fields: dict[str, Any] = {
        VISITS: Annotated[Any, merge], ROUTES: Annotated[Any, merge], ANSWERS: Annotated[Any, merge],
        UNKNOWN: Annotated[Any, merge], CLOCK: Annotated[Any, keep],
    }  # fmt: skip
    for name in ENGINE_VALUES:
        fields[CHANNEL + name] = Annotated[Any, keep]
    for name, channel in flow.state.items():
        fields[CHANNEL + name] = Annotated[Any, _reducer(channel)]
    return TypedDict("FlowState", fields)  # type: ignore[operator]


def _reducer(channel: Any) -> Any:
    def combine(old: Any, new: Any) -> Any:
        if isinstance(new, dict) and REPLACE in new:
            return new[REPLACE]
        return reduce(channel, old, new)

    return combine


def keep(old: Any, new: Any) -> Any:
    """The newest value holds."""
    return new


def merge(old: Any, new: Any) -> Any:
    """Keys are added or replaced; None takes a key out."""
    both = {**(old or {}), **(new or {})}
    return {key: value for key, value in both.items() if value is not None}
