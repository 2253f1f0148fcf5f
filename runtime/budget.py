"""What an agent may use in a day. The day is UTC's: at its end the agent answers again by itself."""

from __future__ import annotations

from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery, Sum, UUIDField
from django.utils import timezone

from runtime.models import Deployment, ModelCall, Run


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
    mine = calls().filter(agent=deployment.pk)
    used = mine.aggregate(cost=Sum("cost"), read=Sum("input_tokens"), written=Sum("output_tokens"))
    if deployment.cost_ceiling is not None and (used["cost"] or 0) >= deployment.cost_ceiling:
        return True
    return is_open and (used["read"] or 0) + (used["written"] or 0) >= deployment.token_ceiling
