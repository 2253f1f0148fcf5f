"""Retention as the worker does it: every hour, workspace by workspace, in batches between which all else goes on."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid

from flows import scope
from flows.models import Workspace
from runtime import bell, retention
from runtime.errands import Desk

log = logging.getLogger(__name__)

NAME = "retention"
EVERY_SECONDS = 3600.0
REST_SECONDS = 0.05
"""Between two batches, so that runs and pages have their turn."""
ROUND = uuid.uuid5(uuid.NAMESPACE_URL, "lgstudio:retention:round")

_swept = float("-inf")


async def work(desk: Desk, id: uuid.UUID) -> None:
    """One round through every workspace."""
    for workspace in await desk.database.read(lambda: list(Workspace.objects.values_list("pk", flat=True))):
        scope.enter(workspace)
        for what in retention.WHAT:
            await _sweep(desk, what)
    last = ""
    while not desk.stopping:
        after = last
        last = await desk.database.write(lambda after=after: retention.orphans(after))
        if not last:
            return
        await asyncio.sleep(REST_SECONDS)


async def _sweep(desk: Desk, what: str) -> None:
    total = 0
    while not desk.stopping:
        number = await desk.database.write(lambda: retention.sweep(what))
        if not number:
            break
        total += number
        await asyncio.sleep(REST_SECONDS)
    if total:
        log.info("Retention took away %d %s", total, what)
        await desk.database.write(lambda: retention.count(what, total))


def ring() -> None:
    """Have a round made soon; without a broker the next one comes by itself."""
    bell.errand(NAME, ROUND)


async def sweep(desk: Desk) -> list[uuid.UUID]:
    """Whether a round is due."""
    global _swept  # noqa: PLW0603
    if time.monotonic() - _swept < EVERY_SECONDS:
        return []
    _swept = time.monotonic()
    return [ROUND]
