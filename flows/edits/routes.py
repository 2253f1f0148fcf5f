"""Edges as edits see them: which one leads where, and what goes with a route when it goes."""

from __future__ import annotations

from typing import Any

from flows.edits.naming import missing
from flows.edits.references import is_conditional
from flows.edits.work import Mistake, Work
from flows.problem import listed, quoted
from flows.words.when import is_otherwise

Json = Any
OTHERWISE = "anything else"


def members(edge: dict[str, Json], key: str) -> dict[str, Json]:
    """routes, when or limits of an edge; nothing when it is none."""
    found = edge.get(key)
    return found if isinstance(found, dict) else {}


def routers(work: Work) -> set[str]:
    return {edge["router"] for _, _, edge in work.edges() if isinstance(edge.get("router"), str)}


def says_otherwise(edge: dict[str, Json]) -> bool:
    """Has a route the sentence for whatever the others leave?"""
    return any(isinstance(each, str) and is_otherwise(each) for each in members(edge, "when").values())


def find(work: Work, from_: str, to: str, route: str | None) -> tuple[int, str | None]:
    """(position of the edge, its route; None for a plain edge) that leads from one node to another. Raises Mistake."""
    named: list[tuple[int, str | None]] = []
    for index, edge in work.leaving(from_):
        if is_conditional(edge):
            named += [
                (index, name) for name, aim in members(edge, "routes").items() if aim == to and route in (None, name)
            ]
        elif edge.get("to") == to and route is None:
            named.append((index, None))
    if len(named) == 1 or (named and named[0][1] is None):
        return named[0]
    if named:
        routes = listed([name for _, name in named], "and")
        raise Mistake(
            "ROUTE_UNCLEAR", f"Several routes lead from {quoted(from_)} to {quoted(to)}: {routes}.",
            'Say which one with "route".',
        )  # fmt: skip
    by = f" by the route {quoted(route)}" if route else ""
    raise Mistake(
        "EDGE_NOT_FOUND", f"Nothing leads from {quoted(from_)} to {quoted(to)}{by}.",
        "It may have been removed or changed meanwhile.", from_ if work.node_at(from_) is None else "",
    )  # fmt: skip


def chosen(work: Work, from_: str, to: str | None) -> int:
    """The position of the edge that a target names: the conditional one that leaves, or the one that leads to `to`."""
    leaving = work.leaving(from_)
    if to is not None:
        for index, edge in leaving:
            if edge.get("to") == to or to in members(edge, "routes").values():
                return index
        return find(work, from_, to, None)[0]
    conditional = [index for index, edge in leaving if is_conditional(edge)] or [index for index, _ in leaving]
    if not conditional:
        raise missing("edge from", from_, [each for _, each, _ in work.edges()])
    return conditional[0]


def point(work: Work, index: int, route: str | None, to: str) -> None:
    """Let an edge, or one of its routes, lead elsewhere."""
    work.put(["edges", index, "to"] if route is None else ["edges", index, "routes", route], to)


def remove(work: Work, index: int, route: str | None) -> None:
    """Remove an edge, or a route with its sentence and the limits that name it. Its last route takes the edge along."""
    edge = work.listed("edges")[index]
    if route is None or members(edge, "routes").keys() <= {route}:
        work.drop(["edges", index])
        return
    for key in ("routes", "when", "limits"):
        if route in members(edge, key):
            work.drop(["edges", index, key, route])
    for name, limit in list(members(edge, "limits").items()):
        if isinstance(limit, dict) and limit.get("then") == route:
            work.drop(["edges", index, "limits", name])
    if "limits" in edge and not edge["limits"]:
        work.drop(["edges", index, "limits"])


def settle(work: Work, index: int) -> None:
    """Make a conditional edge plain again when nothing is left to choose: one route, whose sentence asks nothing."""
    edge = work.listed("edges")[index]
    routes, when = members(edge, "routes"), members(edge, "when")
    if not is_conditional(edge) or len(routes) != 1 or "limits" in edge:
        return
    (name, to), *_ = routes.items()
    sentence = when.get(name, "")
    if not when.keys() <= {name} or not isinstance(sentence, str) or (sentence.strip() and not is_otherwise(sentence)):
        return
    for key in ("type", "router", "routes", "when"):
        if key in edge:
            work.drop(["edges", index, key])
    work.put(["edges", index, "to"], to)
