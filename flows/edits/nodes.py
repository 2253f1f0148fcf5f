"""Operations on nodes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from flows.edits import routes
from flows.edits.naming import follow, judge_node_id, let_go, missing, taken
from flows.edits.operation import Next, NodeId, Operation, Position
from flows.edits.references import is_conditional, references
from flows.edits.routes import members
from flows.edits.work import Mistake, Work
from flows.kinds import BY_TYPE
from flows.problem import listed, quoted, suggestion
from flows.words.base import Word
from flows.words.names import END

Json = Any


class Splice(Word):
    """The edge that a new node is dropped on: it comes between its two ends."""

    from_: NodeId = Field(alias="from", description="The id of the node that the edge leaves.")
    to: Next = Field(description="The id of the node that the edge leads to, or END.")
    route: str | None = Field(None, max_length=64, description="The route's name, when the edge is conditional.")


class AddNode(Operation):
    """Add a node. The first node of a flow becomes its start. Give it a way out with connect, unless it is spliced."""

    op: Literal["addNode"]
    node: dict[str, Json] = Field(
        description='The whole node as the language writes it: "id", "type" (left out for a handler) and its fields.'
    )
    position: Position | None = Field(None, description="Where it stands on the canvas; left out when you do not know.")
    splice: Splice | None = Field(None, description="An edge that there is: the node is put in the middle of it.")

    def act(self, work: Work) -> None:
        id = self.node.get("id")
        judge_node_id(id)
        if work.node_at(str(id)) is not None:
            raise taken("node", str(id))
        self._judge_kind()
        work.section("nodes", [], before=["edges"])
        first = not work.listed("nodes")
        place = len(work.listed("nodes"))
        if self.splice is not None:
            index, route = routes.find(work, self.splice.from_, self.splice.to, self.splice.route)
            before = work.node_at(self.splice.from_)
            place = place if before is None else before + 1
            routes.point(work, index, route, str(id))
            work.insert(["edges", index + 1], {"from": id, "to": self.splice.to})
        work.insert(["nodes", place], self.node)
        if first:
            work.put(["start"], id, before=["tools", "state", "nodes", "edges"])
        if self.position is not None:
            work.place(str(id), self.position.x, self.position.y)

    def _judge_kind(self) -> None:
        kind = self.node.get("type", "handler")
        if not isinstance(kind, str) or kind not in BY_TYPE:
            hint = suggestion(str(kind), BY_TYPE, f"Use {listed(BY_TYPE)}. A node without a type is a handler.")
            raise Mistake("KIND_UNKNOWN", f"{quoted(kind)} is no kind of node.", hint)

    def makes(self) -> set[str]:
        return {str(self.node.get("id"))}

    def words(self) -> str:
        return f"Add {quoted(self.node.get('id'))}"


class RemoveNodes(Operation):
    """Remove nodes with the edges at them."""

    op: Literal["removeNodes"]
    ids: Annotated[list[NodeId], Field(min_length=1, max_length=5000)] = Field(description="The ids of the nodes.")
    heal: bool = Field(
        True, description="Join what led to a removed node to what came after it; false leaves the gap open."
    )

    def act(self, work: Work) -> None:
        gone = list(dict.fromkeys(self.ids))
        for id in gone:
            if work.node_at(id) is None:
                raise missing("node", id, work.node_ids)
        after = _heirs(work, gone) if self.heal else dict.fromkeys(gone)
        self._edges(work, after)
        dropped: set[str | int] = set()
        for found in reversed(list(references(work.document, "node", "next"))):
            inside = _node_of(work, found.path)
            if found.path[0] == "views" and (found.path[1] in dropped or found.path[-1] == "with"):
                # A button goes with the question that it stands in.
                if found.text in after and found.path[1] not in dropped:
                    work.drop(list(found.path[:2]))
                    dropped.add(found.path[1])
                continue
            if found.text not in after or found.path[0] == "edges" or inside in after:
                continue
            heir = after[found.text]
            if heir is not None and heir not in (END, inside):
                work.put(found.path, heir)
            else:
                let_go(work, found)
        for index, id, _ in reversed(list(work.nodes())):
            if id in after:
                work.drop(["nodes", index])
                if id in work.placed() and id not in work.node_ids:
                    work.drop(["nodes", id], doc="layout")

    def _edges(self, work: Work, after: dict[str, str | None]) -> None:
        """Remove the edges at the nodes, or let them lead on. From the last on, so that positions stay true."""
        for index, from_, edge in reversed(list(work.edges())):
            if from_ in after:
                work.drop(["edges", index])
                continue
            ways = members(edge, "routes") if is_conditional(edge) else {None: edge.get("to")}
            for route, to in list(ways.items()):
                if not isinstance(to, str) or to not in after:
                    continue
                heir = after[to]
                if heir is None or heir == from_:
                    routes.remove(work, index, route)
                else:
                    routes.point(work, index, route, heir)
        for index, _, edge in work.edges():
            for route, limit in list(members(edge, "limits").items()):
                if isinstance(limit, dict) and isinstance(limit.get("per"), str) and limit["per"] in after:
                    work.drop(["edges", index, "limits", route, "per"])

    def words(self) -> str:
        return f"Remove {quoted(self.ids[0])}" if len(self.ids) == 1 else f"Remove {len(self.ids)} nodes"


def _heirs(work: Work, gone: list[str]) -> dict[str, str | None]:
    """By removed node what comes after it, past others that go too; None when it is not one thing."""
    aims: dict[str, set[str]] = {id: set() for id in gone}
    for _, from_, edge in work.edges():
        if from_ in aims:
            ways = members(edge, "routes").values() if is_conditional(edge) else [edge.get("to")]
            aims[from_] |= {each for each in ways if isinstance(each, str) and each != from_}
    there = {END, *work.node_ids}
    found: dict[str, str | None] = {}
    for id in gone:
        way, at = dict[str, None](), id
        while at not in found and at not in way and len(aims.get(at, ())) == 1:
            way[at] = None
            (at,) = aims[at]
        # A way that leads back into itself, or apart, leads to nothing.
        heir = found.get(at) if at in aims else at if at in there else None
        found.update(dict.fromkeys(way or [id], heir))
    return found


def _node_of(work: Work, path: tuple[str | int, ...]) -> str | None:
    """The id of the node that a path is in."""
    if path[0] != "nodes":
        return None
    id = work.listed("nodes")[int(path[1])].get("id")
    return id if isinstance(id, str) else None


class RenameNode(Operation):
    """Give a node another id. Everything that names it follows: start, edges, routes, limits, onError, onReject."""

    op: Literal["renameNode"]
    id: NodeId = Field(description="The node's id.")
    to: str = Field(min_length=1, max_length=64, description="The new id: letters, digits, _ and -.")

    def act(self, work: Work) -> None:
        places = [index for index, id, _ in work.nodes() if id == self.id]
        if not places:
            raise missing("node", self.id, work.node_ids)
        judge_node_id(self.to)
        if self.to == self.id:
            return
        if self.to in work.node_ids:
            raise taken("node", self.to)
        work.put(["nodes", places[-1], "id"], self.to)
        if len(places) > 1:
            # What names an id that two nodes have means the first; the second one gets a name of its own.
            return
        follow(work, ("node", "next"), self.id, self.to)
        if self.to in work.placed():
            # Of a node that is no more, as after a change of the text.
            work.drop(["nodes", self.to], doc="layout")
        if self.id in work.placed():
            work.rename_key(["nodes", self.id], self.to, doc="layout")

    def makes(self) -> set[str]:
        return {self.to}

    def words(self) -> str:
        return f"Rename {quoted(self.id)} to {quoted(self.to)}"


class SetStart(Operation):
    """Say which node a run begins with."""

    op: Literal["setStart"]
    id: NodeId = Field(description="The id of the first node.")

    def act(self, work: Work) -> None:
        if work.node_at(self.id) is None:
            raise missing("node", self.id, work.node_ids)
        work.put(["start"], self.id, before=["tools", "state", "nodes", "edges"])

    def words(self) -> str:
        return f"Start with {quoted(self.id)}"
