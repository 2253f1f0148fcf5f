"""Looking after the store, now and then: uploads that no message brought, and bytes whose writer is gone."""

from __future__ import annotations

import time
import uuid

from runtime.errands import Desk
from runtime.files import sweeping

EVERY = 600.0
_last = [0.0]


async def work(desk: Desk, id: uuid.UUID) -> None:
    """No file has work of its own."""


async def sweep(desk: Desk) -> list[uuid.UUID]:
    """Once in ten minutes, and the first time after as long."""
    now = time.monotonic()
    if not _last[0]:
        _last[0] = now
    if now - _last[0] >= EVERY:
        _last[0] = now
        await desk.database.write(sweeping.stale)
        await desk.database.read(sweeping.orphans)
    return []
