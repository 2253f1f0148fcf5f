"""Doorbells: Channels and Celery are told that there is something to read. Losing one costs a delay, never a fact."""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

log = logging.getLogger(__name__)

# A broker that hangs must not fill the memory: the oldest are lost first.
MOST_WAITING = 10_000
SEND_SECONDS = 2.0
REST_SECONDS = 0.2
LAST_SECONDS = 1.0
MESSENGERS = 4

_home: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("doorbells", default=None)
_lines: WeakKeyDictionary[asyncio.AbstractEventLoop, Line] = WeakKeyDictionary()


def ring_on(loop: asyncio.AbstractEventLoop) -> None:
    """Send the doorbells of this context on the server's loop, whichever thread they come from."""
    _home.set(loop)


class Line:
    """The doorbells of one loop: each sent after the one before, while whoever rang goes on with their work."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, dict[str, Any]]] = deque(maxlen=MOST_WAITING)
        self._task: asyncio.Task[None] | None = None

    def put(self, group: str, message: dict[str, Any]) -> None:
        """On the loop itself only."""
        self._waiting.append((group, message))
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._send())

    async def _send(self) -> None:
        layer: Any = get_channel_layer()
        while self._waiting:
            group, message = self._waiting.popleft()
            try:
                async with asyncio.timeout(SEND_SECONDS):
                    await layer.group_send(group, message)
            except Exception as error:
                # What waits behind it would be heard late, if at all: pages read the database meanwhile.
                log.warning("Doorbells not delivered: %d (%s)", 1 + len(self._waiting), type(error).__name__)
                self._waiting.clear()
                await asyncio.sleep(REST_SECONDS)
        self._task = None


def _line(loop: asyncio.AbstractEventLoop) -> Line:
    return _lines.setdefault(loop, Line())


Due = tuple[str, uuid.UUID]
"""What workers are to do: an errand's name and its id; "" for a run."""


class Messenger:
    """Takes to the broker what is due, from threads of its own: whoever rings goes on, however long the broker needs.

    What the broker does not take is dropped, with all that waits behind it: the dispatcher and the sweeper read in the
    database what is due, and theirs is the newer news. A process that ends waits a second for what is still due, such
    as the runs that a worker hands back.
    """

    def __init__(self) -> None:
        self._due: dict[Due, None] = {}
        lock = threading.Lock()
        self._change, self._calm = threading.Condition(lock), threading.Condition(lock)
        self._threads = self._idle = self._carried = 0

    def put(self, due: Due) -> None:
        """Returns at once. What waits already is not sent twice."""
        with self._change:
            if len(self._due) < MOST_WAITING:
                self._due[due] = None
            if not self._idle and self._threads < MESSENGERS:
                if not self._threads:
                    atexit.register(self.settle, LAST_SECONDS)
                self._threads += 1
                threading.Thread(target=self._carry, name="messenger", daemon=True).start()
            self._change.notify()

    def settle(self, seconds: float) -> bool:
        """Wait until nothing is due any more, at most so long. Whether that came."""
        with self._calm:
            return self._calm.wait_for(lambda: not self._due and not self._carried, seconds)

    def _carry(self) -> None:
        while True:
            with self._change:
                while not self._due:
                    self._idle += 1
                    self._change.wait()
                    self._idle -= 1
                due = next(iter(self._due))
                del self._due[due]
                self._carried += 1
            try:
                _publish(due)
            except Exception as error:
                with self._change:
                    lost = 1 + len(self._due)
                    self._due.clear()
                log.warning("Doorbells of work not delivered: %d (%s); they are rung again", lost, type(error).__name__)
            with self._calm:
                self._carried -= 1
                self._calm.notify_all()


def _publish(due: Due) -> None:
    """Raises when the broker does not take it."""
    from runtime import tasks

    name, id = due
    tasks.publish_errand(name, id) if name else tasks.publish(id)


messenger = Messenger()


class Ringer(Protocol):
    """Where a process sends its doorbells. The worker installs one that hands them to its own loop."""

    def send(self, group: str, message: dict[str, Any]) -> None: ...

    def run(self, run: uuid.UUID) -> None: ...

    def errand(self, name: str, id: uuid.UUID) -> None: ...


class DirectRinger:
    """Beside a server's requests where there is a server, else at once from the calling thread, as commands do."""

    def send(self, group: str, message: dict[str, Any]) -> None:
        layer = get_channel_layer()
        if layer is None:
            return
        try:
            _line(asyncio.get_running_loop()).put(group, message)
        except RuntimeError:
            home = _home.get()
            if home is None or home.is_closed():
                async_to_sync(layer.group_send)(group, message)
            else:
                home.call_soon_threadsafe(lambda: _line(home).put(group, message))

    def run(self, run: uuid.UUID) -> None:
        self.errand("", run)

    def errand(self, name: str, id: uuid.UUID) -> None:
        # A command may end before a thread of its own would have rung.
        (_publish if _home.get() is None else messenger.put)((name, id))


ringer: Ringer = DirectRinger()


def install(other: Ringer) -> None:
    """Send this process's doorbells another way."""
    global ringer  # noqa: PLW0603
    ringer = other


def group(conversation: uuid.UUID) -> str:
    return f"conversation.{conversation.hex}"


def conversation(id: uuid.UUID, seq: int) -> None:
    """Tell the conversation's pages how far its log goes."""
    _quietly(lambda: ringer.send(group(id), {"type": "poke", "seq": seq}))


def delta(id: uuid.UUID, item: str, attempt: int, offset: int, text: str) -> None:
    """Send streamed text to the conversation's pages. Not an event: a page that misses it reads RunStream."""
    message = {"type": "delta", "item": item, "attempt": attempt, "offset": offset, "text": text}
    _quietly(lambda: ringer.send(group(id), message))


def flow_group(flow: uuid.UUID) -> str:
    return f"flow.{flow.hex}"


def flow_after_commit(flow: uuid.UUID, news: dict[str, Any]) -> None:
    """Send news to the pages that show a flow's draft, once the transaction at hand is committed."""
    message = {"type": "flow.news", "news": news}
    transaction.on_commit(lambda: _quietly(lambda: ringer.send(flow_group(flow), message)))


def inbox(workspace: uuid.UUID) -> None:
    """Tell open inboxes that a question was asked or closed."""
    _quietly(lambda: ringer.send(f"inbox.{workspace.hex}", {"type": "inbox.poke"}))


def inbox_after_commit(workspace: uuid.UUID) -> None:
    """As inbox, once the transaction at hand is committed."""
    transaction.on_commit(lambda: inbox(workspace))


def run(id: uuid.UUID) -> None:
    """Tell the workers that a run is due. The dispatcher tells them again where no one heard."""
    _quietly(lambda: ringer.run(id))


def errand(name: str, id: uuid.UUID) -> None:
    """Tell the workers that an errand is due. The sweeper finds it where no one heard."""
    _quietly(lambda: ringer.errand(name, id))


def _quietly(act: Callable[[], object]) -> None:
    try:
        act()
    except Exception as error:
        # The database holds the fact and the sweeper re-publishes it, so a broker that is away must not fail a write.
        log.warning("Doorbell not delivered: %s", type(error).__name__)
