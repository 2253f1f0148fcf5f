"""Exporting as the worker does it: runs that ended, many in one request, tried again while the collector is away."""

from __future__ import annotations

import logging
import uuid
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.utils import timezone

from flows import scope
from runtime.errands import Desk
from runtime.models import RunEvent, TraceDue
from runtime.tracing import spans
from runtime.tracing.spans import Trace

log = logging.getLogger(__name__)

EXPORT = uuid.uuid5(uuid.NAMESPACE_URL, "lgstudio:traces:export")
AT_ONCE = 50
MOST_EVENTS = 20_000
WAITS = (1, 2, 5, 15, 60, 240)
"""Minutes until a run is tried again; after the last it is given up."""


async def work(desk: Desk, id: uuid.UUID) -> None:
    """Export whatever is due."""
    while not desk.stopping:
        due = await desk.database.read(_due)
        if not due or not await _export(desk, due):
            return


async def _export(desk: Desk, due: list[TraceDue]) -> bool:
    """Export these in one request; False when the collector did not take them."""
    from runtime.tracing import wire

    traces: dict[int, Trace] = {}
    for row in due:
        scope.enter(row.workspace_id)
        try:
            traces[row.pk] = await desk.database.read(partial(_trace, row))
        except Exception:
            # One run that cannot be read keeps none of the others.
            log.exception("The trace of run %s could not be made", row.run_id)
            await desk.database.write(partial(_put_off, [row], is_final=True))
    made = [row for row in due if row.pk in traces]
    try:
        if made:
            await wire.post(wire.body(traces.values()))
    except wire.NotExported as failed:
        log.warning("Traces were not exported: %s", failed.message)
        await desk.database.write(partial(_put_off, made, is_final=failed.is_final))
        return False
    await desk.database.write(lambda: [_exported(row, traces[row.pk]) for row in made])
    return True


async def sweep(desk: Desk) -> list[uuid.UUID]:
    """Whether anything is due."""
    if not settings.TRACES_TO:
        return []
    return [EXPORT] if await desk.database.read(_due) else []


def _due() -> list[TraceDue]:
    rows = TraceDue.everywhere.filter(next_at__lte=timezone.now()).order_by("next_at")
    found = list(rows.select_related("run__deployment", "run__version", "run__conversation")[:AT_ONCE])
    total, fitting = 0, list[TraceDue]()
    for row in found:
        own = RunEvent.everywhere.filter(conversation=row.run.conversation_id, run=row.run_id, seq__gt=row.seq)
        total += own.count()
        if fitting and total > MOST_EVENTS:
            break
        fitting.append(row)
    return fitting


def _trace(row: TraceDue) -> Trace:
    return spans.of(row.run, row.seq, says_all=settings.TRACES_SAY_ALL)


def _exported(row: TraceDue, trace: Trace) -> None:
    """Up to there. A run that went on meanwhile, and ended again, is due again for what follows."""
    TraceDue.everywhere.filter(pk=row.pk).update(seq=trace.last, attempts=0)
    TraceDue.everywhere.filter(pk=row.pk, next_at=row.next_at).update(next_at=None)


def _put_off(rows: list[TraceDue], *, is_final: bool) -> None:
    for row in rows:
        late = is_final or row.attempts >= len(WAITS)
        wait = None if late else timezone.now() + timedelta(minutes=WAITS[row.attempts])
        TraceDue.everywhere.filter(pk=row.pk).update(next_at=wait, attempts=row.attempts + 1)
