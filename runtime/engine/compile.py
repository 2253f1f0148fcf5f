"""A checked flow as a LangGraph graph.

Each flow node is a graph node of its own id. Where it can pause, `<id>.ask` stands before it and holds the only
interrupt; where its edge is conditional, `<id>.route` stands after it. Every transition is a Command, so that a node
has exactly one way out whatever happens to it.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from langgraph.graph import END

from flows.kinds import kind_of
from flows.kinds.fanout import FanoutNode
from flows.tree import TOP
from flows.words.channel import reduce
from flows.words.document import Document
from flows.words.edge import ConditionalEdge
from flows.words.names import SKIP
from runtime.engine import copies, nested, nodes
from runtime.engine.gathered import Gathered
from runtime.engine.graph import Graph
from runtime.engine.opaque import Opaque
from runtime.engine.program import (
    ANSWERS,
    CHANNEL,
    CLOCK,
    COPIES,
    KEPT,
    PLACE,
    ROUTES,
    UNKNOWN,
    VISITS,
    Part,
)
from runtime.engine.saver import Saver
from runtime.engine.ways import REPLACE, Edges, entry, following, may_pause

ENGINE_VALUES = ("history", "__approval", "__error")


def compile_graph(flow: Document, saver: Saver) -> Any:
    """The compiled graph of a flow by itself, that passed its check."""
    part = Part(TOP, flow)
    compile_part(part, saver)
    return part.graph


def graph_from(part: Part, saver: Saver, node: str) -> Any:
    """The graph of a version's top flow for a run that begins at another node: alike but for its start."""
    begun = Part(part.file, part.document, part.units, part.calls)
    compile_part(begun, saver, node)
    return begun.graph


def compile_part(part: Part, saver: Saver | None, start: str = "") -> None:
    """Compile one flow of a version. saver: of the flow on top; those inside it keep what they do in its thread.

    start: the node at which it begins, when that is another than the flow says.
    """
    flow = part.document
    state = _state(flow)
    graph = Graph(state)
    for node in flow.nodes:
        way = copies.Spread(flow, node) if isinstance(node, FanoutNode) else Edges(flow, node)
        add(graph, flow, node, way)
        edge = flow.edge_from(node.id)
        if isinstance(edge, ConditionalEdge):
            ends = tuple(entry(flow, target) for target in edge.routes.values())
            graph.add(f"{node.id}.route", Opaque(nodes.route(flow, node, edge)), ends)
    if any(isinstance(node, FanoutNode) for node in flow.nodes):
        copies.add_to(graph, part, tuple(state.__annotations__), add, work)
    part.graph = graph.compile(entry(flow, start or flow.start), saver)


def add(graph: Graph, flow: Document, node: Any, way: Edges) -> None:
    """Put the graph nodes of one flow node into a graph: the one that works, and the one that asks before it."""
    kind = kind_of(node.type)
    graph.add(node.id, work(flow, node, way), _targets(flow, node, way))
    if asks(node):
        rejected = [entry(flow, node.approval.on_reject or "END")] if node.approval else []
        after = (node.id, f"{node.id}.ask", *rejected) if way.ends_run else (node.id, f"{node.id}.ask", END)
        graph.add(f"{node.id}.ask", Opaque(nodes.ask(flow, node, kind, way)), after)


def work(flow: Document, node: Any, way: Edges) -> Any:
    """The graph node that does the work of a flow node."""
    kind = kind_of(node.type)
    return nested.work(flow, node, kind, way) if kind.runs_flows else Opaque(nodes.work(flow, node, kind, way))


def asks(node: Any) -> bool:
    """Whether people may be asked before the node runs, or while it does."""
    kind = kind_of(node.type)
    return may_pause(node, kind) or kind.calls or kind.rests(node)


def _targets(flow: Document, node: Any, way: Edges) -> tuple[str, ...]:
    found = [following(flow, node)] if way.ends_run else [END]
    if way.ends_run and node.on_error and node.on_error != SKIP:
        found.append(entry(flow, node.on_error))
    kind = kind_of(node.type)
    if kind.calls or kind.rests(node):
        found.append(f"{node.id}.ask")
    if kind.rests(node):
        found.append(node.id)
    return tuple(found)


def _state(flow: Document) -> Any:
    fields: dict[str, Any] = {
        VISITS: Annotated[Any, merge], ROUTES: Annotated[Any, merge], ANSWERS: Annotated[Any, merge],
        UNKNOWN: Annotated[Any, merge], KEPT: Annotated[Any, merge], CLOCK: Annotated[Any, keep],
        PLACE: Annotated[Any, keep],
    }  # fmt: skip
    if any(isinstance(node, FanoutNode) for node in flow.nodes):
        fields[COPIES] = Annotated[Any, Gathered()]
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
