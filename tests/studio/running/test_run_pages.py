"""The pages of runs: whose are listed, what is found by state and agent, and one run with its timeline."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from runtime import retention
from runtime.models import Deployment, Run
from studio.models import Look
from studio.pages.runs import WIDE, bars, length
from studio.programs.tokens import make, viewer_of
from studio.strings import t
from studio.templatetags.studio import money
from studio.tracing import trace
from tests.studio.running.conftest import Clients
from tests.studio.running.test_traces import DOCUMENT, finished
from tests.support import talk


@pytest.fixture
def desk(workspace: object) -> Deployment:
    return talk.agent("desk", DOCUMENT)


def shown(client: Client, path: str, status: int = 200) -> str:
    reply = client.get(path)
    assert reply.status_code == status
    return reply.content.decode()


def test_builders_see_their_own_runs_and_operators_everybodys(
    desk: Deployment, user: Any, member_client: Clients
) -> None:
    mine = finished(talk.run(talk.conversation(desk, user("builder", "Bea")), "queued"))
    hers = talk.run(talk.conversation(desk, user("member", "Dana")), "failed", error={"code": "X", "message": "Gone."})
    builder, operator = member_client("builder", "Bea"), member_client("operator")
    own, everybody = shown(builder, "/runs"), shown(operator, "/runs")
    assert f"/runs/{mine.pk}" in own
    assert f"/runs/{hers.pk}" not in own
    assert f"/runs/{mine.pk}" in everybody
    assert f"/runs/{hers.pk}" in everybody
    assert "Dana" in everybody
    assert "Gone." in everybody
    assert "balance is 12 000" not in everybody
    assert not Look.objects.exists()
    shown(builder, f"/runs/{hers.pk}", 404)
    assert "That you opened it is recorded." in shown(operator, f"/runs/{hers.pk}")
    assert Look.objects.get().run == hers.pk


def test_the_page_of_a_run_asks_for_more_until_it_has_ended(
    desk: Deployment, user: Any, member_client: Clients
) -> None:
    run = finished(talk.run(talk.conversation(desk, user("builder", "Bea")), "queued"))
    builder = member_client("builder", "Bea")
    for status, live in (("done", False), ("running", True), ("waiting", True), ("held", True), ("failed", False)):
        Run.objects.filter(pk=run.pk).update(status=status)
        assert (' id="run" data-live="2"' in shown(builder, f"/runs/{run.pk}")) is live, status


def test_runs_are_found_by_state_and_agent(desk: Deployment, user: Any, member_client: Clients) -> None:
    other, dana = talk.agent("other"), user("member", "Dana")
    found = {
        status: talk.run(talk.conversation(desk, dana), status)
        for status in ("queued", "running", "resumable", "waiting", "failed", "lost", "done", "cancelled")
    }
    away = talk.run(talk.conversation(other, dana), "done")
    draft = talk.run(talk.conversation(talk.agent("bench", workbench=True), dana), "done")
    client = member_client("operator")

    def listed(query: str) -> set[str]:
        page = shown(client, f"/runs?{query}")
        return {name for name, run in {**found, "away": away, "draft": draft}.items() if f"/runs/{run.pk}" in page}

    assert listed("") == {*found, "away"}
    assert listed("state=working") == {"queued", "running", "resumable"}
    assert listed("state=failed") == {"failed", "lost"}
    assert listed("state=done") == {"done", "away"}
    assert listed("state=done&agent=desk") == {"done"}
    assert listed("agent=bench") == {"draft"}
    assert listed("state=nonsense&agent=nobody") == {*found, "away"}
    assert "No run is like that." in shown(client, "/runs?state=waiting&agent=other")
    shown(client, "/runs?before=x", 404)


def test_older_runs_are_a_page_further(
    desk: Deployment, user: Any, member_client: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.pages.runs.ROWS", 2)
    talks = [talk.run(talk.conversation(desk, user("member", "Dana")), "done") for _ in range(3)]
    client = member_client("operator")
    first = shown(client, "/runs")
    assert [f"/runs/{run.pk}" in first for run in talks] == [False, True, True]
    second = shown(client, f"/runs?before={talks[1].pk}")
    assert [f"/runs/{run.pk}" in second for run in talks] == [True, False, False]
    assert "Older runs" not in second


def test_a_run_shows_its_steps_and_the_chosen_one_in_full(desk: Deployment, user: Any, member_client: Clients) -> None:
    run = finished(talk.run(talk.conversation(desk, user("builder", "Bea")), "queued"))
    client = member_client("builder", "Bea")
    last = shown(client, f"/runs/{run.pk}")
    assert last.count('aria-current="step"') == 1
    assert "No JSON." in last
    assert "$0.75" in last
    first = shown(client, f"/runs/{run.pk}?step=plan%231")
    assert "balance is 12 000" in first
    assert "order → reply" in first
    assert "No JSON." not in first
    assert shown(client, f"/runs/{run.pk}?step=nothing") != ""
    # Once what its calls said is no longer kept, the page says so and shows the rest.
    Run.objects.filter(pk=run.pk).update(status="done", finished_at="2020-01-01T00:00Z")
    retention.set_days(retention.Days(details=1), "Olga")
    assert retention.sweep("details") == 1
    for step in ("plan%231", "reply%231"):
        emptied = shown(client, f"/runs/{run.pk}?step={step}")
        assert t("retention.run_details_gone") in emptied and "balance is" not in emptied


def test_what_models_and_people_wrote_is_text_and_nothing_else(
    desk: Deployment, user: Any, member_client: Clients
) -> None:
    run = finished(talk.run(talk.conversation(desk, user("builder", "Bea")), "queued"))
    run.error = {"code": "X", "message": "<script>alert(1)</script>"}
    Run.objects.filter(pk=run.pk).update(status="failed", error=run.error)
    assert "<script>alert" not in shown(member_client("builder", "Bea"), "/runs")


def test_the_owner_and_operators_stop_a_run(desk: Deployment, user: Any, member_client: Clients) -> None:
    run = talk.run(talk.conversation(desk, user("builder", "Bea")), "waiting")
    assert member_client("builder", "Ben").post(f"/runs/{run.pk}/stop").status_code == 404
    assert "Stop this run" in shown(member_client("operator"), f"/runs/{run.pk}")
    assert member_client("operator").post(f"/runs/{run.pk}/stop").status_code == 302
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert "Stop this run" not in shown(member_client("operator"), f"/runs/{run.pk}")


def test_bars_stand_between_the_start_and_the_end(desk: Deployment, user: Any) -> None:
    run = finished(talk.run(talk.conversation(desk, user("builder", "Bea")), "queued"))
    drawn = bars(trace(run), "reply#1", run)
    assert [bar.here for bar in drawn] == [False, True]
    for bar in drawn:
        assert bar.x >= 0
        assert bar.width > 0
        assert bar.x + bar.width <= WIDE


def test_a_run_of_a_program_bears_its_name(desk: Deployment, user: Any, member_client: Clients) -> None:
    token, _ = make("Back office", by=None, days=None)
    talk.run(talk.conversation(desk, visitor=viewer_of(token).actor.visitor), "done")
    assert "Back office" in shown(member_client("operator"), "/runs")


def test_an_empty_workspace_says_what_will_be_here(workspace: object, member_client: Clients) -> None:
    assert "No runs yet" in shown(member_client("builder"), "/runs")


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(milliseconds=0), "0 ms"),
        (timedelta(milliseconds=999.4), "999 ms"),
        (timedelta(seconds=1.26), "1.3 s"),
        (timedelta(seconds=42.4), "42 s"),
        (timedelta(seconds=61), "1 min 1 s"),
        (timedelta(hours=26, minutes=5), "26 h 5 min"),
    ],
)
def test_lengths_of_time_in_words(span: timedelta, words: str) -> None:
    assert length(span) == words


def test_money() -> None:
    from decimal import Decimal

    assert (money(None), money(Decimal("0.00010")), money(Decimal("12.5"))) == ("", "$0.0001", "$12.50")


def test_a_run_that_works_has_taken_time_until_now(desk: Deployment, user: Any, member_client: Clients) -> None:
    run = talk.run(talk.conversation(desk, user("builder", "Bea")), "running")
    Run.objects.filter(pk=run.pk).update(started_at=timezone.now() - timedelta(minutes=3))
    assert "3 min" in shown(member_client("builder", "Bea"), "/runs")
