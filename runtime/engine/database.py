"""Database work of the worker's loop: threads that carry the caller's context, and writes that commit together."""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import close_old_connections, connection, transaction

T = TypeVar("T")

BATCH = 64
PG_WRITERS = 4
READERS = 4


@dataclass
class _Work:
    act: Callable[[], Any]
    context: contextvars.Context
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]

    def settle(self, result: Any, error: BaseException | None) -> None:
        def tell() -> None:
            if self.future.cancelled():
                return
            if error is None:
                self.future.set_result(result)
            else:
                self.future.set_exception(error)

        self.loop.call_soon_threadsafe(tell)


class Database:
    """Runs ORM work off the loop.

    SQLite has one writer, so one thread commits whatever is queued in one transaction, a savepoint each.
    PostgreSQL groups commits itself, so four threads write, a transaction each.
    """

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._together = connection.vendor == "sqlite"
        count = 1 if self._together else PG_WRITERS
        self._threads = [threading.Thread(target=self._serve, name=f"db-write-{n}", daemon=True) for n in range(count)]
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="db-read")
        for thread in self._threads:
            thread.start()

    async def write(self, act: Callable[[], T]) -> T:
        """Run `act` in a transaction of its own; returns when it is committed."""
        loop = asyncio.get_running_loop()
        work = _Work(act, contextvars.copy_context(), loop, loop.create_future())
        self._queue.put(work)
        return await work.future

    async def read(self, act: Callable[[], T]) -> T:
        """Run a query outside any transaction."""
        context = contextvars.copy_context()

        def run() -> T:
            close_old_connections()
            return context.run(act)

        return await asyncio.get_running_loop().run_in_executor(self._readers, run)

    def close(self) -> None:
        """Finish what is queued and end the threads."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(timeout=10)
        self._readers.shutdown(wait=False, cancel_futures=True)

    def _serve(self) -> None:
        while True:
            first = self._queue.get()
            if first is None:
                break
            batch = [first]
            last = False
            while self._together and len(batch) < BATCH:
                try:
                    following = self._queue.get_nowait()
                except queue.Empty:
                    break
                if following is None:
                    last = True
                    break
                batch.append(following)
            close_old_connections()
            self._commit(batch)
            if last:
                break
        connection.close()

    def _commit(self, batch: list[_Work]) -> None:
        outcomes: list[tuple[_Work, Any, BaseException | None]] = []
        try:
            with transaction.atomic():
                for work in batch:
                    try:
                        with transaction.atomic(savepoint=len(batch) > 1):
                            outcomes.append((work, work.context.run(work.act), None))
                    except BaseException as error:
                        # Fenced and its like are no Exceptions; the thread serves every other run and must live.
                        if len(batch) == 1:
                            raise
                        outcomes.append((work, None, error))
        except BaseException as error:
            # Nothing of the batch was committed. Each is tried alone, so that one cannot fail the others.
            if len(batch) == 1:
                batch[0].settle(None, error)
                return
            for work in batch:
                self._commit([work])
            return
        for work, result, error in outcomes:
            work.settle(result, error)
