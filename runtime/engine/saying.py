"""What pages see of a step's answer while the model still writes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from flows.kinds import kind_of
from flows.words.document import Document
from flows.words.needs import Spoken
from runtime.engine.lease import Lease
from runtime.engine.streaming import Stream
from runtime.events import AnswerBegun, AnswerWithdrawn
from runtime.models import RunStream
from runtime.rows import delete
from runtime.stepname import is_inside, named

MOST_STREAMS = 10_000
"""Texts that begin to stream into one output while one worker has the run. A later worker's numbers begin above."""


class Saying:
    """One attempt's words on the page: those of an answer, and of what may yet turn out to be none."""

    def __init__(self, lease: Lease, task: str, flow: Document, node: Any, address: str, attempt: int) -> None:
        self._lease, self._task, self._address = lease, task, address
        kind = kind_of(node.type)
        self._late = kind.rests(node)
        self.channel = None if is_inside(address) else _shown(flow, kind.streams(node))
        """The output channel whose text arrives word by word: a plain answer into a text output."""
        self._number = attempt
        self._begun = False
        if not self._late:
            self._count()

    @property
    def announced(self) -> str | None:
        """The channel, where whatever the model says is the answer, so that its place is there from the start."""
        return None if self._late else self.channel

    @property
    def attempt(self) -> int:
        """Numbers the text on the page: a later worker's, step's, attempt's or round's replaces an earlier one's."""
        return self._lease.fence * MOST_STREAMS + self._number

    def taken_over(self) -> bool:
        """Whether this worker sees the visit for the first time, of which an earlier one may have shown words."""
        if self._lease.fresh or not self._late or self.channel is None or self._address in self._lease.seen:
            return False
        self._lease.seen.add(self._address)
        return True

    def stream(self, *, may_ask: bool = False) -> Stream | None:
        """Where the model's words go from here on, if anybody sees them. may_ask: they may be a request for details."""
        if self.channel is None:
            return None
        if not self._late:
            return Stream(self._lease, self._item, self.attempt)
        self._count()
        spoken = Spoken() if may_ask else None
        return Stream(self._lease, self._item, self.attempt, self._begin, spoken.pass_on if spoken else None)

    def withdraw(self) -> None:
        """What was said is no answer: the page shows it no longer."""
        if self._begun:
            self._begun = False
            gone = AnswerWithdrawn(address=self._address, node=named(self._address))
            self._lease.later(self._task, gone, ops=(self.forget(),))

    def forget(self) -> Callable[[], Any]:
        """What removes the saved text, in the transaction of the event that repeats or withdraws it."""
        return partial(delete, RunStream, run=self._lease.id, item=self._item)

    def _count(self) -> None:
        if self.channel is not None:
            self._lease.said[self.channel] += 1
            self._number = self._lease.said[self.channel]

    def _begin(self) -> None:
        self._begun = True
        begun = AnswerBegun(
            address=self._address, node=named(self._address), channel=self.channel or "", attempt=self.attempt
        )
        self._lease.later(self._task, begun)
        self._lease.commit_soon(self._task)

    @property
    def _item(self) -> str:
        """The page item in which an output channel of this run is drawn."""
        return f"out:{self._lease.id}:{self.channel}"


def _shown(flow: Document, channel: str | None) -> str | None:
    if channel is None or channel not in flow.outputs or flow.state[channel].type not in ("string", "any"):
        return None
    return channel
