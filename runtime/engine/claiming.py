"""How a worker takes a run that is due, and what it then knows of it."""

from __future__ import annotations

import uuid
from functools import lru_cache

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from flows import scope
from runtime import crash
from runtime.clock import after
from runtime.engine import ledger
from runtime.engine.database import Database
from runtime.engine.lease import Lease
from runtime.engine.ledger import Ledger
from runtime.models import Outbox, Run
from runtime.prepared import Prepared, PreparedUpdate
from runtime.rows import delete


def claimable() -> Q:
    """Runs that nobody works on and somebody should."""
    return Q(status__in=("queued", "resumable", "running")) & (Q(lease_until=None) | Q(lease_until__lt=Now()))


_found = Prepared(lambda id: Run.everywhere.select_related("deployment", "conversation").filter(id=id), uuid.UUID)


@lru_cache(maxsize=8)
def _taking(seconds: float, owner: str) -> PreparedUpdate:
    """Takes the run of an id, if it is due."""
    return PreparedUpdate(
        lambda id: Run.everywhere.filter(claimable(), id=id),
        lambda: {
            "fence": F("fence") + 1, "owner": owner, "status": "running", "lease_until": after(seconds),
            "attempts": F("attempts") + 1, "started_at": models.functions.Coalesce("started_at", Now()),
        },
        uuid.UUID,
    )  # fmt: skip


async def claim(database: Database, run_id: uuid.UUID, owner: str, seconds: float) -> Lease | None:
    """Take a run, if it is due and nobody has it. The fence it gets ends every older worker's writes."""
    crash.point("claim.before")

    def act() -> Run | None:
        if not _taking(seconds, owner)(run_id):
            return None
        delete(Outbox, run=run_id)
        return _found.first(run_id)

    run = await database.write(act)
    if run is None:
        return None

    def load() -> Ledger:
        with scope.workspace(run.workspace_id):
            return ledger.load(database, run)

    known = await database.read(load) if run.fence > 1 else Ledger(database)
    crash.point("claim.after")
    return Lease(
        run=run, fence=run.fence, owner=owner, database=database, ledger=known, fresh=run.fence == 1,
        cancelled=run.cancel_requested_at is not None,
    )  # fmt: skip
