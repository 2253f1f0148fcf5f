"""Edges: what runs next. A plain edge always goes on; a conditional one lets router code choose a route."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from flows.problem import Finding, at, chain, listed, quoted, rule, suggestion
from flows.words.base import Dsl, Word
from flows.words.names import ROUTE_NAME


class Limit(Word):
    """Take a route at most `max` times, then take the route named in `then`."""

    max: Annotated[int, Field(ge=1, le=10_000), Dsl(widget="number", label="At most")] = Field(
        description="How often the route may be taken."
    )
    then: Annotated[str, Dsl(ref="route", label="Then take")] = Field(
        description="The route taken afterwards: a route name, not a node id."
    )
    per: Annotated[str | None, Dsl(ref="node", since="0.3", label="Count again after")] = Field(
        None, description="The node that starts the count again whenever it runs."
    )


class Edge(Word):
    """What every edge has: the node it leaves."""

    from_: Annotated[str, Field(min_length=1), Dsl(ref="node", topic="edges")] = Field(
        alias="from", description="The id of the node that it leaves."
    )

    @property
    def goes(self) -> dict[str, str]:
        """Route name → node id or END. A plain edge has one route, named ""."""
        return {}


class PlainEdge(Edge):
    """Always goes on."""

    to: Annotated[str, Field(min_length=1), Dsl(ref="next")] = Field(description="The id of the next node, or END.")

    @property
    def goes(self) -> dict[str, str]:
        return {"": self.to}


class ConditionalEdge(Edge):
    """Lets a router choose one of its routes. The router's code is written from the when sentences."""

    type: Annotated[Literal["conditional"], Dsl(widget="shown")] = Field(
        description='"conditional"; leave it out for an edge that always goes on.'
    )
    router: Annotated[str, Dsl(widget="line", unit="router")] = Field(description="The name of the router's function.")
    routes: Annotated[dict[str, Annotated[str, Dsl(ref="next")]], Dsl(ref="next")] = Field(
        description="Route name → the node id it leads to, or END."
    )
    when: Annotated[dict[str, str], Dsl()] = Field(
        description="Route name → exactly what the router checks; the last is often “anything else”."
    )
    limits: Annotated[dict[str, Limit] | None, Dsl(since="0.2")] = Field(
        None, description="Route name → how often it may be taken, and the route taken then."
    )

    @property
    def goes(self) -> dict[str, str]:
        return self.routes


@rule("ROUTES_EMPTY")
def has_routes(edge: Edge, path: str) -> Iterator[Finding]:
    """A router with nothing to choose from ends nowhere."""
    if isinstance(edge, ConditionalEdge) and not edge.routes:
        yield (
            at(path, "routes"),
            f"The conditional edge from {quoted(edge.from_)} has no routes.",
            'Name at least one: "routes": { "ok": "next_node", "no": "END" }.',
        )


@rule("ROUTE_NAME_INVALID")
def route_names_are_short(edge: Edge, path: str) -> Iterator[Finding]:
    """Router code answers with a route's name, and people read it in the journal: short and lowercase."""
    for name in edge.goes:
        if isinstance(edge, ConditionalEdge) and not ROUTE_NAME.fullmatch(name):
            yield (
                at(path, "routes", name),
                f"The route {quoted(name)} from {quoted(edge.from_)} is not a short lowercase name.",
                "Use up to 32 lowercase letters, digits, _ and -, and begin with a letter.",
            )


@rule("WHEN_MISSING")
def every_route_has_a_sentence(edge: Edge, path: str) -> Iterator[Finding]:
    """The router is written from the sentences; a route without one can never be chosen."""
    if isinstance(edge, ConditionalEdge):
        for name in edge.routes:
            if not edge.when.get(name, "").strip():
                yield (
                    at(path, "when", name),
                    f"The route {quoted(name)} from {quoted(edge.from_)} has no when sentence.",
                    'Say exactly what is checked, such as "\'kind\' is \\"order\\"", or "anything else".',
                )


@rule("WHEN_WITHOUT_ROUTE")
def every_sentence_has_a_route(edge: Edge, path: str) -> Iterator[Finding]:
    """A sentence for a route that does not exist is a route that somebody misspelt."""
    if isinstance(edge, ConditionalEdge):
        for name in edge.when:
            if name not in edge.routes:
                yield (
                    at(path, "when", name),
                    f"The sentence for {quoted(name)} belongs to no route from {quoted(edge.from_)}.",
                    suggestion(name, edge.routes, f"Add the route, or remove the sentence. {_routes(edge)}"),
                )


@rule("LIMIT_ROUTE_UNKNOWN")
def limits_name_routes(edge: Edge, path: str) -> Iterator[Finding]:
    """A limit counts one of the edge's routes; `then` is another of them, not a node id."""
    for name, limit in ((isinstance(edge, ConditionalEdge) and edge.limits) or {}).items():
        if name not in edge.goes:
            yield (
                at(path, "limits", name),
                f"The limit on {quoted(name)} names no route from {quoted(edge.from_)}.",
                suggestion(name, edge.goes, _routes(edge)),
            )
        if limit.then not in edge.goes:
            aimed = next((route for route, node in edge.goes.items() if node == limit.then), None)
            hint = f"That is a node id; its route is {quoted(aimed)}." if aimed else _routes(edge)
            yield (
                at(path, "limits", name, "then"),
                f"The limit on {quoted(name)} goes on by {quoted(limit.then)}, which is no route from "
                f"{quoted(edge.from_)}.",
                hint if aimed else suggestion(limit.then, edge.goes, hint),
            )


@rule("LIMIT_GOES_ROUND")
def limits_end(edge: Edge, path: str) -> Iterator[Finding]:
    """When every limit hands over to another limited route, the last one has nowhere to go."""
    limits = (isinstance(edge, ConditionalEdge) and edge.limits) or {}
    followed: set[str] = set()
    for name in limits:
        way: dict[str, None] = {}
        here = name
        while here in limits and here not in followed and here not in way:
            way[here] = None
            here = limits[here].then
        followed.update(way)
        if here in way:
            circle = [*way][[*way].index(here) :]
            first = circle.index(min(circle))
            circle = [*circle[first:], *circle[: first + 1]]
            yield (
                at(path, "limits", circle[0], "then"),
                f"The limits from {quoted(edge.from_)} hand over in a circle: {chain(circle)}.",
                "Let one of them go on by a route without a limit.",
            )


def _routes(edge: Edge) -> str:
    return f"Its routes are {listed(edge.goes, 'and')}." if edge.goes else "It has no routes."


RULES = (
    has_routes,
    route_names_are_short,
    every_route_has_a_sentence,
    every_sentence_has_a_route,
    limits_name_routes,
    limits_end,
)
