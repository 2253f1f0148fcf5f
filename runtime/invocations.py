"""Which flow ran inside which: the tree that the entering and leaving of flows in a run's log amounts to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from runtime.events import AnyEvent, FlowEntered, FlowLeft


@dataclass
class Invocation:
    """One run of a flow as a step. agent: its name, "" where it is no agent. ms, ok: None while it goes on."""

    id: str
    address: str
    flow: str
    agent: str
    attempt: int
    ms: float | None = None
    ok: bool | None = None
    message: str = ""
    inside: list[Invocation] = field(default_factory=list)


def invocations(events: Iterable[AnyEvent]) -> list[Invocation]:
    """The outermost ones, in the order in which they began, each with those inside it."""
    known: dict[str, Invocation] = {}
    outermost: list[Invocation] = []
    for event in events:
        if isinstance(event, FlowEntered) and event.invocation not in known:
            found = Invocation(event.invocation, event.address, event.flow, event.agent, event.attempt)
            known[found.id] = found
            above = known.get(event.parent)
            (above.inside if above else outermost).append(found)
        elif isinstance(event, FlowLeft) and (left := known.get(event.invocation)) is not None:
            left.ms, left.ok, left.message = event.ms, event.ok, event.message
    return outermost
