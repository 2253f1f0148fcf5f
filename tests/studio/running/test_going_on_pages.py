"""Letting failed runs go on from their pages: who may, one or all of an agent, and what is said where none can."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from runtime import control
from runtime.events import RunFailed
from runtime.models import Deployment, Run
from tests.studio.pages.conftest import Clients
from tests.support import talk

FAILED = {
    "status": "failed",
    "fence": 1,
    "error": {"code": "MODEL_FAILED", "message": "The model failed.", "address": "reply#1"},
}


@pytest.fixture
def desk(workspace: object) -> Deployment:
    return talk.agent("desk")


def failed(agent: Deployment, user: Any) -> Run:
    run = talk.run(talk.conversation(agent, user), **FAILED)
    talk.log(run, RunFailed(code="MODEL_FAILED", message="The model failed."))
    return run


def shown(client: Client, path: str) -> str:
    return client.get(path).content.decode()


def test_an_operator_lets_one_run_go_on_from_its_page(desk: Deployment, user: Any, member_client: Clients) -> None:
    # LG-contract-22
    run = failed(desk, user("member", "Dana"))
    builder, operator = member_client("builder", "Bea"), member_client("operator", "Olga")
    assert builder.post(f"/runs/{run.pk}/continue").status_code == 404
    page = shown(operator, f"/runs/{run.pk}")
    assert f'action="/runs/{run.pk}/continue"' in page
    assert user("member", "Dana").email in page
    assert operator.post(f"/runs/{run.pk}/continue").status_code == 302
    run.refresh_from_db()
    assert (run.status, run.error, run.finished_at) == ("resumable", None, None)
    page = shown(operator, f"/runs/{run.pk}")
    assert "by Olga" in page
    assert f'action="/runs/{run.pk}/continue"' not in page


def test_whose_run_it_is_does_not_let_it_go_on_but_on_a_draft(
    desk: Deployment, user: Any, member_client: Clients
) -> None:
    own, builder = failed(desk, user("builder", "Bea")), member_client("builder", "Bea")
    assert "/continue" not in shown(builder, f"/runs/{own.pk}")
    assert builder.post(f"/runs/{own.pk}/continue").status_code == 403
    tried = failed(talk.agent("bench", workbench=True), user("builder", "Bea"))
    assert builder.post(f"/runs/{tried.pk}/continue").status_code == 302
    assert Run.objects.get(pk=tried.pk).status == "resumable"


def test_all_of_an_agent_go_on_from_the_list(desk: Deployment, user: Any, member_client: Clients) -> None:
    runs = [failed(desk, user("member", "Dana")) for _ in range(3)]
    talk.run(runs[0].conversation, "done")
    operator = member_client("operator")
    assert member_client("builder").post("/agents/desk/continue").status_code == 403
    assert "Continue 2 failed runs" in shown(operator, "/runs?agent=desk")
    Deployment.objects.update(paused=True)
    assert "Continue 2 failed runs" not in shown(operator, "/runs?agent=desk")
    operator.post("/agents/desk/continue")
    assert "is paused" in shown(operator, "/runs")
    Deployment.objects.update(paused=False)
    operator.post("/agents/desk/continue")
    assert "Runs that go on: 2." in shown(operator, "/runs")
    assert sorted(Run.objects.values_list("status", flat=True)) == ["done", "failed", "resumable", "resumable"]
    assert "went on after this run" in shown(operator, f"/runs/{runs[0].pk}")
    operator.post("/agents/desk/continue")
    assert "No failed run of this agent can go on" in shown(operator, "/runs")


def test_the_list_of_agents_offers_it_to_operators(desk: Deployment, user: Any, member_client: Clients) -> None:
    from django.utils import timezone

    run = failed(desk, user("member", "Dana"))
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    assert "Continue the failed run" in shown(member_client("operator"), "/agents")
    assert "Continue the failed run" not in shown(member_client("builder"), "/agents")


def test_many_agents_are_counted_with_one_question(desk: Deployment, user: Any, django_assert_num_queries: Any) -> None:
    agents = [desk, talk.agent("other"), talk.agent("third")]
    for each in (desk, desk, agents[1]):
        failed(each, user("member", "Dana"))
    with django_assert_num_queries(1):
        assert control.counts(agents) == {desk.pk: 2, agents[1].pk: 1}
