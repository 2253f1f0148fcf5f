"""Notices as the worker does them: look every half minute what is wrong, write messages, send those that are due.

Where no worker is, a web process does the same: runtime/notices/watch.py.
"""

from __future__ import annotations

import logging
import time
import uuid
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from flows import scope
from runtime import bell
from runtime.errands import Desk
from runtime.models import Delivery, NoticePlace
from runtime.notices import book, sending, troubles
from runtime.notices.failing import Undelivered

log = logging.getLogger(__name__)

NAME = "notices"
LOOK_SECONDS = 30.0
LOOK = uuid.uuid5(uuid.NAMESPACE_URL, "lgstudio:notices:look")
"""The errand of looking, beside those of sending a message each."""
AT_ONCE = 20
SENDING = timedelta(minutes=2)
WAITS = (1, 5, 15, 60, 240)
"""Minutes until a message is tried again; after the last it is given up."""

_looked = float("-inf")


async def work(desk: Desk, id: uuid.UUID) -> None:
    """Look what is wrong, or send one message. Harmless for one that is not due."""
    if id == LOOK:
        for workspace in await desk.database.read(workspaces):
            if desk.stopping:
                return
            scope.enter(workspace)
            await desk.database.write(look)
        return
    delivery = await desk.database.write(lambda: take(id))
    if delivery is None:
        return
    scope.enter(delivery.workspace_id)
    try:
        await sending.send(delivery)
    except Undelivered as failed:
        why = failed
        await desk.database.write(lambda: put_off(delivery, why))
    else:
        await desk.database.write(lambda: arrived(delivery))


async def sweep(desk: Desk) -> list[uuid.UUID]:
    """Messages that are due, and from time to time a look."""
    global _looked  # noqa: PLW0603
    due = await desk.database.read(due_ids)
    if time.monotonic() - _looked > LOOK_SECONDS:
        _looked = time.monotonic()
        due.append(LOOK)
    return due


def workspaces() -> list[uuid.UUID]:
    """Those in which anybody is told anything."""
    return list(NoticePlace.everywhere.filter(on=True).values_list("workspace", flat=True).distinct())


def look(*, without_worker: bool = False) -> None:
    """Bring the book of this workspace in step, and write the messages that are due. Scoped."""
    kinds = sorted({kind for each in NoticePlace.objects.filter(on=True) for kind in each.kinds})
    known = book.standing()
    if without_worker:
        kinds = [kind for kind in kinds if kind == "worker"]
    book.note(kinds, troubles.no_worker(kinds) if without_worker else troubles.found(kinds, known), known)
    book.write()


def due_ids() -> list[uuid.UUID]:
    due = Delivery.everywhere.filter(state="due", next_at__lte=timezone.now())
    return list(due.order_by("next_at").values_list("pk", flat=True)[:AT_ONCE])


def take(id: uuid.UUID) -> Delivery | None:
    """A message to be sent now; nobody else takes it while that may last."""
    now = timezone.now()
    due = Delivery.everywhere.filter(pk=id, state="due", next_at__lte=now)
    if not due.update(next_at=now + SENDING, attempts=F("attempts") + 1):
        return None
    delivery = Delivery.everywhere.select_related("place", "workspace").get(pk=id)
    if delivery.place.on or delivery.is_test:
        return delivery
    put_off(delivery, Undelivered("The place was switched off before this was sent.", is_final=True))
    return None


def arrived(delivery: Delivery) -> None:
    Delivery.everywhere.filter(pk=delivery.pk).update(state="sent", sent_at=timezone.now(), error="")


def put_off(delivery: Delivery, why: Undelivered) -> None:
    """Try again later, for whoever does not have it; or not at all: of a test, who pressed the button sees it fail."""
    words, reached = why.message.replace("\0", ""), [*delivery.reached, *why.reached]
    row = Delivery.everywhere.filter(pk=delivery.pk)
    if why.is_final or delivery.is_test or delivery.attempts > len(WAITS):
        log.warning("Notice %s did not arrive and is given up: %s", delivery.pk, words)
        row.update(state="partly" if reached else "given_up", error=words, reached=reached)
        return
    wait = timedelta(minutes=WAITS[delivery.attempts - 1])
    row.update(next_at=timezone.now() + wait, error=words, reached=reached)


def ring(delivery: Delivery) -> None:
    """Have it sent at once; without a broker the sweeper finds it."""
    bell.errand(NAME, delivery.pk)
