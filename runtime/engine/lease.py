"""A worker's hold on a run: the fence that every write carries, and the writes that wait for the next commit."""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import connection

from flows import scope
from runtime import crash, turns
from runtime.engine.clocks import Worked
from runtime.engine.database import Database
from runtime.engine.keeping import Keeping
from runtime.engine.ledger import Ledger
from runtime.events import Event
from runtime.journal import append
from runtime.models import Checkpoint, Run
from runtime.rows import column

if TYPE_CHECKING:
    from runtime.engine.program import Program
    from runtime.engine.resources import Resources


class Stopped(BaseException):
    """The step must not go on. A BaseException, so that neither flow code nor onError takes it for a failure."""


class Fenced(Stopped):
    """Another worker has the run: whatever this one still holds must not be written."""


class Cancelled(Stopped):
    """A person asked the run to end."""


class OutOfTime(Cancelled):
    """The run has worked for as long as it may."""


class Drained(Stopped):
    """This process is shutting down; the run goes on elsewhere."""


Op = Callable[[], Any]
T = TypeVar("T")

LONGEST_PLACE = 250
AT_ONCE = 32
"""So many steps of one run work at the same time; further copies of a fan-out wait for their turn."""


def task_key(ns: str, task: str) -> str:
    """How the lease calls a task of LangGraph: with the place of its graph, which is "" for the flow on top."""
    return f"{ns}/{task}" if ns else task


def stored(ns: str) -> str:
    """A graph's place as its rows name it: places grow with every flow inside another, and indexes have an end."""
    if len(ns) <= LONGEST_PLACE:
        return ns
    return f"{ns[: LONGEST_PLACE - 65]}~{hashlib.sha256(ns.encode()).hexdigest()}"


def place_of(key: str) -> str:
    """The place of the graph that a task belongs to."""
    return key.rpartition("/")[0]


@dataclass
class Lease:
    """One run in this process, from claim to release."""

    run: Run
    fence: int
    owner: str
    database: Database
    ledger: Ledger
    fresh: bool
    """No earlier worker had the run, so there is nothing to replay."""
    stored: bool = False
    """Something of the run's graph was put since this worker has it."""
    program: Program = field(init=False)
    resources: Resources = field(init=False)
    questions: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """What is about to be asked, by address and slot, until the pause is written."""
    worked: Worked = field(default_factory=Worked)
    cancelled: bool = False
    lost: bool = False
    fault: Exception | None = None
    """Why a commit failed, where it was no other worker: whoever comes next says it, for nobody may have waited."""
    draining: bool = False
    active: Counter[str] = field(default_factory=Counter)
    """Tasks that are not done, by the place of their graph; without any, its next checkpoint follows at once."""
    places: set[str] | None = None
    """Places of inner graphs, as they are stored, that hold something.

    None until somebody looked, when an earlier worker had the run.
    """
    hopeless: set[str] = field(default_factory=set)
    """Fan-outs of which a copy ended the run, so that no further copy begins."""
    again: dict[str, int] = field(default_factory=dict)
    """How often each step had ended the run before somebody let it go on, by address."""
    said: Counter[str] = field(default_factory=Counter)
    """How many texts began to stream into each output."""
    seen: set[str] = field(default_factory=set)
    """Addresses of steps that may yet do otherwise than answer, as far as this worker took them over."""
    doors: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    """How many copies of each fan-out may still begin to run a graph of their own."""
    _busy: Counter[str] = field(default_factory=Counter)
    _resting: list[asyncio.Future[None]] = field(default_factory=list)
    _turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _gate: asyncio.Lock = field(default_factory=asyncio.Lock)
    _batch: asyncio.Task[None] | None = None
    _together: list[str] = field(default_factory=list)
    _order: asyncio.Lock = field(default_factory=asyncio.Lock)
    _events: dict[str, list[Event]] = field(default_factory=dict)
    _ops: dict[str, list[Op]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.keeping = Keeping(self.commit)

    @property
    def id(self) -> uuid.UUID:
        return self.run.id

    def check(self) -> None:
        """Raise what stops this step, if anything does."""
        if self.lost:
            raise self.fault or Fenced
        if self.cancelled:
            raise Cancelled
        if self.worked.over:
            raise OutOfTime
        if self.draining:
            raise Drained

    async def checked(self) -> None:
        """As check, for what is no step's work and would cut off others that are at work."""
        try:
            self.check()
        except (Cancelled, Drained):
            await self.rest()
            raise

    def later(self, task: str, *events: Event, ops: tuple[Op, ...] = ()) -> None:
        """Write these with the task's own writes, in the same transaction."""
        self._events.setdefault(task, []).extend(events)
        self._ops.setdefault(task, []).extend(ops)

    async def working(self, task: str, step: Callable[[], Awaitable[T]]) -> T:
        """Do a step's work, when its turn has come.

        What ends the run, or the flow that the step belongs to, waits until the other steps concerned have come to a
        rest: they would be cut off otherwise, and nobody would write down what became of a call under way.
        """
        place = place_of(task)
        self.active[place] += 1
        try:
            async with self._turns:
                self._busy[place] += 1
                try:
                    return await step()
                finally:
                    self._busy[place] -= 1
                    for waiting in self._resting:
                        if not waiting.done():
                            waiting.set_result(None)
                    self._resting.clear()
        except (Fenced, asyncio.CancelledError):
            raise
        except Stopped:
            await self.rest()
            raise
        except Exception:
            await self.rest(place)
            raise
        finally:
            self.active[place] -= 1

    async def rest(self, place: str = "") -> None:
        """Wait until no step of this graph, or of one inside it, works any more; of the whole run, without a place."""
        while any(
            count and (not place or one == place or one.startswith(f"{place}|")) for one, count in self._busy.items()
        ):
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._resting.append(waiting)
            await waiting

    def take(self, task: str | None = None, *, place: str | None = None) -> tuple[list[Event], list[Op]]:
        """What waits for a commit: one task's, a graph's, or everything's. It no longer waits afterwards."""
        if task is not None:
            tasks = [task]
        else:
            tasks = [one for one in self._events.keys() | self._ops.keys() if place is None or place_of(one) == place]
            if place:
                tasks.append("")
        # "" holds checkpoints that were put before any step ran; they come first.
        tasks.sort(key=bool)
        events = [event for name in tasks for event in self._events.pop(name, [])]
        ops = [op for name in tasks for op in self._ops.pop(name, [])]
        return events, ops

    def inherit(self, place: str, task: str) -> None:
        """What still waits of a graph that failed, and of those inside it, goes with the task that it belonged to."""
        for one in list(self._events.keys() | self._ops.keys()):
            of = place_of(one)
            if of == place or of.startswith(f"{place}|"):
                events, ops = self.take(one)
                self.later(task, *events, ops=tuple(ops))

    async def known_places(self) -> set[str]:
        """Places of the run's inner graphs that hold anything: most are new when they are asked for."""
        if self.places is None:
            thread = str(self.id)

            def find() -> set[str]:
                return set(Checkpoint.objects.filter(thread=thread).values_list("ns", flat=True).distinct())

            self.places = set() if self.fresh else await self.database.read(find)
        return self.places

    async def commit(
        self, *events: Event, ops: tuple[Op, ...] = (), task: str | None = None, progress: bool = False
    ) -> None:
        """Write what waits (of the run, and of one task), then these, in one fenced transaction. Raises Fenced.

        progress: the run came further, so that an earlier crash no longer counts against it.
        """
        waiting_events, waiting_ops = self.take("")
        if task:
            own_events, own_ops = self.take(task)
            waiting_events, waiting_ops = waiting_events + own_events, waiting_ops + own_ops
        await self._write([*waiting_events, *events], [*waiting_ops, *ops], progress=progress)

    async def conclude(self, then: Callable[[list[Event]], Any], *, after_fault: bool = False) -> None:
        """Write everything that waits, then `then(events)`, which numbers the events and changes the run's status.

        after_fault: also when an earlier commit was refused, which would be refused to every other worker too.
        """
        events, ops = self.take()
        await self._write(events, ops, progress=True, then=then, after_fault=after_fault)

    async def _write(
        self,
        events: list[Event],
        ops: list[Op],
        *,
        progress: bool,
        then: Callable[[list[Event]], Any] | None = None,
        after_fault: bool = False,
    ) -> None:
        progress = self.keeping.taken() or progress

        def act() -> None:
            # The conversation first, as everywhere: two orders of locking would wait for each other for ever.
            turns.hold(self.run.conversation_id)
            self.hold(progress=progress)
            if then is None:
                append(self.run.conversation_id, self.id, events)
            for op in ops:
                op()
            if then is not None:
                then(events)

        # LangGraph cancels the steps beside one that ends the run: what they have begun to write is written.
        await asyncio.shield(asyncio.get_running_loop().create_task(self._write_next(act, after_fault)))

    async def _write_next(self, act: Op, after_fault: bool) -> None:
        # What was taken first is numbered first, however many threads write.
        async with self._order:
            if self.lost and not after_fault:
                # The commit before this one failed, or another worker has the run: what follows would leave a gap.
                raise self.fault or Fenced
            try:
                await self.database.write(act)
            except BaseException as error:
                # What waited is gone from memory and is not in the database: this worker must not go on with the run.
                self.lost = True
                self.fault = error if isinstance(error, Exception) else None
                raise

    def heard(self, place: str) -> bool:
        """Whether a step of this graph has rows of its own to write: it was told something that costs to be told."""
        return any(ops for task, ops in self._ops.items() if task and place_of(task) == place)

    def keep_soon(self, *events: Event, ops: tuple[Op, ...], within: float) -> None:
        """Write these with the next commit, or by themselves after so many seconds without one."""
        self.later("", *events, ops=ops)
        self.keeping.within(within)

    def commit_soon(self, task: str) -> None:
        """Write what a slow step reported so far, so that pages see it at work."""
        self.keeping.soon(partial(self.commit_together, task))

    async def commit_together(self, task: str) -> None:
        """Write what waits of the task, in one transaction with whatever other tasks bring meanwhile."""
        self._together.append(task)
        if self._batch is None:
            self._batch = asyncio.get_running_loop().create_task(self._commit_batch())
        await asyncio.shield(self._batch)

    async def _commit_batch(self) -> None:
        async with self._gate:
            tasks, self._together, self._batch = ["", *dict.fromkeys(self._together)], [], None
            events: list[Event] = []
            ops: list[Op] = []
            for task in tasks:
                own_events, own_ops = self.take(task)
                events += own_events
                ops += own_ops
            crash.point("copies.before")
            await self._write(events, ops, progress=False)
            crash.point("copies.after")

    def hold(self, *, progress: bool = False) -> None:
        """Inside a transaction: keep the run's row until it ends, or raise Fenced when it is no longer ours."""
        change = "attempts = 0" if progress else "fence = fence"
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE runtime_run SET {change} WHERE id = %s AND fence = %s AND status = 'running'",  # noqa: S608
                [column(Run, "id", self.id), self.fence],
            )
            if not cursor.rowcount:
                raise Fenced


_current: ContextVar[Lease] = ContextVar("lease")
_held: dict[str, Lease] = {}


def current() -> Lease:
    """The lease under which this task runs."""
    return _current.get()


def of_thread(thread: str) -> Lease | None:
    """The lease of a LangGraph thread, if this process has one.

    LangGraph writes beside the steps, and may be late: what began under a lease that is over belongs to that one, which
    writes nothing any more, even where this process has the run again.
    """
    mine = _current.get(None)
    return mine if mine is not None and str(mine.id) == thread else _held.get(thread)


def held() -> list[Lease]:
    return list(_held.values())


def enter(lease: Lease) -> None:
    """Make the lease this task's own, until `leave`."""
    _held[str(lease.id)] = lease
    _current.set(lease)
    scope.enter(lease.run.workspace_id)


def leave(lease: Lease) -> None:
    """It is over: nothing is written under it from here on, whatever of it is still under way."""
    lease.lost = True
    if _held.get(str(lease.id)) is lease:
        del _held[str(lease.id)]
