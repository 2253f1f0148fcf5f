"""One turn at a time: how a run ends, and how the next one in its conversation begins."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Literal

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from runtime import bell, doubts
from runtime.events import Event, QuestionClosed
from runtime.journal import append
from runtime.models import Conversation, Outbox, Question, Run, RunStream, TraceDue
from runtime.prepared import Prepared
from runtime.rows import NOW, delete, insert, update

Ended = Literal["done", "failed", "cancelled", "lost"]


def _of_id(id: uuid.UUID) -> QuerySet[Conversation]:
    return Conversation.objects.select_for_update().filter(id=id)


def _of_talk(talk: uuid.UUID) -> Iterable[tuple[uuid.UUID, str]]:
    unfinished = Run.objects.filter(conversation_id=talk, status__in=(*Run.ACTIVE, "held"))
    return unfinished.order_by("created_at", "id").values_list("id", "status")


_locked = Prepared(_of_id, uuid.UUID)
_unfinished = Prepared(_of_talk, uuid.UUID)


def lock(conversation: uuid.UUID) -> Conversation:
    """The conversation, held until the transaction ends, so that only one writer changes whose turn it is."""
    found = _locked.first(conversation)
    if found is None:
        raise Conversation.DoesNotExist(f"There is no conversation {conversation} in this workspace.")
    return found


def hold(conversation: uuid.UUID) -> None:
    """As lock, without reading it. SQLite has one writer at a time, so there the transaction itself is the lock."""
    if connection.features.has_select_for_update:
        list(Conversation.objects.select_for_update().filter(id=conversation).values_list("id"))


def publish(run: uuid.UUID) -> None:
    """Make a run due: an outbox row with the state that made it so, and a doorbell after the commit."""
    insert([Outbox(run_id=run)])
    transaction.on_commit(lambda: bell.run(run))


def withdraw_questions(run: Run, by: str = "", below: str = "") -> list[Event]:
    """Close what the run still asks; returns the events that say so. A doubt about a write outlives its run.

    below: only what the flow asks that runs as the step of this address.
    """
    pending = Question.objects.filter(run=run, state="pending", address__startswith=below).exclude(kind="outcome")
    open_ones = list(pending.values_list("id", flat=True))
    Question.objects.filter(id__in=open_ones).update(state="withdrawn", decided_name=by, decided_at=Now())
    if open_ones:
        workspace = run.workspace_id
        transaction.on_commit(lambda: bell.inbox(workspace))
    return [QuestionClosed(question=str(id), state="withdrawn", by=by) for id in open_ones]


def end(run: Run, status: Ended, events: list[Event], **fields: object) -> None:
    """End a run in the caller's transaction: status, events, questions withdrawn, the next message's turn begun.

    fields: what else is written of the run.
    """
    hold(run.conversation_id)
    update(Run, {"status": status, "finished_at": NOW, "lease_until": None, "owner": "", **fields}, id=run.id)
    delete(RunStream, run=run.id)
    closing: list[Event] = []
    if status != "done":
        # A run that is done was claimed and asks nothing any more.
        delete(Outbox, run=run.id)
        closing = [*withdraw_questions(run), *doubts.leave_open(run)]
    append(run.conversation_id, run.id, [*closing, *events])
    if settings.TRACES_TO:
        TraceDue.objects.update_or_create(run_id=run.id, defaults={"next_at": timezone.now(), "attempts": 0})
    begin_next(run.conversation_id)


def begin_next(conversation: uuid.UUID) -> None:
    """Give the oldest held message its turn, if no other run of the conversation is unfinished."""
    waiting = _unfinished(conversation)
    if not waiting or any(status != "held" for _, status in waiting):
        return
    following = waiting[0][0]
    Run.objects.filter(id=following).update(status="queued")
    publish(following)
