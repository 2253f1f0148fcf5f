"""How much an open agent may be used in a day, refused in words before anything is started."""

from __future__ import annotations

from runtime import budget
from runtime.models import Deployment, Question, Run
from studio.refusal import Refusal
from studio.strings import t
from studio.viewer import Viewer

# So many runs of one open agent may work or wait for a worker at once; what waits for a person counts nothing.
MOST_UNFINISHED = 100
_AT_WORK = ("held", *(status for status in Run.ACTIVE if status != "waiting"))


class Spent(Refusal):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message, 429)


def judge(deployment: Deployment, viewer: Viewer) -> None:
    """Raises Spent when the visitor has said as much as a day allows, or the agent has done as much. Scoped.

    Asked before a message and before an answer that lets a run go on: either makes a model work.
    """
    if viewer.actor.visitor and not viewer.program and _said(deployment, viewer) >= deployment.visitor_limit:
        raise Spent("VISITOR_LIMIT", t("conversation.visitor_limit", count=deployment.visitor_limit))
    if budget.used_up(deployment):
        raise Spent("DAILY_CEILING", t("conversation.daily_ceiling", name=deployment.name))
    if viewer.actor.visitor and _at_work(deployment) >= MOST_UNFINISHED:
        raise Spent("AGENT_BUSY", t("conversation.agent_busy", name=deployment.name))


def _said(deployment: Deployment, viewer: Viewer) -> int:
    """The visitor's messages and answers of today."""
    since, visitor = budget.today(), viewer.actor.visitor
    sent = Run.objects.filter(deployment=deployment, conversation__visitor=visitor, created_at__gte=since)
    answered = Question.objects.filter(
        conversation__deployment=deployment, conversation__visitor=visitor, state="answered", decided_by=None,
        decided_at__gte=since,
    )  # fmt: skip
    return sent.count() + answered.count()


def _at_work(deployment: Deployment) -> int:
    return Run.objects.filter(deployment=deployment, status__in=_AT_WORK).exclude(conversation__visitor="").count()
