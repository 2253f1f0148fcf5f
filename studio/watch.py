"""The sockets of this process: woken when a doorbell was lost, asked again who they are for, and counted."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, Protocol, TypeVar
from weakref import WeakKeyDictionary

from django.db import close_old_connections

from studio import presence, viewer

log = logging.getLogger(__name__)

POLL_SECONDS = 2.0
CHECK_SECONDS = 60.0
MOST_SOCKETS = 2_000
MOST_PER_PERSON = 20

P = ParamSpec("P")
R = TypeVar("R")
# Threads of the sockets' own: under the shared one, a slow read of one page would hold up all the others.
_threads = ThreadPoolExecutor(4, thread_name_prefix="socket")


def read_in_thread(function: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    """Database work of a socket, off the event loop. The thread keeps its connection until it is stale or too old."""

    def read(*args: P.args, **given: P.kwargs) -> R:
        close_old_connections()
        return function(*args, **given)

    async def hop(*args: P.args, **given: P.kwargs) -> R:
        # In a context of its own, so that a thread never keeps the workspace of the socket before.
        work = partial(contextvars.copy_context().run, read, *args, **given)
        return await asyncio.get_running_loop().run_in_executor(_threads, work)

    return hop


class Socket(Protocol):
    """What the watch knows of a socket. seq: how far its page is; None for one that follows no conversation.

    locks_with: the presence that it ends with, "" for one that needs nobody to be there.
    """

    @property
    def locks_with(self) -> str: ...

    @property
    def place(self) -> uuid.UUID | None: ...

    @property
    def seq(self) -> int: ...

    def wake(self) -> None: ...

    async def check(self) -> None: ...


class Watch:
    """One for each event loop. Belongs to that loop."""

    def __init__(self) -> None:
        self._sockets: dict[Socket, float] = {}
        self._people: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None

    def full(self, person: str) -> bool:
        """Whether this process, or this person, has as many sockets as may be."""
        return len(self._sockets) >= MOST_SOCKETS or self._people[person] >= MOST_PER_PERSON

    def add(self, socket: Socket, person: str) -> None:
        self._sockets[socket] = time.monotonic()
        self._people[person] += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def remove(self, socket: Socket, person: str) -> None:
        if self._sockets.pop(socket, None) is None:
            return
        self._people[person] -= 1
        if not self._people[person]:
            del self._people[person]
        if not self._sockets and self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while self._sockets:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await self._wake()
                await self._lock()
                await self._check()
            except Exception as error:
                # A database that is away now is asked again at the next turn; the sockets stay.
                log.warning("Watching sockets failed: %s", type(error).__name__)

    async def _wake(self) -> None:
        places = {socket.place for socket in self._sockets if socket.place is not None}
        if not places:
            return
        seqs = await read_in_thread(viewer.last_seqs)(places)
        for socket in list(self._sockets):
            if socket.place is not None and seqs.get(socket.place, 0) > socket.seq:
                socket.wake()

    async def _lock(self) -> None:
        """Sockets of sessions that are locked by now are asked at once, and close."""
        keys = {socket.locks_with for socket in self._sockets if socket.locks_with}
        if not keys:
            return
        open_ones = await read_in_thread(presence.there)(keys)
        for socket in list(self._sockets):
            if socket.locks_with and socket.locks_with not in open_ones and socket in self._sockets:
                await self._ask(socket)

    async def _check(self) -> None:
        late = time.monotonic() - CHECK_SECONDS
        for socket, checked in list(self._sockets.items()):
            if checked < late and socket in self._sockets:
                await self._ask(socket)

    async def _ask(self, socket: Socket) -> None:
        self._sockets[socket] = time.monotonic()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(socket.check(), 10)


_watches: WeakKeyDictionary[asyncio.AbstractEventLoop, Watch] = WeakKeyDictionary()


def watch() -> Watch:
    """The watch of the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _watches:
        _watches[loop] = Watch()
    return _watches[loop]
