"""From start to END: every node can be reached, every path can finish, and each node has one way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flows.draft import Draft
from flows.problem import Finding, at, listed, quoted, rule
from flows.words.names import END, RESERVED_NODES


def _spread(starts: Iterable[str], ways: dict[str, list[str]]) -> set[str]:
    """Every name that can be reached from the starts, themselves included."""
    seen = set(starts)
    stack = list(seen)
    while stack:
        for name in ways.get(stack.pop(), ()):
            if name not in seen:
                seen.add(name)
                stack.append(name)
    return seen


def _backwards(ways: dict[str, list[str]]) -> dict[str, list[str]]:
    back: dict[str, list[str]] = {}
    for name, nexts in ways.items():
        for each in nexts:
            back.setdefault(each, []).append(name)
    return back


@rule("NODE_UNREACHABLE")
def every_node_is_reached(draft: Draft) -> Iterator[Finding]:
    """A node that nothing leads to never runs. onError and onReject lead somewhere too."""
    start = draft.document.start
    if start not in draft.node_ids or draft.lost & {"nodes", "edges"}:
        return
    reached = _spread([start], draft.ways)
    for id, index in draft.node_ids.items():
        if id not in reached and id not in RESERVED_NODES:
            yield (
                at("nodes", index),
                f"Nothing leads from the start to node {quoted(id)}.",
                "Add an edge to it, or remove the node.",
            )


@rule("NO_WAY_OUT")
def every_node_goes_on(draft: Draft) -> Iterator[Finding]:
    """A run at a node without an edge would neither go on nor be finished."""
    for id, index in draft.node_ids.items():
        goes_on = id in draft.leaving or id in draft.fanouts or id in RESERVED_NODES
        if not goes_on and "edges" not in draft.lost:
            yield (
                at("nodes", index),
                f"Node {quoted(id)} has no way out.",
                f'Add an edge: {{ "from": {quoted(id)}, "to": "END" }}, or to the node that comes next.',
            )


@rule("PATH_NEVER_ENDS")
def every_path_ends(draft: Draft) -> Iterator[Finding]:
    """Nodes that only lead to each other go round for ever; one of them needs a way to END."""
    start = draft.document.start
    whole = {index for index, edge in draft.edges if edge.goes}
    leaving = {id: draft.leaving.get(id, ()) for id in draft.node_ids}
    loose = [id for id, edges in leaving.items() if not whole.issuperset(edges) or not (edges or id in draft.fanouts)]
    missing = {each for nexts in draft.ways.values() for each in nexts if each not in draft.node_ids}
    ending = _spread([END, *loose, *missing], _backwards(draft.ways))
    reached = _spread([start], draft.ways) if start in draft.node_ids else set(draft.node_ids)
    trapped = [id for id in draft.node_ids if id in reached and id not in ending]
    told: set[str] = set()
    for id in trapped:
        if id in told:
            continue
        circle = _spread([id], draft.ways) & set(trapped)
        told |= circle
        names = sorted(circle, key=draft.node_ids.__getitem__)
        alone = len(names) == 1
        yield (
            at("nodes", draft.node_ids[id]),
            f"Node {quoted(id)} leads back to itself and never to END."
            if alone
            else f"The nodes {listed(names[:8], 'and')} lead only to each other, never to END.",
            "Give one of them a way to END, such as a conditional edge with a limit.",
        )


@rule("TWO_WAYS_OUT")
def one_way_out(draft: Draft) -> Iterator[Finding]:
    """A node has one edge: a plain one, or a conditional one that chooses."""
    for id, edges in draft.leaving.items():
        for index in edges[1:]:
            yield (
                at("edges", index),
                f"Node {quoted(id)} has more than one way out: edges[{edges[0]}] and edges[{index}].",
                "Keep one edge; to choose between nodes, make it conditional.",
            )


RULES = (every_node_is_reached, every_node_goes_on, every_path_ends, one_way_out)
