"""Fan-outs: a Send for each item, the copies it makes, and the node at which they meet.

A copy that can neither pause nor run another flow is one task, `<target>.copy`. Any other is `<target>.apart`, a task
that runs a graph of its own, so that a copy that waits for a person holds up nobody. Each copy gives one outcome; when
all have, `<fan-out>.join` writes them in the order of the items, and the flow goes on once.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import partial
from typing import Annotated, Any, Literal, TypedDict

from langgraph.config import get_config
from langgraph.graph import END
from langgraph.types import Command, Send

from flows.kinds import kind_of
from flows.kinds.base import NodeFailed
from flows.kinds.fanout import FanoutNode
from flows.words.channel import reduce
from flows.words.document import Document
from flows.words.label import label
from flows.words.names import SKIP
from runtime import stepname
from runtime.engine import again, ways
from runtime.engine.graph import Graph
from runtime.engine.lease import Lease, current, place_of
from runtime.engine.program import ANSWERS, CHANNEL, CLOCK, COPIES, COPY, KEPT, PLACE, RESULT, UNKNOWN, VISITS, Part
from runtime.engine.ways import REPLACE, Edges, RunFailure, State, entry, following, may_pause, task_at_work
from runtime.events import OutputWritten

Add = Callable[[Any, Document, Any, Edges], None]
Work = Callable[[Document, Any, Edges], Any]
APART_AT_ONCE = 64
"""So many copies of one fan-out that run a graph of their own are under way at the same time."""
WAVE = 1_000
"""So many copies begin together: with more, watching over them would cost more than they do."""
EDITS = "at.edits"
ENDS = "ends"
"""Under this an outcome names the fan-out that it makes hopeless, for whoever takes the run over."""

_around: ContextVar[State] = ContextVar("around")
"""What the flow holds whose copy this is. Copies read it, and no checkpoint of theirs keeps it."""


class Spread(Edges):
    """The way of a fan-out: a Send for each item. Topic: fanout."""

    def __init__(self, flow: Document, node: FanoutNode) -> None:
        super().__init__(flow, node)
        self._target = flow.node(node.to)

    def count(self, lease: Lease, state: State, address: str) -> None:
        items = state.get(CHANNEL + self.node.over)
        ways.count_steps(lease, state, address, len(items) if isinstance(items, list) else 0)

    def done(self, state: State, address: str, writes: State, ended: str = "", inside: int = 0) -> Command[Any]:
        node = self.node
        items = state.get(CHANNEL + node.over) or []
        visit = (state.get(VISITS) or {}).get(node.to, 0) + 1
        first, rest = items[:WAVE], items[WAVE:]
        found = {"visit": visit, "sent": len(first), "rest": rest, "done": []}
        after = super().done(state, address, {**writes, **({COPIES: {node.id: found}} if items else {})}, ended)
        sends = _sends(node.id, self._target, visit, 0, first)
        return Command(update=after.update, goto=[*sends, *([after.goto] if after.goto != END else [])])


class _Copy(Edges, ABC):
    """What every copy has in common: it sees its item, counts as one of many, and gives one outcome."""

    ends_run = False

    def __init__(self, flow: Document, node: Any) -> None:
        super().__init__(flow, node)
        self._items = {each.id: each.as_ for each in flow.nodes if isinstance(each, FanoutNode)}

    def _seen(self, around: State, state: State) -> tuple[State, str]:
        copy, place = state[COPY], around.get(PLACE)
        own = {name: state.get(name) for name in (ANSWERS, UNKNOWN, KEPT)}
        view = {
            **around,
            CHANNEL + self._items[copy["fan"]]: copy["item"],
            **(state.get(EDITS) or {}),
            **own,
            COPY: copy,
        }
        last = stepname.copy_of(self.node.id, copy["visit"], copy["index"])
        return view, f"{place['address'] if place else ''}{last}"

    def reads(self, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        # Code is given every channel; a thousand copies would repeat the same in a thousand entries of the journal.
        return tuple(dict.fromkeys(self._items.values())) if names is None else names

    def count(self, lease: Lease, state: State, address: str) -> None:
        """The fan-out counted its copies."""

    def needless(self, lease: Lease, state: State) -> Command[Any] | None:
        return self.gives(state, again.left(lease)) if _group(state, state[COPY]) in lease.hopeless else None

    def aside(self, failure: NodeFailed, address: str) -> tuple[Literal["onError", "skip", "end"], str | None]:
        target = self.node.on_error
        if target == SKIP:
            return "skip", None
        return ("end", None) if target is None else ("onError", target)

    def failed(self, state: State, address: str, failure: NodeFailed) -> Command[Any]:
        if self.node.on_error == SKIP:
            return self.gives(state, {"skipped": True})
        words = {
            "code": failure.code, "message": failure.message, "address": failure.address or address,
            "node": failure.node or stepname.named(address), "fence": current().fence,
        }  # fmt: skip
        if self.node.on_error is not None:
            return self.gives(state, {"failed": words})
        group = _group(state, state[COPY])
        current().hopeless.add(group)
        return self.gives(state, {"failed": words, ENDS: group})

    def done(self, state: State, address: str, writes: State, ended: str = "", inside: int = 0) -> Command[Any]:
        gave = {"writes": writes, "ended": ended, "steps": inside}
        return self.gives(state, {name: value for name, value in gave.items() if value})

    def declined(self, state: State, address: str, approval: State) -> Command[Any]:
        return self.gives(state, {"declined": approval})

    @abstractmethod
    def gives(self, state: State, outcome: State) -> Command[Any]:
        """The copy's outcome, on its way to where the copies meet."""


class OneTask(_Copy):
    """The way of a copy that is a single task of the flow's own graph."""

    def visit(self, state: State) -> tuple[State, str]:
        return self._seen(_read(self.channels), state)

    def __init__(self, flow: Document, node: Any, channels: tuple[str, ...]) -> None:
        super().__init__(flow, node)
        self.channels = channels

    def doubtful(self, state: State, address: str, key: str) -> Command[Any]:
        # Only a graph of its own can wait for a person without holding up the others.
        return Command(goto=Send(f"{self.node.id}.apart", {COPY: state[COPY], UNKNOWN: {address: key}}))

    def gives(self, state: State, outcome: State) -> Command[Any]:
        return _joins(state[COPY], outcome)


class OwnGraph(_Copy):
    """The way of a copy that has a graph of its own, which ends with its outcome."""

    def visit(self, state: State) -> tuple[State, str]:
        return self._seen(_around.get(), state)

    def keeps(self, update: State) -> State:
        """What a person corrected holds for this copy only."""
        edits = {name: _plain(value) for name, value in update.items() if name.startswith(CHANNEL)}
        kept = {name: value for name, value in update.items() if not name.startswith(CHANNEL)}
        return {**kept, EDITS: edits} if edits else kept

    def gives(self, state: State, outcome: State) -> Command[Any]:
        return Command(update={RESULT: outcome}, goto=END)


def is_apart(target: Any) -> bool:
    """Whether the copies of a node need a graph of their own from the beginning."""
    kind = kind_of(target.type)
    return kind.runs_flows or may_pause(target, kind) or kind.rests(target)


def add_to(graph: Graph, part: Part, channels: tuple[str, ...], add: Add, work: Work) -> None:
    """Put the copies of every fan-out's target, and the nodes at which they meet, into the graph of their flow.

    add puts the graph nodes of one flow node into a graph; work makes the one that does the work.
    """
    flow = part.document
    fans = [node for node in flow.nodes if isinstance(node, FanoutNode)]
    joins = tuple(f"{fan.id}.join" for fan in fans)
    for target in {fan.to: flow.node(fan.to) for fan in fans}.values():
        if not is_apart(target):
            graph.add(f"{target.id}.copy", work(flow, target, OneTask(flow, target, channels)), joins)
        part.copies[target.id] = _own_graph(flow, target, add)
        graph.add(f"{target.id}.apart", _apart(part, target, channels), joins)
    for fan in fans:
        graph.add(f"{fan.id}.join", _join(flow, fan), _ends(flow, fan))


def _own_graph(flow: Document, target: Any, add: Add) -> Any:
    from runtime.engine.compile import keep, merge

    fields: dict[str, Any] = {
        COPY: Annotated[Any, keep], RESULT: Annotated[Any, keep], CLOCK: Annotated[Any, keep],
        ANSWERS: Annotated[Any, merge], UNKNOWN: Annotated[Any, merge], KEPT: Annotated[Any, merge],
        EDITS: Annotated[Any, merge],
    }  # fmt: skip
    graph = Graph(TypedDict("CopyState", fields))  # type: ignore[operator]
    add(graph, flow, target, OwnGraph(flow, target))
    return graph.compile(f"{target.id}.ask" if f"{target.id}.ask" in graph else target.id)


def _apart(part: Part, target: Any, channels: tuple[str, ...]) -> Any:
    """The graph node that runs the graph of one copy."""

    async def run(state: State) -> Command[Any]:
        lease = current()
        await lease.checked()
        place = place_of(task_at_work())
        copy, around = state[COPY], _read(channels)
        group = _group(around, copy)
        _around.set(around)
        lease.active[place] += 1
        try:
            async with lease.doors.setdefault(group, asyncio.Semaphore(APART_AT_ONCE)):
                if group in lease.hopeless:
                    return _joins(copy, again.left(lease))
                given = {COPY: copy, UNKNOWN: state.get(UNKNOWN) or {}}
                gave = await part.copies[target.id].ainvoke(given, durability="sync")
                note_ends(lease, [gave[RESULT]])
        finally:
            lease.active[place] -= 1
        return _joins(copy, gave[RESULT])

    return run


def _join(flow: Document, fan: FanoutNode) -> Any:
    """The graph node at which the copies of a fan-out meet."""
    target = flow.node(fan.to)
    way = Edges(flow, target)

    async def run(state: State) -> Command[Any] | None:
        lease = current()
        return await lease.working(task_at_work(), partial(_meet, lease, state))

    async def _meet(lease: Lease, state: State) -> Command[Any] | None:
        lease.check()
        found = (state.get(COPIES) or {}).get(fan.id)
        if found is None or len(found["done"]) < found["sent"]:
            return None
        anew = {index for index, outcome in found["done"] if target.on_error is None and again.is_tried(lease, outcome)}
        if anew:
            items = state[CHANNEL + fan.over]
            sends = [one for at in sorted(anew) for one in _sends(fan.id, target, found["visit"], at, [items[at]])]
            kept = [one for one in found["done"] if one[0] not in anew]
            return Command(update={COPIES: {fan.id: {**found, "done": kept}}}, goto=sends)
        outcomes = [outcome for _, outcome in sorted(found["done"], key=lambda one: one[0])]
        failed = next((one["failed"] for one in outcomes if "failed" in one), None)
        if failed is not None and target.on_error is None:
            raise RunFailure(failed["code"], failed["message"], failed["node"], failed["address"])
        if found["rest"]:
            following_ones, rest = found["rest"][:WAVE], found["rest"][WAVE:]
            begun = {**found, "sent": found["sent"] + len(following_ones), "rest": rest}
            sends = _sends(fan.id, target, found["visit"], found["sent"], following_ones)
            return Command(update={COPIES: {fan.id: begun}}, goto=sends)
        writes = [pair for one in outcomes for pair in one.get("writes", {}).items()]
        more = found["sent"] - 1 + sum(one.get("steps", 0) for one in outcomes)
        update: dict[str, Any] = {**way.after(state, ""), COPIES: {fan.id: None}}
        # As in Edges.done.
        inside = f"{fan.to}+"
        update[VISITS][inside] = (state.get(VISITS) or {}).get(inside, 0) + more
        goto = following(flow, target)
        if failed is not None:
            update[CHANNEL + "__error"] = {"node": target.id, "message": failed["message"]}
            goto = entry(flow, str(target.on_error))
        else:
            if state.get(CHANNEL + "__error"):
                update[CHANNEL + "__error"] = None
            goto = _next(flow, state, target, outcomes, update)
        _tell(lease, flow, state, writes)
        return Command(update=[*update.items(), *writes], goto=goto)

    return run


def _next(flow: Document, state: State, target: Any, outcomes: list[State], update: State) -> str:
    """Where the flow goes after copies of which none failed: nowhere, if people declined all of them."""
    declined = [one["declined"] for one in outcomes if "declined" in one]
    if declined and target.approval is not None:
        update[CHANNEL + "__approval"] = declined[0]
        if len(declined) == len(outcomes):
            return entry(flow, target.approval.on_reject) if target.approval.on_reject else END
    ended = next((one["ended"] for one in outcomes if one.get("ended")), "")
    update.update(ways.over(state, ended))
    return END if ended else following(flow, target)


def _tell(lease: Lease, flow: Document, state: State, writes: list[tuple[str, Any]]) -> None:
    """Show the outputs that the copies wrote, once for all of them."""
    if state.get(PLACE):
        return
    values: State = {}
    for key, value in writes:
        name = key[len(CHANNEL) :]
        if name in (flow.outputs or []):
            values[name] = reduce(flow.state[name], values.get(name, state.get(key)), value)
    demo = lease.ledger.demo
    told = [OutputWritten(channel=name, label=label(name), value=value, demo=demo) for name, value in values.items()]
    lease.later(task_at_work(), *told)


def _ends(flow: Document, fan: FanoutNode) -> tuple[str, ...]:
    target = flow.node(fan.to)
    found = [following(flow, target), END]
    if target.on_error and target.on_error != SKIP:
        found.append(entry(flow, target.on_error))
    if target.approval and target.approval.on_reject:
        found.append(entry(flow, target.approval.on_reject))
    return tuple(dict.fromkeys(found))


def _sends(fan: str, target: Any, visit: int, first: int, items: list[Any]) -> list[Any]:
    to = f"{target.id}.apart" if is_apart(target) else f"{target.id}.copy"
    return [
        Send(to, {COPY: {"fan": fan, "visit": visit, "index": index, "item": item}})
        for index, item in enumerate(items, first)
    ]


def _joins(copy: State, outcome: State) -> Command[Any]:
    fan = copy["fan"]
    return Command(update={COPIES: {fan: [[copy["index"], outcome]]}}, goto=f"{fan}.join")


def note_ends(lease: Lease, outcomes: Iterable[State]) -> None:
    """Know again, from the outcomes of copies, which fan-outs they made hopeless."""
    lease.hopeless.update(one[ENDS] for one in outcomes if ENDS in one and not again.is_tried(lease, one))


def note_pending(lease: Lease, writes: Iterable[tuple[str, str, Any]]) -> None:
    """As note_ends, from what tasks of a step that is not over gave so far: (task, channel, value)."""
    given = [list(value.values()) for _, channel, value in writes if channel == COPIES]
    # What is no list begins or forgets a fan-out.
    note_ends(lease, [outcome for many in given for done in many if isinstance(done, list) for _, outcome in done])


def _group(around: State, copy: State) -> str:
    """Which visit of which fan-out a copy belongs to: another run of the same flow, or another attempt, has its own."""
    place = around.get(PLACE)
    where = f"{place['address']}{place['tries']}/" if place else ""
    return f"{where}{copy['fan']}#{copy['visit']}"


def _read(channels: tuple[str, ...]) -> State:
    """What the flow holds at the beginning of the step at work."""
    read = get_config().get("configurable", {})["__pregel_read"]
    return read(list(channels), False)


def _plain(value: Any) -> Any:
    return value[REPLACE] if isinstance(value, dict) and REPLACE in value else value
