"""How much an open agent may be used in a day, refused in words before anything is started."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from django.db.models import Sum
from django.utils import timezone

from runtime.models import Deployment, ModelCall, Run
from studio.refusal import Refusal
from studio.strings import t
from studio.viewer import Viewer


class Spent(Refusal):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message, 429)


def judge(deployment: Deployment, viewer: Viewer) -> None:
    """Raises Spent when the visitor has sent the day's messages, or the agent has used the day's tokens or money.

    The day is UTC's. Calls still under way are counted once they end. Scoped.
    """
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    if viewer.actor.visitor and _sent(deployment, viewer, today) >= deployment.visitor_limit:
        raise Spent("VISITOR_LIMIT", t("conversation.visitor_limit", count=deployment.visitor_limit))
    if deployment.access != "link" and deployment.cost_ceiling is None:
        return
    calls = ModelCall.objects.filter(run__deployment=deployment, at__gte=today)
    used = calls.aggregate(input=Sum("input_tokens"), output=Sum("output_tokens"), cost=Sum("cost"))
    tokens = (used["input"] or 0) + (used["output"] or 0)
    over_tokens = deployment.access == "link" and tokens >= deployment.token_ceiling
    over_cost = deployment.cost_ceiling is not None and Decimal(used["cost"] or 0) >= deployment.cost_ceiling
    if over_tokens or over_cost:
        raise Spent("DAILY_CEILING", t("conversation.daily_ceiling", name=deployment.name))


def _sent(deployment: Deployment, viewer: Viewer, since: datetime) -> int:
    return Run.objects.filter(
        deployment=deployment, conversation__visitor=viewer.actor.visitor, created_at__gte=since
    ).count()
