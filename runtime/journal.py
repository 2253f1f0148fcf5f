"""The event log of a conversation: numbered without gaps, written with the state it reports."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from runtime import bell
from runtime.events import AnyEvent, Event, payload, read
from runtime.models import Conversation, RunEvent


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
    where = Conversation.objects.filter(id=id)
    if not rows:
        return where.values_list("next_seq", flat=True).get() - 1
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("Events are appended inside the transaction they report.")
    where.update(next_seq=F("next_seq") + len(rows))
    after, workspace = where.values_list("next_seq", "workspace_id").get()
    now = timezone.now()
    first = after - len(rows)
    RunEvent.objects.bulk_create(
        RunEvent(
            workspace_id=workspace, conversation_id=id, seq=first + n, run_id=run,
            type=event.type, payload=payload(event), at=now,  # type: ignore[attr-defined]
        )
        for n, event in enumerate(rows)
    )  # fmt: skip
    transaction.on_commit(lambda: bell.conversation(id, after - 1))
    return after - 1


def since(conversation: uuid.UUID, seq: int, limit: int = 5_000) -> list[Entry]:
    """The events after seq, oldest first. Scoped: enter the workspace first."""
    rows = RunEvent.objects.filter(conversation_id=conversation, seq__gt=seq).order_by("seq")[:limit]
    return [Entry(row.seq, row.run_id, row.at, read(row.type, row.payload)) for row in rows]
