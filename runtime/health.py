"""How agents are doing: what ran last, what failed and why, what waits, and what today cost."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, OuterRef, Subquery, Sum
from django.utils import timezone

from runtime import budget
from runtime.models import Deployment, Outbox, Run

RECENT = timedelta(days=7)
"""Failures of before say nothing about how an agent is doing now."""
UNTAKEN = timedelta(minutes=1)
BADLY = ("failed", "lost")


@dataclass(frozen=True)
class Health:
    """last: when a run began or ended. done: when one succeeded. failed: when one ended badly, with its words and id.

    waits: for people. working: has a worker or waits for one. cost: USD today, None without prices.
    """

    last: datetime | None = None
    done: datetime | None = None
    failed: datetime | None = None
    words: str = ""
    run: uuid.UUID | None = None
    failures: int = 0
    waits: int = 0
    working: int = 0
    cost: Decimal | None = None

    @property
    def failing(self) -> bool:
        """The last run that came to an end ended badly."""
        return self.failed is not None and (self.done is None or self.failed > self.done)


def of(agents: Sequence[Deployment]) -> dict[uuid.UUID, Health]:
    """The health of these agents, by id; of one that never ran there is none. Scoped. Five questions in all.

    Runs that ended are never gone through: an index knows the last of each state, and which failed lately.
    """
    ids = [agent.pk for agent in agents]
    found: dict[uuid.UUID, dict[str, Any]] = {}
    for id, *moments in Deployment.objects.filter(pk__in=ids).values_list("pk", *map(_latest, Run.ENDED)):
        ended = {state: at for state, at in zip(Run.ENDED, moments, strict=True) if at is not None}
        if ended:
            found[id] = {"last": max(ended.values()), "done": ended.get("done")}
    active = Run.objects.filter(deployment__in=ids, status__in=(*Run.ACTIVE, "held")).values("deployment", "status")
    for id, status, number, last in active.values_list("deployment", "status", Count("pk"), Max("created_at")):
        row = found.setdefault(id, {"last": last})
        row["last"] = max(row["last"], last)
        state = "waits" if status == "waiting" else "working"
        row[state] = row.get(state, 0) + number
    lately = Run.objects.filter(status__in=BADLY, finished_at__gte=timezone.now() - RECENT)
    counted = lately.filter(deployment__in=ids).values("deployment")
    for id, number, failed in counted.values_list("deployment", Count("pk"), Max("finished_at")):
        # What began or ended since the questions before may be known to this one alone.
        found.setdefault(id, {"last": failed}).update(failures=number, failed=failed)
    for id, cost in budget.calls().filter(agent__in=ids).values("agent").values_list("agent", Sum("cost")):
        if id in found:
            found[id]["cost"] = cost
    # By its id: a moment read from one database and sent to it again is not always the same moment.
    latest = lately.filter(deployment=OuterRef("pk")).order_by("-finished_at").values("pk")[:1]
    failing = Deployment.objects.filter(pk__in=[id for id, row in found.items() if "failed" in row])
    worst = [id for id in failing.annotate(run=Subquery(latest)).values_list("run", flat=True) if id is not None]
    for id, run, error in Run.objects.filter(pk__in=worst).values_list("deployment", "pk", "error"):
        found[id] |= {"run": run, "words": (error or {}).get("message", "")}
    return {id: Health(**row) for id, row in found.items()}


def _latest(status: str) -> Subquery:
    """When the last run of an agent ended so."""
    ended = Run.objects.filter(deployment=OuterRef("pk"), status=status, finished_at__isnull=False)
    return Subquery(ended.order_by("-finished_at").values("finished_at")[:1])


def unattended() -> bool:
    """Whether runs of this workspace are due and no worker takes them, though some time has passed. Scoped."""
    waiting = Run.objects.filter(status__in=("queued", "resumable"))
    return Outbox.objects.filter(run__in=waiting, at__lt=timezone.now() - UNTAKEN).exists()
