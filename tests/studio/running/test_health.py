"""How agents are doing, as their list says it."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from runtime import health
from runtime.health import Health
from runtime.models import Deployment, ModelCall, Outbox, Run
from studio.strings import t
from tests.studio.running.conftest import Clients
from tests.support import talk


@pytest.fixture
def desk(workspace: object) -> Deployment:
    return talk.agent("desk")


@pytest.fixture
def ran(desk: Deployment, user: Any) -> Any:
    """`ran("done", 5)`: a run that ended so many minutes ago."""

    def make(status: str, minutes: float = 0, words: str = "") -> Run:
        error = {"code": "X", "message": words} if words else None
        run = talk.run(talk.conversation(desk, user("member", "Dana")), status, error=error)
        # The database's own clock, as runs end by it.
        Run.objects.filter(pk=run.pk).update(finished_at=Now() - timedelta(minutes=minutes))
        return run

    return make


def test_an_agent_whose_last_end_was_a_failure_fails_and_says_why(desk: Deployment, ran: Any) -> None:
    ran("done", 10)
    ran("failed", 8, "The first reason.")
    last = ran("failed", 5, "The key was refused.")
    found = health.of([desk])[desk.pk]
    assert (found.failing, found.words, found.run, found.failures) == (True, "The key was refused.", last.pk, 2)
    ran("done", 1)
    assert not health.of([desk])[desk.pk].failing


def test_what_waits_works_and_costs(desk: Deployment, ran: Any) -> None:
    run = ran("waiting")
    for status in ("waiting", "queued", "running", "held", "resumable"):
        ran(status)
    for cost in ("0.25", "0.5"):
        ModelCall.objects.create(
            run=run, key=cost, address="reply#1", state="done", fence=1, prompt_sha="0" * 64, entry="House", model="m",
            messages=[], reply="", cost=Decimal(cost),
        )  # fmt: skip
    found = health.of([desk])[desk.pk]
    assert (found.waits, found.working, found.cost) == (2, 4, Decimal("0.75"))


def test_old_failures_count_no_more(desk: Deployment, ran: Any) -> None:
    ran("failed", 8 * 24 * 60, "Long ago.")
    found = health.of([desk])[desk.pk]
    assert (found.failing, found.failures, found.words) == (False, 0, "")


def test_nothing_is_known_of_an_agent_that_never_ran(desk: Deployment) -> None:
    assert health.of([desk]) == {}
    assert not Health().failing


def test_runs_that_ended_long_ago_are_never_gone_through(desk: Deployment, ran: Any) -> None:
    for status in (*Run.ENDED, "waiting"):
        ran(status)
    other = talk.agent("other")
    with CaptureQueriesContext(connection) as asked:
        assert health.of([desk, other])[desk.pk].waits == 1
    lite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        if not lite:
            # It goes through a table of so few rows where it may.
            cursor.execute("SET LOCAL enable_seqscan = off")
        for query in asked.captured_queries:
            cursor.execute(f"{'EXPLAIN QUERY PLAN' if lite else 'EXPLAIN'} {query['sql']}")
            for step in (str(row[3] if lite else row[0]) for row in cursor.fetchall()):
                assert not re.search(r"(SCAN|Seq Scan on) runtime_(run|modelcall)", step), query["sql"]
                # All runs of an agent, without a word about which.
                assert not re.search(r"runtime_run_deployment_id|INDEX run_\w+ \(deployment_id=\?\)", step), query[
                    "sql"
                ]


def test_the_list_asks_as_little_of_ten_agents_as_of_one(
    desk: Deployment, ran: Any, member_client: Clients, django_assert_max_num_queries: Any
) -> None:
    ran("failed", 1, "The key was refused.")
    client = member_client("operator")
    page = client.get("/agents").content.decode()
    for words in ("failing", "The key was refused.", "1 failed this week"):
        assert words in page
    for n in range(10):
        talk.agent(f"desk-{n}")
    with django_assert_max_num_queries(14):
        client.get("/agents")
    # Whoever may not look into other people's runs learns that one failed, and not what it said.
    builder = member_client("builder").get("/agents").content.decode()
    assert "The last run failed." in builder and "1 failed this week" in builder
    assert "The key was refused." not in builder and "/runs?state=failed" not in builder
    member = member_client("member").get("/agents").content.decode()
    assert "The key was refused." not in member


def test_a_card_says_what_it_waits_for_and_why_it_is_paused(desk: Deployment, ran: Any, member_client: Clients) -> None:
    client = member_client("operator")
    run = ran("waiting")
    page = client.get("/agents").content.decode()
    assert t("agents.state.waiting") in page and t("agents.waits", count=1) in page
    Deployment.objects.update(paused=True, paused_words="We count <stock> until noon.")
    page = client.get("/agents").content.decode()
    assert t("agents.state.paused") in page and "We count &lt;stock&gt; until noon." in page
    assert t("agents.state.waiting") not in page and t("agents.unattended") not in page
    # Who chats there reads the sentence too, and nothing else of how it is doing.
    page = member_client("member").get("/agents").content.decode()
    assert "We count &lt;stock&gt; until noon." in page and t("agents.waits", count=1) not in page
    Outbox.objects.create(run=run)
    Outbox.objects.update(at=Now() - timedelta(minutes=5))
    assert t("agents.unattended") not in client.get("/agents").content.decode(), (
        "A run that waits for people is not due."
    )
    Run.objects.update(status="resumable")
    assert t("agents.unattended") in client.get("/agents").content.decode()
    assert t("agents.unattended") not in member_client("member").get("/agents").content.decode()
