"""A worker process: one loop that works on many runs at once, and the loops that keep every run going."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
import time
import uuid
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError

import runtime.services.clients  # noqa: F401 the openai package, imported before the first run waits for it
from runtime import bell, errands
from runtime.engine import approvals, loops
from runtime.engine.database import Database
from runtime.engine.execution import execute
from runtime.engine.lease import Lease, held
from runtime.engine.program import Shelf
from runtime.engine.resources import Clients, Resources
from runtime.engine.saver import Saver
from runtime.units.sandbox import Sandbox

log = logging.getLogger(__name__)

SLOTS = 64
MOST_ERRANDS = 32
DRAIN_SECONDS = 25


class LoopRinger:
    """Doorbells from any thread of the worker: those of pages in order by its loop, those of work beside it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._line = loop, bell.Line()

    def send(self, group: str, message: dict[str, Any]) -> None:
        self._loop.call_soon_threadsafe(self._line.put, group, message)

    def run(self, run: uuid.UUID) -> None:
        bell.messenger.put(("", run))

    def errand(self, name: str, id: uuid.UUID) -> None:
        bell.messenger.put((name, id))


class Worker:
    """The engine of one process. Celery's threads hand runs over with `submit`; everything else is the loop's."""

    def __init__(self) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self.lease_seconds = settings.LEASE_SECONDS
        self.sweep_seconds = settings.SWEEP_SECONDS
        self.database = Database()
        self.clients = Clients()
        self.sandbox = Sandbox()
        self.shelf = Shelf(Saver(self.database, approvals.write_question))
        self._slots = threading.BoundedSemaphore(SLOTS)
        self._running: set[uuid.UUID] = set()
        self._rung: set[uuid.UUID] = set()
        self._errands: set[uuid.UUID] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.stopping = False
        self.nudges = (loops.Nudge(), loops.Nudge())
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="engine", daemon=True)

    def start(self) -> None:
        """Start the loop; returns when it takes runs."""
        self._thread.start()
        self._ready.wait(30)

    def submit(self, run_id: uuid.UUID) -> None:
        """Hand a run to the loop. Blocks while every slot is taken, so that the broker keeps what cannot start yet."""
        while not self._slots.acquire(timeout=1):
            if self.stopping:
                return
        if self.stopping:
            self._slots.release()
            return
        self._loop.call_soon_threadsafe(self._begin, run_id)

    def run_errand(self, name: str, id: uuid.UUID) -> None:
        """Hand an errand to the loop. One too many is left where it is: the sweeper finds it again."""
        self._loop.call_soon_threadsafe(self.begin_errand, name, id)

    def resources(self, lease: Lease) -> Resources:
        """What a run that this worker has may use."""
        return Resources(lease, self.sandbox, self.clients)

    def drain(self) -> None:
        """Claim nothing more; each run stops at its next step and is handed back."""
        self.stopping = True
        for lease in held():
            lease.draining = True

    def stop(self) -> None:
        """Drain, wait for the calls under way, and end the loop."""
        self.drain()
        end = time.monotonic() + DRAIN_SECONDS
        while (self._running or self._errands) and time.monotonic() < end:
            time.sleep(0.05)
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self.database.close()

    def nudge(self) -> None:
        """Look for due work now; beat and tests call it."""
        for nudge in self.nudges:
            self._loop.call_soon_threadsafe(nudge.now)

    def _serve(self) -> None:
        self._loop = _new_loop()
        asyncio.set_event_loop(self._loop)
        bell.install(LoopRinger(self._loop))
        for work in (loops.heartbeat(self), loops.dispatch(self), loops.sweep(self)):
            self._keep(self._loop.create_task(work))
        self._loop.call_soon(self._ready.set)
        self._loop.run_forever()

    def _begin(self, run_id: uuid.UUID) -> None:
        if run_id in self._running or self.stopping:
            # Rung while its last stream is ending: the answer that rang may have come too late for that stream.
            self._rung.add(run_id)
            self._slots.release()
            return
        self._running.add(run_id)
        task = self._loop.create_task(execute(self, run_id))
        self._keep(task)

        def done(task: asyncio.Task[None]) -> None:
            self._running.discard(run_id)
            self._slots.release()
            if run_id in self._rung:
                self._rung.discard(run_id)
                if not self.stopping and self._slots.acquire(blocking=False):
                    self._begin(run_id)
            if not task.cancelled() and (error := task.exception()) is not None:
                level = logging.WARNING if isinstance(error, DatabaseError) else logging.ERROR
                log.log(level, "Run %s left this worker: %s", run_id, error, exc_info=error)

        task.add_done_callback(done)

    def begin_errand(self, name: str, id: uuid.UUID) -> None:
        """On the loop only."""
        if self.stopping or id in self._errands or len(self._errands) >= MOST_ERRANDS or name not in errands.names():
            return
        self._errands.add(id)
        task = self._loop.create_task(_errand(self, name, id))
        self._keep(task)

        def done(task: asyncio.Task[None]) -> None:
            self._errands.discard(id)
            if not task.cancelled() and (error := task.exception()) is not None:
                log.error("The errand %s %s left this worker: %s", name, id, error, exc_info=error)

        task.add_done_callback(done)

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.clients.close()
        await self.sandbox.close()


async def _errand(worker: Worker, name: str, id: uuid.UUID) -> None:
    await errands.find(name).work(worker, id)


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
