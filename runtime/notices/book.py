"""The book of troubles, and the messages that are written from it: grouped, and no more of them than anybody reads.

A message is written once for each place and change: that something is wrong, that it became worse, that it still is a
day later, and that it is over. Whatever changes within the place's quiet time goes together into its next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from runtime.models import Delivery, NoticePlace, Trouble
from runtime.notices import words
from runtime.notices.troubles import SO, SUSPECTED, Found, Standing, closing

GATHER = timedelta(seconds=60)
"""What goes wrong at once is told at once: the first message waits so long for the rest."""
STILL = timedelta(hours=24)
REMEMBERED = timedelta(days=2)
MOST_ITEMS = 50
KEPT = timedelta(days=30)


def standing() -> dict[tuple[str, str], Trouble]:
    """What is known to be wrong. Scoped."""
    return {(row.kind, row.subject): row for row in Trouble.objects.filter(over_at=None)}


def note(kinds: Sequence[str], found: Sequence[Found], known: Standing) -> None:
    """Bring the book in step with what was found to be wrong, of these kinds."""
    now = timezone.now()
    seen = {(each.kind, each.subject): each for each in found}
    with transaction.atomic():
        for key, each in seen.items():
            _stands(known.get(key), each, now)
        for key, row in known.items():
            if row.kind in kinds and key not in seen:
                _over(row, now)
        Trouble.objects.filter(over_at__lt=now - KEPT).delete()
        Delivery.objects.filter(created_at__lt=now - KEPT).exclude(state="due").delete()


def _stands(row: Trouble | None, found: Found, now: datetime) -> None:
    if row is None:
        row = Trouble(kind=found.kind, subject=found.subject, since=now, level=found.level, seen_at=now)
    # A server's next look is counted from its last one; other kinds are looked at anew each time.
    if found.kind != "server" or found.count != row.count:
        row.seen_at = now
    if row.level == SUSPECTED < found.level:
        row.since = now
    row.level, row.count = max(row.level, found.level), found.count
    row.name, row.words, row.why, row.link = found.name[:120], found.words, found.why.replace("\0", ""), found.link
    row.save()


def _over(row: Trouble, now: datetime) -> None:
    if row.level == SUSPECTED:
        row.delete()
        return
    row.over_at, row.words = now, closing(row)
    row.save(update_fields=["over_at", "words"])


@dataclass(frozen=True)
class _Change:
    trouble: Trouble
    state: words.State
    at: datetime


def write() -> int:
    """Write the messages that are due to the workspace's places; returns how many. Scoped."""
    return sum(_write_to(place) for place in NoticePlace.objects.filter(on=True))


def _write_to(place: NoticePlace) -> bool:
    now = timezone.now()
    if place.told_at is not None and now - place.told_at < timedelta(minutes=place.quiet_minutes):
        return False
    changes = _changes(place, now)
    if not changes or min(change.at for change in changes) > now - GATHER:
        return False
    with transaction.atomic():
        held = NoticePlace.objects.filter(pk=place.pk, told_at=place.told_at, on=True)
        if not held.update(told_at=now):
            # Another process wrote it, or nobody wants it any more.
            return False
        items = [words.item(change.trouble, change.state, tells_why=place.tells_why) for change in changes]
        Delivery.objects.create(
            place=place, title=words.title(items, place.workspace.name), items=items[:MOST_ITEMS], next_at=now
        )
        for change in changes:
            row = change.trouble
            row.told[str(place.pk)] = {"level": row.level, "at": now.isoformat(), "over": change.state == "over"}
            row.save(update_fields=["told"])
    return True


def _changes(place: NoticePlace, now: datetime) -> list[_Change]:
    """What the place was not told yet, what is wrong first."""
    recent = Q(over_at=None) | Q(over_at__gte=now - REMEMBERED)
    rows = Trouble.objects.filter(recent, kind__in=place.kinds, level__gte=SO).order_by("since", "pk")
    found = [change for row in rows if (change := _change(place, row, now)) is not None]
    return sorted(found, key=lambda change: change.state == "over")


def _change(place: NoticePlace, row: Trouble, now: datetime) -> _Change | None:
    told: dict[str, Any] | None = row.told.get(str(place.pk))
    if row.over_at is not None:
        if told is None:
            # It came and went while the place had its quiet time; what was over before the place was made is no news.
            return _Change(row, "over", row.over_at) if row.since >= place.created_at else None
        return None if told["over"] else _Change(row, "over", row.over_at)
    if told is None:
        return _Change(row, "new", row.since)
    if told["level"] < row.level:
        return _Change(row, "worse", row.seen_at - GATHER)
    at = datetime.fromisoformat(told["at"])
    return _Change(row, "still", at) if now - at >= STILL else None
