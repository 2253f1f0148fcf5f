"""What an agent may use in a day. The day is UTC's: at its end the agent answers again by itself."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import OuterRef, Q, QuerySet, Subquery, Sum, UUIDField
from django.utils import timezone

from runtime.models import Deployment, ModelCall, Run

SKEW = timedelta(hours=1)
"""Runs end by the database's clock, and calls begin by a worker's."""


def today() -> datetime:
    """When the day began."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)


def calls() -> QuerySet[ModelCall]:
    """Today's calls of models, each with its `agent`. Scoped.

    Joined to their runs they would be looked for from all runs of an agent, of which most are older than today.
    """
    agent = Run.objects.filter(pk=OuterRef("run")).values("deployment")[:1]
    return ModelCall.objects.filter(at__gte=today()).annotate(agent=Subquery(agent, UUIDField()))


def used_up(deployment: Deployment) -> bool:
    """Whether the day's money or, on an open link, the day's tokens are spent. Scoped.

    Calls still under way are counted once they end.
    """
    is_open = deployment.access == "link"
    if not is_open and deployment.cost_ceiling is None:
        return False
    used = _calls_of(deployment).aggregate(cost=Sum("cost"), read=Sum("input_tokens"), written=Sum("output_tokens"))
    if deployment.cost_ceiling is not None and (used["cost"] or 0) >= deployment.cost_ceiling:
        return True
    return is_open and (used["read"] or 0) + (used["written"] or 0) >= deployment.token_ceiling


def _calls_of(deployment: Deployment) -> QuerySet[ModelCall]:
    """Today's calls of one agent, looked for in its runs that have not ended, or not before today.

    Asked before each call: on a busy day most calls are of other agents, and most of an agent's runs are older.
    """
    unfinished = Q(run__status__in=(*Run.ACTIVE, "held"))
    ended_today = Q(run__status__in=Run.ENDED, run__finished_at__gte=today() - SKEW)
    return ModelCall.objects.filter(unfinished | ended_today, run__deployment_id=deployment.pk, at__gte=today())
