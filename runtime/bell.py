"""Doorbells: Channels and Celery are told that there is something to read. Losing one costs a delay, never a fact."""

from __future__ import annotations

import asyncio
import logging
import uuid
from typing import Any, Protocol

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

log = logging.getLogger(__name__)


_sending: set[asyncio.Task[None]] = set()
"""Sends under way on a loop of the web process; a task that nobody holds may be collected."""


class Ringer(Protocol):
    """Where a process sends its doorbells. The worker installs one that hands them to its own loop."""

    def send(self, group: str, message: dict[str, Any]) -> None: ...

    def run(self, run: uuid.UUID) -> None: ...


class DirectRinger:
    """Sends at once from the calling thread; what the web process and commands use."""

    def send(self, group: str, message: dict[str, Any]) -> None:
        layer = get_channel_layer()
        if layer is None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            async_to_sync(layer.group_send)(group, message)
        else:
            task = loop.create_task(layer.group_send(group, message))
            _sending.add(task)
            task.add_done_callback(_sending.discard)

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


def inbox(workspace: uuid.UUID) -> None:
    """Tell open inboxes that a question was asked or closed."""
    _quietly(lambda: ringer.send(f"inbox.{workspace.hex}", {"type": "inbox.poke"}))


def inbox_after_commit(workspace: uuid.UUID) -> None:
    """As inbox, once the transaction at hand is committed."""
    transaction.on_commit(lambda: inbox(workspace))


def run(id: uuid.UUID) -> bool:
    """Publish a run to the workers. False when the broker did not take it; the dispatcher tries again."""
    return _quietly(lambda: ringer.run(id))


def _quietly(act: Any) -> bool:
    try:
        act()
    except Exception as error:
        # The database holds the fact and the sweeper re-publishes it, so a broker that is away must not fail a write.
        log.warning("Doorbell not delivered: %s", type(error).__name__)
        return False
    return True
