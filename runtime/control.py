"""Runs that ended badly, let go on: the same run, at the step that failed, with everything it had done kept."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from runtime import bell, turns
from runtime.events import Event, QuestionClosed, RunContinued
from runtime.journal import append
from runtime.models import Conversation, Deployment, Question, Run
from runtime.rows import NOW, update

ENDED_BADLY = ("failed", "lost")
AT_ONCE = 200
"""So many runs of an agent go on at one word; the rest at the next."""


class NotContinued(Exception):
    """The run stays as it ended. message says why, and what to do instead."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(frozen=True)
class Continued:
    """How many runs of an agent go on; why the others do not, by code; and how many are left for the next time."""

    count: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    left: int = 0


def _later(run: OuterRef | uuid.UUID, talk: object, created: object) -> QuerySet[Run]:
    """Turns of the conversation that began after this one. A message that was taken back never began."""
    after = Run.objects.filter(conversation_id=talk, created_at__gte=created).exclude(pk=run)
    return after.exclude(Q(status="held") | Q(status="cancelled", started_at=None))


def continuable(deployment: Deployment) -> QuerySet[Run]:
    """The agent's runs that ended badly and may go on, the oldest first."""
    return _continuable([deployment]).order_by("created_at", "pk")


def _continuable(agents: Iterable[Deployment]) -> QuerySet[Run]:
    later = _later(OuterRef("pk"), OuterRef("conversation_id"), OuterRef("created_at"))
    found = Run.objects.filter(deployment__in=list(agents), status__in=ENDED_BADLY, checkpoints_gone=False)
    return found.exclude(Exists(later))


def counts(agents: Iterable[Deployment]) -> dict[uuid.UUID, int]:
    """How many runs of each of these agents may go on; of a paused one none may. One question for all of them."""
    found = _continuable([agent for agent in agents if not agent.paused])
    return dict(found.values_list("deployment").annotate(Count("pk")))


def let_go_on(run_id: uuid.UUID, by: str) -> None:
    """Let a run that failed, or was given up, go on at the step at which it ended. Raises NotContinued.

    What was done stays done and is not repeated; a write of unknown outcome is asked about; what failed is tried once
    more, with as much working time as at first. by: who says so, for the journal.
    """
    with transaction.atomic():
        run = Run.objects.select_related("deployment").get(id=run_id)
        turns.lock(run.conversation_id)
        run.refresh_from_db()
        _judge(run)
        update(
            Run,
            {
                "status": "resumable", "error": None, "finished_at": None, "attempts": 0, "worked": 0,
                "continued": run.fence, "cancel_requested_at": None, "cancelled_by": "", "lease_until": None,
            },
            id=run.id,
        )  # fmt: skip
        update(Conversation, {"last_at": NOW}, id=run.conversation_id)
        append(run.conversation_id, run.id, [RunContinued(by=by), *_settle_anew(run)])
        turns.publish(run.id)


def let_all_go_on(deployment: Deployment, by: str) -> Continued:
    """Let the agent's runs that ended badly go on, the oldest first. Raises NotContinued where none may."""
    _judge_agent(deployment)
    found = continuable(deployment)
    count, refused = 0, dict[str, int]()
    for id in list(found.values_list("pk", flat=True)[:AT_ONCE]):
        try:
            let_go_on(id, by)
            count += 1
        except NotContinued as one:
            refused[one.code] = refused.get(one.code, 0) + 1
    return Continued(count, refused, max(0, found.count() - sum(refused.values())))


def may_go_on(run: Run) -> NotContinued | None:
    """Why the run may not go on, None where it may. Read with its deployment."""
    try:
        _judge(run)
    except NotContinued as refused:
        return refused
    return None


def _judge(run: Run) -> None:
    if run.status not in ENDED_BADLY:
        words = {
            "done": "This run is done; there is nothing left of it to go on with.",
            "cancelled": "This run was stopped by a person. Send the message again instead.",
        }.get(run.status, "This run has not ended, so it goes on by itself.")
        raise NotContinued("RUN_NOT_FAILED", words)
    _judge_agent(run.deployment)
    if run.checkpoints_gone:
        raise NotContinued(
            "RUN_NOT_KEPT",
            "This run ended too long ago: what it would go on from is no longer kept. Send the message again instead.",
        )
    if _later(run.id, run.conversation_id, run.created_at).exists():
        raise NotContinued(
            "LATER_TURN",
            "Its conversation went on after this run, so it would answer out of turn. Ask for it again in the "
            "conversation instead.",
        )


def _judge_agent(deployment: Deployment) -> None:
    if deployment.paused:
        raise NotContinued(
            "AGENT_PAUSED",
            f"{deployment.name} is paused, so nothing of it goes on. Let the agent go on first, then its runs.",
        )


def _settle_anew(run: Run) -> list[Event]:
    """What is asked about the run's calls, it asks itself once it comes to wait for it, as everything else."""
    closed = Question.objects.filter(run=run, state="pending")
    settling = list(closed.values_list("id", flat=True))
    Question.objects.filter(id__in=settling).update(state="withdrawn", decided_at=Now())
    if settling:
        bell.inbox_after_commit(run.workspace_id)
    return [QuestionClosed(question=str(id), state="withdrawn") for id in settling]
