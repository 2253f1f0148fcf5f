"""The operation that sets one field of anything: a node, an edge, a channel, a tool or the flow."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from flows.edits import routes
from flows.edits.changes import same
from flows.edits.naming import missing
from flows.edits.operation import ChannelTarget, EdgeTarget, FlowTarget, NodeTarget, Operation, Target, ToolTarget
from flows.edits.work import Mistake, UnitMove, Work
from flows.problem import at, quoted
from flows.words.base import keys, shape
from flows.words.document import Document

Json = Any


def _part(value: Any) -> str:
    return "<key>" if isinstance(value, str) else "<position>"


Part = Annotated[
    Annotated[str, Field(max_length=200), Tag("<key>")] | Annotated[int, Field(ge=0, le=100_000), Tag("<position>")],
    Discriminator(_part),
]

# What names the thing itself, and which operation changes it.
_NAMES = {
    (NodeTarget, "id"): 'Use the operation "renameNode": everything that names the node follows.',
    (ToolTarget, "name"): 'Use the operation "renameTool": every node that calls the tool follows.',
    (EdgeTarget, "from"): 'Use "disconnect" and "connect".',
}
STORED = ("id", "createdBy", "lastUpdatedBy")
_SECTIONS = {"nodes": "node", "edges": "edge", "tools": "tool", "state": "channel"}
_CODE = {"handler": "handler", "router": "router"}


class SetField(Operation):
    """Set one field of a node, an edge, a channel, a tool or the flow; without a value the field is removed.

    Names have operations of their own: renameNode, renameChannel, renameTool, renameRoute.
    """

    op: Literal["setField"]
    on: Target = Field(description="What has the field.")
    path: Annotated[list[Part], Field(min_length=1, max_length=40)] = Field(
        description='Keys and list positions from there: ["prompt"], ["approval", "ask"], ["retry", "maxAttempts"]. '
        "Objects that are missing on the way are made; the position after a list's last entry adds one."
    )
    value: Json = Field(None, description="The new value, any JSON. Left out: the field is removed.")
    was: Json = Field(None, description="The value that you saw there; when it is another by now, nothing is changed.")

    def act(self, work: Work) -> None:
        self._judge()
        base = self._base(work)
        here: Json = work.document
        for part in base:
            here = here[part]
        whole = [*base, *self.path]
        removes = "value" not in self.model_fields_set
        place, holder = self._walk(here, base)
        there = _has(holder, whole[place]) if place == len(whole) - 1 else False
        current = holder[whole[-1]] if there else None
        if "was" in self.model_fields_set and not work.forced and not self._as_seen(there, current, removes):
            raise Mistake("FIELD_CHANGED", f"{self._called()} was changed meanwhile.", "Look at what stands there now.")
        if removes:
            if there:
                work.drop(whole)
            return
        services = _services(work)
        self._set(work, whole, place, holder)
        self._move_code(work, base, there, current)
        work.moves += _renamed(services, _services(work))

    def _judge(self) -> None:
        first = str(self.path[0])
        hint = _NAMES.get((type(self.on), first))
        if hint is not None and len(self.path) == 1:
            raise Mistake("FIELD_IS_NAME", f"{quoted(first)} is a name, and it is not set as a field.", hint)
        if isinstance(self.on, FlowTarget) and first in STORED:
            raise Mistake("FIELD_IS_STORED", f"{quoted(first)} is kept by the studio and not edited.", "Leave it.")
        if isinstance(self.on, FlowTarget) and first in _SECTIONS:
            raise Mistake(
                "FIELD_IS_SECTION", f"{quoted(first)} is not set as a field of the flow.",
                f'Set a field on one {_SECTIONS[first]}: {{"{_SECTIONS[first]}": …}}, or add and remove one.',
            )  # fmt: skip

    def _base(self, work: Work) -> list[str | int]:
        """The path of what has the field. Raises Mistake when there is no such thing."""
        on = self.on
        if isinstance(on, NodeTarget):
            index = work.node_at(on.node)
            if index is None:
                raise missing("node", on.node, work.node_ids)
            return ["nodes", index]
        if isinstance(on, EdgeTarget):
            return ["edges", routes.chosen(work, on.edge.from_, on.edge.to)]
        if isinstance(on, ChannelTarget):
            if not isinstance(work.mapped("state").get(on.channel), dict):
                raise missing("channel", on.channel, work.mapped("state"))
            return ["state", on.channel]
        if isinstance(on, ToolTarget):
            found = next((index for index, name, _ in work.tools() if name == on.tool), None)
            if found is None:
                raise missing("tool", on.tool, work.tool_names)
            return ["tools", found]
        return []

    def _walk(self, here: Json, base: list[str | int]) -> tuple[int, Json]:
        """How far the path exists: the position of the part to set, and what that part is set in."""
        last = len(self.path) - 1
        for position, part in enumerate(self.path):
            self._judge_part(here, part, position)
            if position == last or not _has(here, part):
                return len(base) + position, here
            here = here[part]
        raise AssertionError("A path has at least one part.")

    def _judge_part(self, here: Json, part: str | int, position: int) -> None:
        if isinstance(here, dict) and isinstance(part, str):
            return
        inside = self._called(position)
        if isinstance(here, list) and isinstance(part, int):
            if part > len(here):
                raise Mistake(
                    "FIELD_UNREACHABLE", f"{inside} has {len(here)} entries, so there is no position {part}.",
                    f"The next free position is {len(here)}.",
                )  # fmt: skip
            return
        what = "a position" if isinstance(part, int) else "a key"
        raise Mistake(
            "FIELD_UNREACHABLE", f"{inside} is {shape(here)}, so {what} inside it cannot be set.",
            "Set the whole field instead.",
        )  # fmt: skip

    def _as_seen(self, there: bool, current: Json, removes: bool) -> bool:
        """Is the field as its editor saw it, or already as they want it?"""
        seen = same(current, self.was) if there else self.was is None
        wanted = not there if removes else there and same(current, self.value)
        return seen or wanted

    def _set(self, work: Work, whole: list[str | int], place: int, holder: Json) -> None:
        value = self.value
        for part in reversed(whole[place + 1 :]):
            if isinstance(part, int) and part != 0:
                raise Mistake("FIELD_UNREACHABLE", f"{self._called()} is not there yet.", "Begin at position 0.")
            value = [value] if isinstance(part, int) else {part: value}
        path = whole[: place + 1]
        if isinstance(holder, list) and path[-1] == len(holder):
            work.insert(path, value)
        else:
            work.put(path, value, before=_after(str(path[0])) if len(path) == 1 else ())

    def _move_code(self, work: Work, base: list[str | int], there: bool, old: Json) -> None:
        """A handler or a router that nobody else uses takes its code along to its new name."""
        kind = _CODE.get(str(self.path[0])) if len(self.path) == 1 else None
        if (
            kind is None
            or not there
            or not isinstance(old, str)
            or not isinstance(self.value, str)
            or old == self.value
        ):
            return
        section = "nodes" if kind == "handler" else "edges"
        others = (each.get(kind) for each in work.listed(section) if isinstance(each, dict))
        if base[:1] == [section] and old not in others:
            work.moves.append(UnitMove(kind, old, self.value))

    def _called(self, until: int | None = None) -> str:
        path = at("", *self.path[:until])
        owner = self._owner()
        return f"{quoted(path)} of {owner}" if path else owner[:1].upper() + owner[1:]

    def _owner(self) -> str:
        on = self.on
        if isinstance(on, NodeTarget):
            return quoted(on.node)
        if isinstance(on, EdgeTarget):
            return f"the edge from {quoted(on.edge.from_)}"
        if isinstance(on, ChannelTarget):
            return f"the channel {quoted(on.channel)}"
        return f"the tool {quoted(on.tool)}" if isinstance(on, ToolTarget) else "the flow"

    def words(self) -> str:
        verb = "Change" if "value" in self.model_fields_set else "Remove"
        return f"{verb} {quoted(at('', *self.path))} of {self._owner()}"


def _services(work: Work) -> dict[str, Json]:
    """The services of the flow's own that code is written for, as they are described now."""
    needs = work.mapped("requires").get("services")
    return dict(needs) if isinstance(needs, dict) else {}


def _renamed(old: dict[str, Json], new: dict[str, Json]) -> list[UnitMove]:
    """Services that have another name and the same words, where it is plain which is which: their code goes along."""
    gone = [(name, words) for name, words in old.items() if name not in new and isinstance(words, str)]
    come = [(name, words) for name, words in new.items() if name not in old]
    moves: list[UnitMove] = []
    for name, words in gone:
        others, now = [one for one, said in gone if said == words], [one for one, said in come if said == words]
        if len(others) == len(now) == 1:
            moves.append(UnitMove("service", name, now[0]))
    return moves


def _has(here: Json, part: str | int) -> bool:
    if isinstance(here, list):
        return isinstance(part, int) and part < len(here)
    return isinstance(here, dict) and part in here


def _after(key: str) -> list[str]:
    """The keys that stand behind this one at the top of a flow, as the language lists them."""
    order = keys(Document)
    return order[order.index(key) + 1 :] if key in order else []
