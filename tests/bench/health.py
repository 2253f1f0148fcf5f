"""Prints what the page of agents asks of the database, over so many runs: python -m tests.bench.health [RUNS]

On PostgreSQL: python -m tests.support.postgres .venv/bin/python -m tests.bench.health
"""

from __future__ import annotations

import os
import sys
import time
import uuid
from datetime import timedelta
from decimal import Decimal
from statistics import median
from typing import Any

AGENTS = 20
AT_ONCE = 2_000
ROUNDS = 9
OFTEN = ("done",) * 17 + ("failed", "cancelled", "waiting")


def fill(runs: int) -> list[Any]:
    """So many runs of the last three months, of twenty agents, each with a call of a model."""
    from django.db.models import F, OuterRef, Subquery
    from django.utils import timezone

    from flows.scope import current
    from runtime.models import Conversation, ModelCall, Run
    from tests.support import talk

    agents = [talk.agent(f"agent-{number}") for number in range(AGENTS)]
    now = timezone.now()
    for first in range(0, runs, AT_ONCE):
        talks, made, calls = [], [], []
        for number in range(first, min(runs, first + AT_ONCE)):
            agent, status = agents[number % AGENTS], OFTEN[(number // AGENTS) % len(OFTEN)]
            at = now - timedelta(days=90) * (1 - number / runs)
            one = Conversation(id=uuid.uuid4(), workspace_id=current(), deployment=agent)
            talks.append(one)
            run = Run(
                workspace_id=current(), conversation=one, deployment=agent, version=agent.version, status=status,
                inputs={"question": "What?"}, outputs={"answer": "That. " * 40}, finished_at=at,
                error={"code": "X", "message": "It failed."} if status == "failed" else None,
            )  # fmt: skip
            made.append(run)
            calls.append(ModelCall(
                workspace_id=current(), run=run, key="reply#1/a1/0", address="reply#1", state="done", fence=1,
                prompt_sha="0" * 64, messages=[], entry="House", model="m", reply="That.", cost="0.001",
            ))  # fmt: skip
        Conversation.objects.bulk_create(talks)
        Run.objects.bulk_create(made)
        ModelCall.objects.bulk_create(calls)
    Run.objects.update(created_at=F("finished_at"))
    ModelCall.objects.update(at=Subquery(Run.objects.filter(pk=OuterRef("run")).values("finished_at")[:1]))
    return agents


def show(title: str, ask: Any) -> None:
    spent: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        ask()
        spent.append((time.perf_counter() - began) * 1000)
    print(f"{title:<44}{median(spent):9.2f} ms (worst {max(spent):.2f})")


def main(runs: int) -> None:
    from django.db import connection
    from django.db.models.functions import Now
    from django.test.utils import CaptureQueriesContext, setup_databases, teardown_databases

    from flows import scope
    from flows.models import Workspace
    from runtime import budget, health
    from runtime.models import Deployment, ModelCall, Run

    old = setup_databases(0, False)
    try:
        with scope.workspace(Workspace.objects.create(name="Acme").id):
            began = time.perf_counter()
            agents = fill(runs)
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
            print(
                f"{connection.vendor}, {runs:,} runs of {AGENTS} agents, written in {time.perf_counter() - began:.0f} s"
            )
            show("  floor: the agents alone", lambda: list(Deployment.objects.all()))
            show("  how they are doing", lambda: health.of(agents))
            show("  how one is doing", lambda: health.of(agents[:1]))
            show("  whether nobody takes runs up", health.unattended)
            agents[0].cost_ceiling = Decimal(1_000_000)
            show("  whether one has used up its day", lambda: budget.used_up(agents[0]))
            show("  every run counted", lambda: Run.objects.filter(deployment__in=agents).count())
            with CaptureQueriesContext(
                connection,
            ) as asked:
                health.of(agents)
            for each in asked.captured_queries:
                print(f"    {each['time']} s  {each['sql'][:90]}")
            ModelCall.objects.update(at=Now())
            Run.objects.filter(status__in=Run.ENDED).update(finished_at=Now())
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
            print("  had it all been today")
            show("  how they are doing", lambda: health.of(agents))
            show("  whether one has used up its day", lambda: budget.used_up(agents[0]))
    finally:
        teardown_databases(old, 0)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
