"""The event log of a conversation: numbered without gaps, written with the state it reports."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from flows.scope import current
from runtime import bell
from runtime.events import AnyEvent, Event, payload, read
from runtime.models import Conversation, RunEvent
from runtime.rows import column, insert


@dataclass(frozen=True)
class Entry:
    """A stored event: its number in the conversation, its run, and the fact."""

    seq: int
    run: uuid.UUID
    at: datetime
    event: AnyEvent


def append(conversation: Conversation | uuid.UUID, run: uuid.UUID, events: Iterable[Event]) -> int:
    """Number and store events; call it inside the transaction that writes what they report.

    Returns the last seq. Pages are told after the commit, and only that there is something to read.
    """
    rows = list(events)
    id = conversation if isinstance(conversation, uuid.UUID) else conversation.id
    if not rows:
        return Conversation.objects.values_list("next_seq", flat=True).get(id=id) - 1
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("Events are appended inside the transaction they report.")
    after = _numbers(id, len(rows))
    now = timezone.now()
    first = after - len(rows)
    insert(
        [
            RunEvent(
                workspace_id=current(), conversation_id=id, seq=first + n, run_id=run,
                type=event.type, payload=payload(event), at=now,  # type: ignore[attr-defined]
            )
            for n, event in enumerate(rows)
        ]
    )  # fmt: skip
    transaction.on_commit(lambda: bell.conversation(id, after - 1))
    return after - 1


def _numbers(conversation: uuid.UUID, count: int) -> int:
    """Take so many numbers; returns the next one after them. Holds the conversation until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE runtime_conversation SET next_seq = next_seq + %s WHERE id = %s AND workspace_id = %s "
            "RETURNING next_seq",
            [count, column(Conversation, "id", conversation), column(Conversation, "workspace", current())],
        )
        found = cursor.fetchone()
    if found is None:
        raise Conversation.DoesNotExist(f"There is no conversation {conversation} in this workspace.")
    return found[0]


def since(conversation: uuid.UUID, seq: int, limit: int = 5_000) -> list[Entry]:
    """The events after seq, oldest first. Scoped: enter the workspace first."""
    rows = RunEvent.objects.filter(conversation_id=conversation, seq__gt=seq).order_by("seq")[:limit]
    return [Entry(row.seq, row.run_id, row.at, read(row.type, row.payload)) for row in rows]
