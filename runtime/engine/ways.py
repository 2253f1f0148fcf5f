"""Where a visit stands and how it goes on: along the edges of its flow. Copies of a fan-out have ways of their own."""

from __future__ import annotations

import time
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.graph import END
from langgraph.types import Command

from flows.kinds import kind_of
from flows.kinds.base import Kind, NodeFailed
from flows.words.document import Document
from flows.words.edge import ConditionalEdge
from flows.words.names import SKIP
from runtime import stepname
from runtime.engine.lease import Lease, task_key
from runtime.engine.program import ANSWERS, CHANNEL, CLOCK, KEPT, PLACE, ROUTES, UNKNOWN, VISITS

State = dict[str, Any]
MAX_STEPS = 20_000
REPLACE = "\0replace"
"""Marks a person's correction of a channel: it replaces the value, whatever the channel's reducer."""


class RunFailure(Exception):
    """The run ends here. message is a sentence for the person; node and address say where."""

    def __init__(self, code: str, message: str, node: str | None = None, address: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.node, self.address = code, message, node, address


def replacement(value: Any) -> Any:
    """A correction on its way into a channel."""
    return {REPLACE: value}


def may_pause(node: Any, kind: Any) -> bool:
    """Whether the node's own pause is always asked before it runs."""
    return node.approval is not None or type(kind).pause is not Kind.pause


def entry(flow: Document, id: str) -> str:
    """The graph node at which a flow node begins."""
    if id == "END":
        return END
    node = flow.node(id)
    return f"{id}.ask" if may_pause(node, kind_of(node.type)) else id


def following(flow: Document, node: Any) -> str:
    """The graph node after a flow node that succeeded."""
    edge = flow.edge_from(node.id)
    if edge is None:
        return END
    return f"{node.id}.route" if isinstance(edge, ConditionalEdge) else entry(flow, edge.goes[""])


class Edges:
    """The way of an ordinary visit: on to what its edge leads to.

    ends_run: whether a failure that nothing catches ends the run, or its flow, at once.
    """

    ends_run = True

    def __init__(self, flow: Document, node: Any) -> None:
        self.flow, self.node = flow, node
        self._resets = flow.restarts(node.id)

    def visit(self, state: State) -> tuple[State, str]:
        """Everything that the visit sees, and its address."""
        place = state.get(PLACE)
        number = (state.get(VISITS) or {}).get(self.node.id, 0) + 1
        return state, f"{place['address'] if place else ''}{stepname.visit_of(self.node.id, number)}"

    def reads(self, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """What the journal keeps of what the visit was given: these channels; with None, all of them."""
        return names

    def needless(self, lease: Lease, state: State) -> Command[Any] | None:
        """Where to go instead, when nothing depends on the visit any more."""
        return None

    def count(self, lease: Lease, state: State, address: str) -> None:
        """Raise RunFailure where the run has taken all the steps that it may take."""
        count_steps(lease, state, address)

    def aside(self, failure: NodeFailed, address: str) -> tuple[Literal["onError", "skip", "end"], str | None]:
        """What follows when the last attempt failed."""
        target = self.node.on_error
        # Only a copy can be left out; a node that a fan-out sends to and that was come to otherwise has no copies.
        return ("end", None) if target is None or target == SKIP else ("onError", target)

    def failed(self, state: State, address: str, failure: NodeFailed) -> Command[Any]:
        error = {"node": self.node.id, "message": failure.message}
        update = {**self.after(state, address), CHANNEL + "__error": error}
        return Command(update=update, goto=entry(self.flow, self.node.on_error))

    def done(self, state: State, address: str, writes: State, ended: str = "", inside: int = 0) -> Command[Any]:
        """writes: by channel, as the graph takes them. ended: the words that end the whole turn here.

        inside: the steps that were taken within this one.
        """
        update = {**self.after(state, address), **writes}
        if inside:
            # Steps that no visit of this flow stands for are kept beside the visits, under a name that no node has.
            more = f"{self.node.id}+"
            update[VISITS][more] = (state.get(VISITS) or {}).get(more, 0) + inside
        if state.get(CHANNEL + "__error"):
            update[CHANNEL + "__error"] = None
        return Command(update={**update, **over(state, ended)}, goto=END if ended else following(self.flow, self.node))

    def doubtful(self, state: State, address: str, key: str) -> Command[Any]:
        """A call of the visit has an outcome that nobody knows: a person is asked before it goes on."""
        return Command(update={UNKNOWN: {address: key}}, goto=f"{self.node.id}.ask")

    def declined(self, state: State, address: str, approval: State) -> Command[Any]:
        target = self.node.approval.on_reject
        update = {**self.after(state, address), CHANNEL + "__approval": approval}
        return Command(update=update, goto=entry(self.flow, target) if target else END)

    def keeps(self, update: State) -> State:
        """What people said, as the graph takes it."""
        return update

    def after(self, state: State, address: str) -> State:
        """What every finished visit writes besides its channels."""
        id = self.node.id
        update: State = {VISITS: {id: (state.get(VISITS) or {}).get(id, 0) + 1}, CLOCK: round(time.time(), 3)}
        if (state.get(ANSWERS) or {}).get(address):
            update[ANSWERS] = {address: None}
        if (state.get(KEPT) or {}).get(address):
            update[KEPT] = {address: None}
        if self._resets:
            update[ROUTES] = dict.fromkeys(self._resets, 0)
        return update


def over(state: State, ended: str) -> State:
    """What a flow inside another writes for that one to end as well, in the words that ended the turn."""
    place = state.get(PLACE)
    return {PLACE: {**place, "ended": ended}} if place and ended else {}


def task_at_work() -> str:
    """The task at work, as the lease calls it."""
    given = get_config().get("configurable", {})
    return task_key(given["checkpoint_ns"].rpartition("|")[0], given["__pregel_task_id"])


def steps_taken(state: State) -> int:
    """The steps of the run so far, as this flow knows: its own, those inside its steps, and those before it began."""
    place = state.get(PLACE)
    return sum((state.get(VISITS) or {}).values()) + (place["steps"] if place else 0)


def count_steps(lease: Lease, state: State, address: str, more: int = 0) -> None:
    """Raise RunFailure where the run has taken all the steps that it may take, or would with so many more."""
    cap = min(int(lease.run.deployment.limits.get("steps", MAX_STEPS)), MAX_STEPS)
    # A flow knows of the steps in copies beside it only once these have met; the ledger counts every step that ended.
    if max(steps_taken(state), lease.ledger.steps) + more >= cap:
        raise RunFailure(
            "TOO_MANY_STEPS", f"The run took {cap} steps without reaching its end. Limit the loop, or raise the "
            "deployment's limit on steps.", stepname.named(address), address,
        )  # fmt: skip
