"""Files that nobody needs any more: uploads that no message brought, what a retention says, bytes without a row."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from runtime.files import keeping
from runtime.files.giving import WAITS
from runtime.files.needed import needed
from runtime.models import Run, StoredFile

BATCH = 200


def expire(before: datetime, most: int = BATCH) -> int:
    """Delete files of ended runs that are older than that. Scoped. Returns how many; call it again while it is `most`.

    Whoever opens one afterwards is told that it is gone.
    """
    with transaction.atomic():
        held = _hold(_old(before).order_by("created_at"), most)
        # What a message has taken since it was found old belongs to a run that needs it.
        taken = needed(StoredFile.objects.filter(pk__in=[row.pk for row in held])) if held else set()
        return _delete([row for row in held if row.pk not in taken])


def count(before: datetime) -> int:
    """How many files `expire` would delete. Scoped."""
    return _old(before).count()


def _old(before: datetime) -> QuerySet[StoredFile]:
    """Files that no run needs: one that works or waits may read what its conversation was given in earlier turns, and
    whatever else it refers to."""
    unfinished = Run.objects.filter(status__in=(*Run.ACTIVE, "held"))
    mine, talks = unfinished.filter(pk=OuterRef("run")), unfinished.filter(conversation=OuterRef("conversation"))
    old = StoredFile.objects.filter(~Exists(mine), ~Exists(talks), created_at__lt=before)
    return old.exclude(pk__in=needed(old))


def stale(most: int = BATCH) -> int:
    """Delete uploads, in every workspace, that waited for their message for too long."""
    waiting = StoredFile.everywhere.filter(conversation=None, created_at__lt=timezone.now() - WAITS)
    with transaction.atomic():
        return _delete(_hold(waiting.order_by("created_at"), most))


def orphans() -> int:
    """Delete bytes that lie there without a row for longer than a transaction may take: their writer is gone."""
    found, storage = 0, keeping.storage()
    try:
        folders, _ = storage.listdir("")
    except FileNotFoundError:
        return 0
    latest = datetime.now(UTC) - WAITS
    for folder in folders:
        names = [f"{folder}/{name}" for name in storage.listdir(folder)[1]]
        known = set(StoredFile.everywhere.filter(place__startswith=f"{folder}/").values_list("place", flat=True))
        for name in names:
            if name not in known and storage.get_modified_time(name) < latest:
                storage.delete(name)
                found += 1
    return found


def _hold(rows: QuerySet[StoredFile], most: int) -> list[StoredFile]:
    """Held, so that none goes that a message takes meanwhile; in the order in which messages hold theirs."""
    ids = list(rows.values_list("pk", flat=True)[:most])
    return list(rows.filter(pk__in=ids).order_by("pk").select_for_update(of=("self",)))


def _delete(rows: list[StoredFile]) -> int:
    for row in rows:
        row.delete()
    return len(rows)
