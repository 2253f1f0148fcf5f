"""Tests as the worker runs them: claimed with a lease, run in a process of their own, written down as they end.

A newer run of the same flow's tests takes the row away, and whoever works on it stops.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from django.db import Error as DatabaseError
from django.db.models import F, Q
from django.db.models.functions import Now

from flows import scope, stored
from flows.models import Flow, Unit
from runtime import bell
from runtime.clock import after
from runtime.errands import Desk
from runtime.testing.gathering import flows_of, gather
from runtime.testing.job import Job, Person, Wanted
from runtime.testing.process import Process, ProcessFailed
from runtime.testing.results import TestResult
from studio.models import LatestTests
from studio.strings import t

Json = Any
log = logging.getLogger(__name__)

WRITE_SECONDS = 0.4
UNSENT_SECONDS = 2.0
KEPT_SECONDS = 300.0
"""So long a process that has nothing to do is kept: whoever runs tests runs them again."""
MOST_ATTEMPTS = 3
AT_ONCE = 50


class Over(Exception):
    """The row is no longer this worker's: a newer one took its place, or it was taken for lost."""


class Room:
    """The process in which this worker runs tests, one job at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._process: Process | None = None
        self._closing: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def process(self) -> AsyncIterator[Process]:
        """The process, started when there is none. It is ended when what it was used for goes wrong."""
        async with self._turn:
            if self._closing is not None:
                self._closing.cancel()
            if self._process is None or not self._process.alive:
                self._process = await asyncio.to_thread(Process)
            try:
                yield self._process
            except BaseException:
                await self._end()
                raise
            self._closing = asyncio.create_task(self._end_later())

    async def _end_later(self) -> None:
        await asyncio.sleep(KEPT_SECONDS)
        async with self._turn:
            await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await asyncio.to_thread(process.close)


_rooms: dict[str, Room] = {}


async def work(desk: Desk, id: uuid.UUID) -> None:
    """Run the tests of one row. Harmless for one that somebody else has, or that is over."""
    row = await desk.database.write(lambda: _claim(desk, id))
    if row is None:
        return
    scope.enter(row.workspace_id)
    held = _Held(desk, row)
    try:
        job, prefix = await desk.database.read(lambda: _job(row))
        async with _rooms.setdefault(desk.name, Room()).process() as process:
            await held.follow(process, job, prefix)
        await held.end("done")
    except Over:
        if desk.stopping:
            await desk.database.write(held.hand_back)
    except ProcessFailed as failed:
        with contextlib.suppress(Over):
            await held.end("failed", failed.message)
    except DatabaseError:
        # Nothing can be written now; the lease runs out and the sweeper begins it again.
        log.exception("The tests %s met a database error", id)
    except Exception:
        log.exception("The tests %s ended by a fault", id)
        with contextlib.suppress(Over):
            await held.end("failed", t("testing.fault"))


async def sweep(desk: Desk) -> list[uuid.UUID]:
    """Takes back what a worker left behind; gives back what nobody began."""
    return await desk.database.write(_sweep)


def _claim(desk: Desk, id: uuid.UUID) -> LatestTests | None:
    taken = LatestTests.everywhere.filter(id=id, state="working", owner="").update(
        owner=desk.name, lease_until=after(desk.lease_seconds), attempts=F("attempts") + 1, results=[]
    )
    return LatestTests.everywhere.select_related("flow").get(id=id) if taken else None


def _sweep() -> list[uuid.UUID]:
    lost = LatestTests.everywhere.filter(Q(lease_until__lt=Now()), state="working").exclude(owner="")
    given_up = lost.filter(attempts__gte=MOST_ATTEMPTS)
    for id, flow in given_up.values_list("id", "flow_id")[:AT_ONCE]:
        ended = given_up.filter(id=id).update(state="failed", message=t("testing.lost"), finished_at=Now())
        if ended:
            bell.flow_after_commit(flow, {"type": "tests", "id": str(id)})
    # Tests change nothing outside, so they are simply run again.
    lost.filter(attempts__lt=MOST_ATTEMPTS).update(owner="", lease_until=None)
    unsent = LatestTests.everywhere.filter(state="working", owner="", created_at__lt=after(-UNSENT_SECONDS))
    return list(unsent.order_by("created_at").values_list("id", flat=True)[:AT_ONCE])


def _job(row: LatestTests) -> tuple[Job, str]:
    """What is to be run, seen from the top of the workspace, and the folder of the flow there."""
    files = stored.WorkspaceFiles()
    prefix = stored.beside(row.flow.path, "")
    wanted = [Wanted(path=prefix + path, names=row.names) for path in row.paths]
    units: dict[str, dict[str, str]] = {}
    for path in flows_of(files, wanted):
        flow = Flow.objects.filter(path__in=[path, path.rpartition("/")[0]], deleted_at=None).first()
        rows = Unit.objects.filter(flow=flow, refused="") if flow is not None else ()
        units[path] = {f"{unit.kind}:{unit.name}": unit.code for unit in rows if unit.code.strip()}
    # Whoever runs the tests is a person of the workspace, and so known to the flow.
    person = Person(name=str(row.by), address=row.by.email) if row.by is not None else None
    return gather(files, wanted, units, person), prefix


@dataclass
class _Held:
    """The row in this worker."""

    desk: Desk
    row: LatestTests
    results: list[Json] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)
    over: bool = False

    async def follow(self, process: Process, job: Job, prefix: str) -> None:
        """Run the job in its thread, and write down what comes. Raises Over and ProcessFailed."""
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def run() -> None:
            for result in process.run(job, lambda: self.over):
                self.results.append(_beside(result, prefix).model_dump(mode="json"))
                loop.call_soon_threadsafe(news.set)

        thread = asyncio.ensure_future(asyncio.to_thread(run))
        try:
            written = -1
            while not thread.done():
                await asyncio.wait([thread], timeout=WRITE_SECONDS)
                if self.desk.stopping:
                    raise Over
                if not thread.done():
                    await self._write({} if len(self.results) == written else {"results": self.results})
                    written = len(self.results)
            await thread
        except BaseException:
            # The thread must have let go of the process before anybody ends it.
            self.over = True
            with contextlib.suppress(Exception):
                await thread
            raise

    async def end(self, state: str, message: str = "") -> None:
        """Write down how it ended. Raises Over."""
        fields = {"state": state, "message": message, "results": self.results, "finished_at": Now(), "owner": ""}
        await self._write(fields)

    def hand_back(self) -> None:
        """This process is to end: another worker runs the tests from the beginning."""
        self._mine().update(owner="", lease_until=None)

    def _mine(self) -> Any:
        return LatestTests.objects.filter(id=self.row.id, state="working", owner=self.desk.name)

    async def _write(self, fields: dict[str, Json]) -> None:
        fields |= {"ms": round((time.perf_counter() - self.began) * 1000, 1)}

        def act() -> bool:
            lease = {} if "state" in fields else {"lease_until": after(self.desk.lease_seconds)}
            if not self._mine().update(**lease, **fields):
                return False
            if "results" in fields:
                bell.flow_after_commit(self.row.flow_id, {"type": "tests", "id": str(self.row.id)})
            return True

        if not await self.desk.database.write(act):
            raise Over


def _beside(result: TestResult, prefix: str) -> TestResult:
    """The result with its file as it is named beside the flow."""
    return result.model_copy(update={"file": result.file.removeprefix(prefix)})
