"""What is no longer kept: each workspace says for how many days, and the worker takes away what is older, bit by bit.

`checkpoints`    where ended runs stood; without them none goes on where it failed, and none is run again from a step
`details`        what the steps of ended runs read and wrote, and their calls said and heard; figures stay
`conversations`  whole conversations of agents, by their last message: runs, events, decisions, files, everything
`tries`          the same of drafts that builders tried
`files`          files of ended runs
What works, or waits for a person, is never taken away, nor is a file that it refers to, wherever that was given, nor a
conversation with a write of unknown outcome.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from runtime.files import sweeping
from runtime.files.needed import needed
from runtime.models import (
    Checkpoint,
    CheckpointBlob,
    CheckpointWrite,
    Conversation,
    ModelCall,
    Question,
    Retention,
    Run,
    RunEvent,
    StoredFile,
    ToolCall,
)

WHAT = ("conversations", "tries", "details", "checkpoints", "files")
LONGEST = 3650
RUNS_AT_ONCE = 20
TALKS_AT_ONCE = 10
_UNFINISHED = (*Run.ACTIVE, "held")


@dataclass(frozen=True)
class Days:
    """For how many days each is kept; None is for ever."""

    checkpoints: int | None = 14
    details: int | None = None
    conversations: int | None = None
    tries: int | None = 30
    files: int | None = None


def days() -> Days:
    """As this workspace has it. Scoped."""
    row = Retention.objects.filter().first()
    return Days(**{name: getattr(row, name) for name in WHAT}) if row else Days()


def set_days(wanted: Days, by: str) -> None:
    """Keep things so long from now on. Scoped."""
    row = Retention.objects.filter().first() or Retention()
    for name in WHAT:
        setattr(row, name, getattr(wanted, name))
    row.set_by, row.set_at, row.swept = by[:120], timezone.now(), {}
    row.save()


def due(wanted: Days) -> dict[str, int]:
    """How much of each would go now. Scoped."""
    return {
        "checkpoints": _old_checkpoints(wanted).count(),
        "details": _old_details(wanted).count(),
        "conversations": _old_talks(wanted.conversations, workbench=False).count(),
        "tries": _old_talks(wanted.tries, workbench=True).count(),
        "files": sweeping.count(_before(wanted.files)) if wanted.files is not None else 0,
    }


def sweep(what: str) -> int:
    """Take away a batch of what is older than this workspace keeps; returns how many. Scoped, in a transaction."""
    wanted = days()
    if what == "files":
        return sweeping.expire(_before(wanted.files), RUNS_AT_ONCE) if wanted.files is not None else 0
    if what in ("conversations", "tries"):
        span = wanted.tries if what == "tries" else wanted.conversations
        return _drop_talks(lambda: _old_talks(span, workbench=what == "tries"))
    old = _old_details(wanted) if what == "details" else _old_checkpoints(wanted)
    found = list(old.order_by("finished_at").values_list("pk", "conversation")[:RUNS_AT_ONCE])
    with transaction.atomic():
        # Who lets a run go on holds its conversation; whatever goes on needs what it has.
        _hold([talk for _, talk in found])
        ids = list(old.filter(pk__in=[id for id, _ in found]).values_list("pk", flat=True))
        _drop_checkpoints(ids)
        gone: dict[str, Any] = {"checkpoints_gone": True}
        if what == "details":
            _empty_ledgers(ids)
            gone["details_gone"] = True
        Run.objects.filter(pk__in=ids).update(**gone)
    return len(ids)


def count(what: str, number: int) -> None:
    """Note for the page that so many went. Scoped."""
    row = Retention.objects.filter().first() or Retention()
    row.swept = {**row.swept, what: row.swept.get(what, 0) + number}
    row.swept_at = timezone.now()
    row.save()


def orphans(after: str, most: int = 500) -> str:
    """Take away checkpoints whose run is gone, among so many threads after this one.

    Returns the last of them, "" at the end.
    """
    threads = Checkpoint.objects.filter(thread__gt=after).order_by("thread").values_list("thread", flat=True).distinct()
    found = list(threads[:most])
    runs = Run.everywhere.filter(pk__in=[id for thread in found if (id := _uuid(thread)) is not None])
    known = {str(id) for id in runs.values_list("pk", flat=True)}
    for model in (Checkpoint, CheckpointBlob, CheckpointWrite):
        model.objects.filter(thread__in=[thread for thread in found if thread not in known]).delete()
    return found[-1] if len(found) == most else ""


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def _before(span: int | None) -> datetime:
    return timezone.now() - timedelta(days=span or 0)


def _ended(span: int) -> QuerySet[Run]:
    return Run.objects.filter(status__in=Run.ENDED, finished_at__lt=_before(span))


def _old_checkpoints(wanted: Days) -> QuerySet[Run]:
    spans = [span for span in (wanted.checkpoints, wanted.details) if span is not None]
    return _ended(min(spans)).filter(checkpoints_gone=False) if spans else Run.objects.none()


def _old_details(wanted: Days) -> QuerySet[Run]:
    if wanted.details is None:
        return Run.objects.none()
    # A write of unknown outcome is still to be decided, by what was sent.
    open_ones = Question.objects.filter(run=OuterRef("pk"), state="pending")
    return _ended(wanted.details).filter(~Exists(open_ones), details_gone=False)


def _old_talks(span: int | None, *, workbench: bool) -> QuerySet[Conversation]:
    if span is None:
        return Conversation.objects.none()
    unfinished = Run.objects.filter(conversation=OuterRef("pk"), status__in=_UNFINISHED)
    open_ones = Question.objects.filter(conversation=OuterRef("pk"), state="pending")
    old = Q(deployment__workbench=workbench, last_at__lt=_before(span))
    found = Conversation.objects.filter(old, ~Exists(unfinished), ~Exists(open_ones))
    # A conversation goes with its files: while a run elsewhere refers to one of them it stays.
    files = StoredFile.objects.filter(conversation__in=found)
    kept = StoredFile.objects.filter(pk__in=needed(files)).values_list("conversation", flat=True)
    return found.exclude(pk__in=list(kept))


def _drop_talks(old: Callable[[], QuerySet[Conversation]]) -> int:
    """old: looks for those that may go."""
    ids = list(old().order_by("last_at").values_list("pk", flat=True)[:TALKS_AT_ONCE])
    with transaction.atomic():
        # Whoever writes to one of them now, or elsewhere with a file of one, waits, or has just made it needed.
        _hold(ids)
        files = StoredFile.objects.filter(conversation__in=ids).order_by("pk")
        list(files.select_for_update(of=("self",)).values_list("pk"))
        held = list(old().filter(pk__in=ids).values_list("pk", flat=True))
        _drop_checkpoints(list(Run.objects.filter(conversation__in=held).values_list("pk", flat=True)))
        Conversation.objects.filter(pk__in=held).delete()
    return len(held)


def _hold(talks: list[uuid.UUID]) -> None:
    """Keep conversations as they are until the transaction ends; always in one order, so that no two wait for ever."""
    if connection.features.has_select_for_update:
        held = Conversation.objects.select_for_update().filter(pk__in=talks)
        list(held.order_by("pk").values_list("pk"))


def _drop_checkpoints(runs: list[uuid.UUID]) -> None:
    threads = [str(id) for id in runs]
    for model in (CheckpointWrite, CheckpointBlob, Checkpoint):
        model.objects.filter(thread__in=threads).delete()


def _empty_ledgers(runs: list[uuid.UUID]) -> None:
    """What was said goes; that it was said, to whom, how long it took and what it cost, stays."""
    ModelCall.objects.filter(run__in=runs).update(messages=[], reply="", calls=None)
    for call in ToolCall.objects.filter(run__in=runs).only("pk", "request", "response"):
        said = call.request or {}
        call.request = {"method": said.get("method", ""), "url": str(said.get("url", "")).partition("?")[0]}
        if call.response is not None:
            call.response = {"status": call.response.get("status")}
        call.save(update_fields=["request", "response"])
    # What steps read and wrote stands in their events for those who look into runs; no chat is drawn from it.
    steps = RunEvent.objects.filter(run__in=runs, type__in=("step_started", "step_finished")).only("pk", "payload")
    for event in steps.iterator(500):
        kept = {name: value for name, value in event.payload.items() if name not in ("read", "written", "cut")}
        if kept != event.payload:
            event.payload = kept
            event.save(update_fields=["payload"])
