"""What an agent may use in a day. The day is UTC's: at its end the agent answers again by itself."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Sum
from django.utils import timezone

from runtime.models import Deployment, ModelCall


def today() -> datetime:
    """When the day began."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)


def used_up(deployment: Deployment) -> bool:
    """Whether the day's money or, on an open link, the day's tokens are spent. Scoped.

    Calls still under way are counted once they end.
    """
    is_open = deployment.access == "link"
    if not is_open and deployment.cost_ceiling is None:
        return False
    calls = ModelCall.objects.filter(run__deployment_id=deployment.pk, at__gte=today())
    used = calls.aggregate(cost=Sum("cost"), read=Sum("input_tokens"), written=Sum("output_tokens"))
    if deployment.cost_ceiling is not None and (used["cost"] or 0) >= deployment.cost_ceiling:
        return True
    return is_open and (used["read"] or 0) + (used["written"] or 0) >= deployment.token_ceiling
