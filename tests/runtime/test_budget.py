"""What an agent has used of its day."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from runtime import budget
from runtime.models import Deployment, ModelCall, Run
from tests.support import talk

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def desk(workspace: object) -> Deployment:
    return talk.agent("desk", cost_ceiling=Decimal(1))


def called(agent: Deployment, status: str, ended: timedelta | None, asked: timedelta, cost: str) -> None:
    """A run that began two days ago, with one call. ended and asked: counted from the beginning of today."""
    run = talk.run(talk.conversation(agent), status)
    moments: dict[str, Any] = {"created_at": budget.today() - 2 * DAY}
    if ended is not None:
        moments["finished_at"] = budget.today() + ended
    Run.objects.filter(pk=run.pk).update(**moments)
    call = ModelCall.objects.create(
        run=run, key="reply#1/a1/0", address="reply#1", state="done", fence=1, prompt_sha="0" * 64, entry="House",
        model="m", messages=[], reply="", cost=Decimal(cost),
    )  # fmt: skip
    ModelCall.objects.filter(pk=call.pk).update(at=budget.today() + asked)


@pytest.mark.parametrize("status", [*Run.ACTIVE, "held"])
def test_a_run_of_earlier_days_that_goes_on_today_counts(desk: Deployment, status: str) -> None:
    # One that was let go on keeps the moment of its first end until it ends again.
    called(desk, status, -DAY if status == "resumable" else None, MINUTE, "1")
    assert budget.used_up(desk)


@pytest.mark.parametrize("status", Run.ENDED)
def test_what_ended_today_counts_by_its_calls_of_today(desk: Deployment, status: str) -> None:
    called(desk, status, MINUTE, -MINUTE, "5")
    called(desk, status, MINUTE, MINUTE, "0.5")
    assert not budget.used_up(desk)
    # A clock that is behind: the call is of today, its run ended before.
    called(desk, status, -MINUTE, MINUTE, "0.5")
    assert budget.used_up(desk)


def test_what_others_and_other_days_used_counts_nothing(desk: Deployment) -> None:
    other = talk.agent("other", cost_ceiling=Decimal(1))
    called(other, "done", MINUTE, MINUTE, "5")
    called(desk, "done", -DAY, -DAY - MINUTE, "5")
    called(desk, "waiting", None, -MINUTE, "5")
    assert not budget.used_up(desk)
    assert budget.used_up(other)
