"""How agents are doing: what ran last, what failed and why, what waits, and what today cost."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, OuterRef, Q, Subquery, Sum
from django.utils import timezone

from runtime import budget
from runtime.models import Deployment, ModelCall, Outbox, Run

RECENT = timedelta(days=7)
"""Failures of before say nothing about how an agent is doing now."""
UNTAKEN = timedelta(minutes=1)


@dataclass(frozen=True)
class Health:
    """last: when a run began. done: when one succeeded. failed: when one ended by a failure, with its words and id.

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
    """The health of these agents, by id; of one that never ran there is none. Scoped. Four questions in all."""
    ended_badly = Q(status__in=("failed", "lost"))
    recent = ended_badly & Q(finished_at__gte=timezone.now() - RECENT)
    counted = (
        Run.objects.filter(deployment__in=agents)
        .values("deployment")
        .annotate(
            last=Max("created_at"),
            done=Max("finished_at", filter=Q(status="done")),
            failed=Max("finished_at", filter=recent),
            failures=Count("pk", filter=recent),
            waits=Count("pk", filter=Q(status="waiting")),
            working=Count("pk", filter=Q(status__in=("held", "queued", "running", "resumable"))),
        )
    )
    rows: dict[uuid.UUID, dict[str, Any]] = {row.pop("deployment"): row for row in counted}
    costs = ModelCall.objects.filter(run__deployment__in=agents, at__gte=budget.today())
    for id, cost in costs.values_list("run__deployment").annotate(cost=Sum("cost")):
        # Its first run may have begun since its runs were counted.
        if id in rows:
            rows[id]["cost"] = cost
    # By its id: a moment read from one database and sent to it again is not always the same moment.
    latest = Run.objects.filter(recent, deployment=OuterRef("pk")).order_by("-finished_at").values("pk")[:1]
    failing = Deployment.objects.filter(pk__in=[id for id, row in rows.items() if row["failed"] is not None])
    worst = failing.annotate(run=Subquery(latest)).values("run")
    for id, run, error in Run.objects.filter(pk__in=worst).values_list("deployment", "pk", "error"):
        rows[id] |= {"run": run, "words": (error or {}).get("message", "")}
    return {id: Health(**row) for id, row in rows.items()}


def unattended() -> bool:
    """Whether runs of this workspace are due and no worker takes them, though some time has passed. Scoped."""
    waiting = Run.objects.filter(status__in=("queued", "resumable"))
    return Outbox.objects.filter(run__in=waiting, at__lt=timezone.now() - UNTAKEN).exists()
