"""Doorbells: Channels and Celery are told that there is something to read. Losing one costs a delay, never a fact."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import deque
from contextvars import ContextVar
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

log = logging.getLogger(__name__)

# A broker that hangs must not fill the memory: the oldest are lost first.
MOST_WAITING = 10_000

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
                await layer.group_send(group, message)
            except Exception as error:
                log.warning("Doorbell not delivered: %s", type(error).__name__)
        self._task = None


def _line(loop: asyncio.AbstractEventLoop) -> Line:
    return _lines.setdefault(loop, Line())


class Ringer(Protocol):
    """Where a process sends its doorbells. The worker installs one that hands them to its own loop."""

    def send(self, group: str, message: dict[str, Any]) -> None: ...

    def run(self, run: uuid.UUID) -> None: ...


class DirectRinger:
    """Sends on the server's loop where there is one, else at once from the calling thread, as commands do."""

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
        from runtime.tasks import publish

        publish(run)


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


def run(id: uuid.UUID) -> bool:
    """Publish a run to the workers. False when the broker did not take it; the dispatcher tries again."""
    return _quietly(lambda: ringer.run(id))


def errand(name: str, id: uuid.UUID) -> bool:
    """Publish an errand to the workers. False when the broker did not take it; the sweeper finds it."""
    from runtime import errands

    return _quietly(lambda: errands.ring(name, id))


def _quietly(act: Any) -> bool:
    try:
        act()
    except Exception as error:
        # The database holds the fact and the sweeper re-publishes it, so a broker that is away must not fail a write.
        log.warning("Doorbell not delivered: %s", type(error).__name__)
        return False
    return True
