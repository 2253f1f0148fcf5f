"""What waits for a run's next commit, and the timer that makes one where none comes by itself."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable


class Keeping:
    """Of one lease. commit: writes what waits; one that stops the run instead has said so to the lease."""

    def __init__(self, commit: Callable[[], Awaitable[None]]) -> None:
        self._commit = commit
        self._timer: asyncio.Handle | None = None
        # The handle does not always know: some loops give one without a time for what is due at once.
        self._due = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self.waits = False
        """Something waits that brings the run further."""

    def within(self, seconds: float) -> None:
        """Something waits that is to be written with the next commit, at the latest so many seconds from now."""
        self.waits = True
        loop = asyncio.get_running_loop()
        due = loop.time() + seconds
        if self._timer is not None:
            if self._due <= due:
                return
            self._timer.cancel()
        self._due = due
        self._timer = loop.call_at(due, self.soon, self._commit)

    def soon(self, write: Callable[[], Awaitable[None]]) -> None:
        """Write without anybody who waits for that."""
        self._tasks.add(task := asyncio.get_running_loop().create_task(_quietly(write)))
        task.add_done_callback(self._tasks.discard)

    def taken(self) -> bool:
        """A commit took what waits; whether that brings the run further."""
        waited, self.waits = self.waits, False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return waited


async def _quietly(write: Callable[[], Awaitable[None]]) -> None:
    from runtime.engine.lease import Fenced

    # Whatever it was, the lease says it to whoever comes next.
    with contextlib.suppress(Fenced, Exception):
        await write()
