"""Operations on edges and their routes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from flows.edits import routes
from flows.edits.naming import judge_route_name, missing, route_name, router_name, taken
from flows.edits.operation import Next, NodeId, Operation
from flows.edits.references import is_conditional
from flows.edits.routes import OTHERWISE, members
from flows.edits.work import Mistake, Work
from flows.problem import quoted
from flows.words.when import is_otherwise

Json = Any
Route = "The route's name: up to 32 lowercase letters, digits, _ and -."


class Connect(Operation):
    """Lead from one node to another.

    From a node without a way out this makes a plain edge, or a conditional one when a route or a sentence is given.
    From a node with a plain edge it makes that edge conditional, with two routes. From a conditional edge it adds a
    route.
    """

    op: Literal["connect"]
    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    to: Next = Field(description="The id of the node that it leads to, or END.")
    route: str | None = Field(None, max_length=64, description=f"{Route} Left out: one is made up where it is needed.")
    when: str | None = Field(
        None, max_length=8000,
        description="What is checked before the route is taken: \"'kind' is \\\"order\\\"\", or \"anything else\".",
    )  # fmt: skip

    def act(self, work: Work) -> None:
        if work.node_at(self.from_) is None:
            raise missing("node", self.from_, work.node_ids)
        if not work.is_next(self.to):
            raise missing("node", self.to, [*work.node_ids, "END"])
        if self.route is not None:
            judge_route_name(self.route)
        work.section("edges", [])
        leaving = work.leaving(self.from_)
        if not leaving:
            self._begin(work)
            return
        index, edge = next((each for each in leaving if is_conditional(each[1])), leaving[0])
        if not is_conditional(edge):
            if edge.get("to") == self.to:
                raise self._already()
            self._make_conditional(work, index, edge)
        self._add_route(work, index)

    def _begin(self, work: Work) -> None:
        edge: dict[str, Json] = {"from": self.from_, "to": self.to}
        if self.route is not None or self.when is not None:
            name = self.route or route_name(self.to, ())
            router = router_name(self.from_, routes.routers(work))
            edge = {
                "from": self.from_, "type": "conditional", "router": router,
                "routes": {name: self.to}, "when": {name: self.when or ""},
            }  # fmt: skip
        work.insert(["edges", len(work.listed("edges"))], edge)

    def _make_conditional(self, work: Work, index: int, edge: dict[str, Json]) -> None:
        """The plain edge becomes the route for whatever the new one leaves."""
        aim = edge.get("to")
        name = route_name(aim if isinstance(aim, str) else "", {self.route} if self.route else ())
        if "to" in edge:
            work.drop(["edges", index, "to"])
        work.put(["edges", index, "type"], "conditional")
        work.put(["edges", index, "router"], router_name(self.from_, routes.routers(work)))
        work.put(["edges", index, "routes"], {name: aim})
        rest = "" if self.when is not None and is_otherwise(self.when) else OTHERWISE
        work.put(["edges", index, "when"], {name: rest})

    def _add_route(self, work: Work, index: int) -> None:
        edge = work.listed("edges")[index]
        there = members(edge, "routes")
        if self.route in there:
            raise taken(f"route from {quoted(self.from_)} called", str(self.route))
        if self.route is None and self.to in there.values():
            raise self._already()
        for key in ("routes", "when"):
            if not isinstance(edge.get(key), dict):
                work.put(["edges", index, key], {})
        name = self.route or route_name(self.to, there)
        sentence = self.when
        if sentence is None:
            sentence = "" if routes.says_otherwise(edge) else OTHERWISE
        last = [route for route, each in members(edge, "when").items() if isinstance(each, str) and is_otherwise(each)]
        work.put(["edges", index, "routes", name], self.to, before=last)
        work.put(["edges", index, "when", name], sentence, before=last)

    def _already(self) -> Mistake:
        return Mistake(
            "EDGE_EXISTS", f"{quoted(self.from_)} leads to {quoted(self.to)} already.",
            "Lead somewhere else, or give the second way a route of its own.",
        )  # fmt: skip

    def words(self) -> str:
        return f"Connect {quoted(self.from_)} to {quoted(self.to)}"


class Disconnect(Operation):
    """Remove an edge, or one route of a conditional edge with its sentence and its limit."""

    op: Literal["disconnect"]
    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    to: Next = Field(description="The node that it leads to, or END.")
    route: str | None = Field(None, max_length=64, description="The route's name, when several routes lead there.")

    def act(self, work: Work) -> None:
        index, route = routes.find(work, self.from_, self.to, self.route)
        count = len(work.listed("edges"))
        routes.remove(work, index, route)
        if len(work.listed("edges")) == count:
            routes.settle(work, index)

    def words(self) -> str:
        return f"Disconnect {quoted(self.from_)} from {quoted(self.to)}"


class Reconnect(Operation):
    """Let an edge, or a route, lead to another node."""

    op: Literal["reconnect"]
    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    to: Next = Field(description="The node that it leads to, or END.")
    route: str | None = Field(None, max_length=64, description="The route's name, when several routes lead there.")
    new_to: Next = Field(description="The node that it is to lead to, or END.")

    def act(self, work: Work) -> None:
        index, route = routes.find(work, self.from_, self.to, self.route)
        if not work.is_next(self.new_to):
            raise missing("node", self.new_to, [*work.node_ids, "END"])
        routes.point(work, index, route, self.new_to)

    def words(self) -> str:
        return f"Lead {quoted(self.from_)} to {quoted(self.new_to)}"


class RenameRoute(Operation):
    """Give a route of a conditional edge another name. Its sentence and its limits follow."""

    op: Literal["renameRoute"]
    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    route: str = Field(max_length=64, description="The route's name.")
    to: str = Field(min_length=1, max_length=64, description=Route)

    def act(self, work: Work) -> None:
        judge_route_name(self.to)
        index = routes.chosen(work, self.from_, None)
        edge = work.listed("edges")[index]
        there = members(edge, "routes")
        if self.route not in there:
            raise missing(f"route from {quoted(self.from_)} called", self.route, there)
        if self.to == self.route:
            return
        if any(self.to in members(edge, key) for key in ("routes", "when", "limits")):
            raise taken(f"route from {quoted(self.from_)} called", self.to)
        for key in ("routes", "when", "limits"):
            if self.route in members(edge, key):
                work.rename_key(["edges", index, key, self.route], self.to)
        for name, limit in list(members(edge, "limits").items()):
            if isinstance(limit, dict) and limit.get("then") == self.route:
                work.put(["edges", index, "limits", name, "then"], self.to)

    def words(self) -> str:
        return f"Rename the route {quoted(self.route)} to {quoted(self.to)}"
