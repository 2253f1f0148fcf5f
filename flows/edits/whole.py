"""Operations on many parts at once: pasting, and putting a whole text in place of the draft."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from flows import identity
from flows.edits.changes import Sketch, copied
from flows.edits.compare import compared
from flows.edits.naming import follow, follow_all, follow_channels, free, judge_code_name, judge_node_id, let_go
from flows.edits.operation import Operation, Position
from flows.edits.references import is_conditional, references
from flows.edits.routes import members, remove, routers
from flows.edits.work import Mistake, Work
from flows.words.names import END, SKIP
from flows.words.strictjson import MAX_BYTES

Json = Any
Many = Field(max_length=5000)


class Paste(Operation):
    """Add copied nodes with their edges, channels and tools. What has a name that is taken gets another, and
    everything in the copy that names it follows; a channel or tool that is the same in both is shared.
    """

    op: Literal["paste"]
    nodes: Annotated[list[dict[str, Json]], Many] = Field(description="The copied nodes.")
    edges: Annotated[list[dict[str, Json]], Many] = Field(
        default_factory=list, description="The edges that leave them. Where one leads out of the copy, it is left out."
    )
    channels: Annotated[dict[str, dict[str, Json]], Many] = Field(
        default_factory=dict, description="The channels that they name, by name."
    )
    tools: Annotated[list[dict[str, Json]], Many] = Field(default_factory=list, description="The tools that they call.")
    positions: dict[str, Position] | None = Field(None, description="Where they stood, by id.")
    offset: Position | None = Field(None, description="How far from there the copies are put.")

    def act(self, work: Work) -> None:
        copy = Work(
            Sketch(copied({"nodes": self.nodes, "edges": self.edges, "state": self.channels, "tools": self.tools}), {})
        )
        for node in self.nodes:
            judge_node_id(node.get("id"))
        ids = copy.node_ids
        if len(set(ids)) != len(ids):
            raise Mistake("NODE_ID_TWICE", "Two of the copied nodes have one id.", "Copy them again.")
        self._keep_inside(work, copy)
        self._channels(work, copy)
        self._tools(work, copy)
        self._code(work, copy)
        there, names, renamed = set(work.node_ids), {*work.node_ids, *ids}, dict[str, str]()
        for index, old, _ in list(copy.nodes()):
            if old in there:
                new = renamed[old] = free(old, names)
                names.add(new)
                copy.put(["nodes", index, "id"], new)
        follow_all(copy, ("node", "next"), renamed)
        work.renamed |= renamed
        self._add(work, copy, {str(new): old for old, new in renamed.items()})

    def _keep_inside(self, work: Work, copy: Work) -> None:
        """Leave out the edges that begin or end outside the copy, and what else names a node that is nowhere."""
        ids = set(copy.node_ids)
        for index, from_, edge in reversed(list(copy.edges())):
            ways = members(edge, "routes") if is_conditional(edge) else {None: edge.get("to")}
            if from_ not in ids:
                copy.drop(["edges", index])
                continue
            for route, to in list(ways.items()):
                if not isinstance(to, str) or (to not in ids and to != END):
                    remove(copy, index, route)
        known = {*ids, *work.node_ids, END, SKIP}
        for found in reversed(list(references(copy.document, "node", "next"))):
            if found.text not in known:
                let_go(copy, found)

    def _channels(self, work: Work, copy: Work) -> None:
        there = work.mapped("state")
        names, renamed = {*there, *self.channels}, dict[str, str]()
        for name, channel in self.channels.items():
            judge_code_name("channel", name)
            if name not in there:
                continue
            if there[name] == channel:
                copy.drop(["state", name])
                continue
            new = renamed[name] = free(name, names)
            names.add(new)
            copy.rename_key(["state", name], new)
            work.renamed.setdefault(name, new)
        follow_channels(copy, renamed)

    def _tools(self, work: Work, copy: Work) -> None:
        there = {name: tool for _, name, tool in work.tools()}
        for tool in self.tools:
            judge_code_name("tool", tool.get("name"))
            name = str(tool["name"])
            index = next(index for index, each, _ in copy.tools() if each == name)
            if there.get(name) == tool:
                copy.drop(["tools", index])
            elif name in there:
                new = free(name, {*there, *copy.tool_names})
                copy.put(["tools", index, "name"], new)
                follow(copy, ("tool",), name, new)
                work.renamed.setdefault(name, new)

    def _code(self, work: Work, copy: Work) -> None:
        """Handlers and routers that are called like one of the flow's and do something else get names of their own."""
        said = {node["handler"]: node.get("description") for _, _, node in work.nodes() if _named(node, "handler")}
        names: dict[str, str] = {}
        for index, _, node in list(copy.nodes()):
            old, words = node.get("handler"), node.get("description")
            if isinstance(old, str) and said.get(old, words) != words:
                names.setdefault(old, free(old, {*said, *names.values()}))
                copy.put(["nodes", index, "handler"], names[old])
        when = {edge["router"]: edge.get("when") for _, _, edge in work.edges() if _named(edge, "router")}
        for index, _, edge in list(copy.edges()):
            if _named(edge, "router") and when.get(edge["router"], edge.get("when")) != edge.get("when"):
                copy.put(["edges", index, "router"], free(edge["router"], {*when, *routers(copy)}))

    def _add(self, work: Work, copy: Work, old_names: dict[str, str]) -> None:
        first = not work.listed("nodes")
        if copy.listed("tools"):
            work.section("tools", [], before=["state", "nodes", "edges"])
        for tool in copy.listed("tools"):
            work.insert(["tools", len(work.listed("tools"))], tool)
        if copy.mapped("state"):
            work.section("state", {}, before=["nodes", "edges"])
        for name, channel in copy.mapped("state").items():
            work.put(["state", name], channel)
        work.section("nodes", [], before=["edges"])
        for node in copy.listed("nodes"):
            work.insert(["nodes", len(work.listed("nodes"))], node)
            id = str(node["id"])
            position = (self.positions or {}).get(old_names.get(id, id))
            if position is not None:
                by = self.offset or Position(x=0, y=0)
                work.place(id, position.x + by.x, position.y + by.y)
        if copy.listed("edges"):
            work.section("edges", [])
        for edge in copy.listed("edges"):
            work.insert(["edges", len(work.listed("edges"))], edge)
        if first and copy.node_ids:
            work.put(["start"], copy.node_ids[0], before=["tools", "state", "nodes", "edges"])

    def words(self) -> str:
        return "Paste 1 node" if len(self.nodes) == 1 else f"Paste {len(self.nodes)} nodes"


def _named(part: dict[str, Json], key: str) -> bool:
    return isinstance(part.get(key), str)


class SetDocument(Operation):
    """Put a whole flow in place of the draft: a text as typed in the JSON view, or a version that is restored."""

    reads_text = True

    op: Literal["setDocument"]
    text: str = Field(max_length=MAX_BYTES, description="The flow as JSON text. It keeps this flow's id.")

    def act(self, work: Work) -> None:
        text = identity.identified(self.text, work.id) if work.id is not None else self.text
        document = identity.read(text)
        if isinstance(work.sketch.document, dict) and document is not None:
            work.do(compared(work.sketch.document, document))
        elif work.sketch.document is not None or document is not None:
            work.swap(document)
        work.text = text

    def words(self) -> str:
        return "Change the text"
