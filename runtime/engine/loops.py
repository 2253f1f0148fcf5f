"""The worker's own loops: keep leases alive, publish what is due, find what was forgotten."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from functools import partial
from typing import TYPE_CHECKING

from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError
from django.db.models import F, Q
from django.db.models.functions import Now

from flows import scope
from runtime import bell, errands, questions, turns
from runtime.clock import after
from runtime.engine.claiming import claimable
from runtime.engine.lease import held
from runtime.models import Leader, Outbox, Run

if TYPE_CHECKING:
    import uuid

    from runtime.engine.worker import Worker

log = logging.getLogger(__name__)

DISPATCH_SECONDS = 1.0
UNSENT_SECONDS = 2.0
RESEND_SECONDS = 10.0
AT_ONCE = 100


class Nudge:
    """Wakes a loop before its time. Belongs to the worker's event loop."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def now(self) -> None:
        self._event.set()

    async def pause(self, seconds: float) -> None:
        """Wait so long, or until told."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), seconds)
        self._event.clear()


async def heartbeat(worker: Worker) -> None:
    """Extend this process's leases, and see what became of them: fenced, or asked to end."""
    every = min(1.0, worker.lease_seconds / 3)
    renewed = time.monotonic()
    while True:
        await asyncio.sleep(every)
        mine = {lease.id: lease for lease in held()}
        if not mine:
            renewed = time.monotonic()
            continue
        since = time.monotonic() - renewed
        extend = since >= worker.lease_seconds / 3 - every / 2

        def beat(ids: list[uuid.UUID], extend: bool, since: float) -> list[tuple[uuid.UUID, int, bool]]:
            if extend:
                # A worker that ends without a word leaves its runs with the time that they have worked so far.
                Run.everywhere.filter(id__in=ids, owner=worker.name, status="running").update(
                    lease_until=after(worker.lease_seconds), worked=F("worked") + round(since, 3)
                )
            rows = Run.everywhere.filter(id__in=ids).values_list("id", "fence", "cancel_requested_at")
            return [(id, fence, at is not None) for id, fence, at in rows]

        try:
            found = await (worker.database.write if extend else worker.database.read)(
                partial(beat, list(mine), extend, since)
            )
        except DatabaseError:
            if time.monotonic() - renewed > worker.lease_seconds:
                # Nobody knows any more whether these runs are ours; another worker may have them.
                for lease in mine.values():
                    lease.lost = True
            continue
        except Exception:
            log.exception("The heartbeat met a fault and goes on")
            continue
        if extend:
            renewed = time.monotonic()
        for id, fence, cancelled in found:
            lease = mine[id]
            lease.lost = lease.lost or fence != lease.fence
            lease.cancelled = lease.cancelled or cancelled


async def dispatch(worker: Worker) -> None:
    """Publish outbox rows that no worker claimed soon after they were written. One worker leads."""
    while True:
        await worker.nudges[0].pause(DISPATCH_SECONDS)
        try:
            if await _leads(worker, "dispatcher"):
                for run in await worker.database.write(_unclaimed):
                    bell.run(run)
        except DatabaseError as error:
            log.warning("The dispatcher waits for the database: %s", error)
        except Exception:
            log.exception("The dispatcher met a fault and goes on")


async def sweep(worker: Worker) -> None:
    """Make every run due that should be going and is not, and close questions nobody answered in time."""
    while True:
        await worker.nudges[1].pause(worker.sweep_seconds)
        try:
            if await _leads(worker, "sweeper"):
                await worker.database.write(_find_forgotten)
                for id in await worker.database.read(questions.due_ids):
                    await _expire(worker, id)
                for name in errands.names():
                    await _sweep_errands(worker, name)
        except DatabaseError as error:
            log.warning("The sweeper waits for the database: %s", error)
        except Exception:
            # One row that cannot be read must not end the loop that every other run depends on.
            log.exception("The sweeper met a fault and goes on")


async def _expire(worker: Worker, question: uuid.UUID) -> None:
    """One question whose time is over; what is wrong with it keeps none of the others waiting."""
    try:
        await worker.database.write(partial(questions.expire, question))
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("Question %s cannot be closed", question)


async def _sweep_errands(worker: Worker, name: str) -> None:
    """What nobody began is begun here; what is wrong with one kind of errand keeps none of the others waiting."""
    try:
        for id in await errands.find(name).sweep(worker):
            worker.begin_errand(name, id)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("The errands %s could not be swept", name)


def _unclaimed() -> list[uuid.UUID]:
    old = Q(sent_at=None, at__lt=after(-UNSENT_SECONDS)) | Q(sent_at__lt=after(-RESEND_SECONDS))
    rows = Outbox.objects.filter(old).order_by("id").values_list("id", "run_id")[:AT_ONCE]
    due = dict(rows)
    claimable_now = set(Run.everywhere.filter(claimable(), id__in=list(due.values())).values_list("id", flat=True))
    settled = [id for id, run in due.items() if run not in claimable_now]
    # A row that a claim did not see would otherwise be sent for as long as its run waits.
    Outbox.objects.filter(id__in=settled).delete()
    due = {id: run for id, run in due.items() if run in claimable_now}
    Outbox.objects.filter(id__in=list(due)).update(sent_at=Now())
    return list(due.values())


def _find_forgotten() -> None:
    due = Run.everywhere.filter(claimable()).exclude(id__in=Outbox.objects.values("run_id"))
    for id, workspace in due.order_by("created_at").values_list("id", "workspace_id")[:AT_ONCE]:
        with scope.workspace(workspace):
            turns.publish(id)


async def _leads(worker: Worker, name: str) -> bool:
    seconds = max(10.0, 3 * worker.sweep_seconds) if worker.lease_seconds > 5 else worker.lease_seconds

    def take() -> bool:
        Leader.objects.get_or_create(name=name, defaults={"owner": worker.name, "until": after(seconds)})
        return bool(
            Leader.objects.filter(name=name)
            .filter(Q(owner=worker.name) | Q(until__lt=Now()))
            .update(owner=worker.name, until=after(seconds))
        )

    return await worker.database.write(take)
