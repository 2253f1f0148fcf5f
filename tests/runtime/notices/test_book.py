"""What is told to whom, and how seldom: grouped, quiet, once for each change, and that it is over."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from flows import scope
from flows.models import Workspace
from runtime.models import (
    Delivery,
    Deployment,
    Leader,
    McpLink,
    McpServer,
    ModelCall,
    ModelEntry,
    NoticePlace,
    Outbox,
    Run,
    Trouble,
)
from runtime.notices import watch
from runtime.services import endpoints
from tests.runtime.notices.conftest import Clock

Ran = Callable[..., Run]
Places = Callable[..., NoticePlace]


def told(place: NoticePlace) -> list[list[tuple[str, str]]]:
    """The messages that were written to a place: of each the troubles, as kind and state."""
    rows = Delivery.objects.filter(place=place).order_by("created_at", "pk")
    return [[(each["kind"], each["state"]) for each in row.items] for row in rows]


def test_a_failing_agent_is_told_once_and_that_it_is_over(clock: Clock, ran: Ran, place: Places) -> None:
    here = place()
    ran("failed", "No stock.")
    clock.later(seconds=1)
    assert told(here) == [], "Others may go wrong in the same minute."
    clock.later(seconds=61)
    assert told(here) == [[("failing", "new")]]
    ran("failed", "Still none.")
    clock.later(minutes=31)
    assert told(here) == [[("failing", "new")]], "Nothing changed."
    ran("done")
    clock.later(seconds=1)
    clock.later(seconds=61)
    assert told(here) == [[("failing", "new")], [("failing", "over")]]
    over = Delivery.objects.latest("created_at").items[0]
    assert over["title"] == "Runs of “Desk” no longer fail" and over["words"] == "Its last run succeeded."
    clock.later(days=2)
    assert len(told(here)) == 2


def test_what_goes_wrong_at_once_is_one_message(clock: Clock, agent: Deployment, ran: Ran, place: Places) -> None:
    here = place()
    other = Deployment.objects.create(flow=agent.flow, version=agent.version, slug="other", name="Other")
    ran("failed", "No.")
    clock.later(seconds=1)
    ran("lost", "Gone.", other)
    clock.later(seconds=20)
    clock.later(seconds=60)
    assert told(here) == [[("failing", "new"), ("failing", "new")]]
    assert Delivery.objects.get().title == "2 things need attention · Acme"


def test_within_its_quiet_time_a_place_hears_nothing_and_then_all_of_it(
    clock: Clock, agent: Deployment, ran: Ran, place: Places
) -> None:
    quiet, soon = place(quiet_minutes=60), place(quiet_minutes=5)
    ran("failed", "No.")
    clock.later(seconds=1)
    clock.later(seconds=61)
    ran("done")
    clock.later(minutes=6)
    clock.later(minutes=2)
    other = Deployment.objects.create(flow=agent.flow, version=agent.version, slug="other", name="Other")
    ran("failed", "No.", other)
    clock.later(minutes=6)
    clock.later(minutes=2)
    assert told(soon) == [[("failing", "new")], [("failing", "over")], [("failing", "new")]]
    assert told(quiet) == [[("failing", "new")]]
    clock.later(minutes=60)
    assert told(quiet)[1:] == [[("failing", "new"), ("failing", "over")]], "What is wrong stands first."
    # What came and went meanwhile is told too: nobody else would ever hear of it.
    ran("done", deployment=other)
    clock.later(minutes=2)
    ran("failed", "No.")
    clock.later(minutes=2)
    ran("done")
    clock.later(minutes=70)
    assert told(quiet)[2:] == [[("failing", "over"), ("failing", "over")]]


def test_what_stands_for_a_day_is_told_again(clock: Clock, ran: Ran, place: Places) -> None:
    here = place()
    ran("failed", "No.")
    clock.later(seconds=1)
    clock.later(seconds=61)
    clock.later(hours=23)
    assert len(told(here)) == 1
    clock.later(hours=1)
    assert told(here)[1:] == [[("failing", "still")]]


def test_a_place_hears_only_what_it_wants_and_not_what_was_before_it(clock: Clock, ran: Ran, place: Places) -> None:
    place()
    ran("failed", "No.")
    clock.later(seconds=1)
    ran("done")
    clock.later(seconds=1)
    clock.later(minutes=2)
    budgets, off, late = place(kinds=["budget"]), place(on=False), place()
    clock.later(minutes=3)
    assert (told(budgets), told(off), told(late)) == ([], [], [])


def test_why_a_run_failed_is_told_only_where_an_operator_wants_it(clock: Clock, ran: Ran, place: Places) -> None:
    silent, telling = place(), place(tells_why=True)
    ran("failed", "Ms Miller’s order is not there.\n\x00")
    clock.later(seconds=1)
    clock.later(seconds=61)
    said = {row.place_id: row.items[0] for row in Delivery.objects.all()}
    assert said[telling.pk]["why"] == "Ms Miller’s order is not there."
    assert "Miller" not in str(said[silent.pk])
    assert said[silent.pk]["words"] == "1 run failed, and none has succeeded since."
    assert said[silent.pk]["url"].endswith("/runs?state=failed&agent=desk")


def called(run: Run, entry: str, state: str, code: str = "") -> None:
    ModelCall.objects.create(
        run=run, key=str(ModelCall.objects.count()), address="reply#1", state=state, fence=1, prompt_sha="",
        messages=[], entry=entry, model="m", error={"code": code, "message": "…"} if code else None,
    )  # fmt: skip


def kinds() -> list[tuple[str, str, int]]:
    return [(row.kind, row.name, row.level) for row in Trouble.objects.filter(over_at=None).order_by("kind")]


def test_a_refused_key_stands_until_a_call_is_answered(clock: Clock, ran: Ran, place: Places) -> None:
    place(kinds=["key"])
    ModelEntry.objects.create(name="Big", base_url="http://x/v1", model="m")
    ModelEntry.objects.create(name="Small", base_url="http://x/v1", model="m")
    run = ran("running")
    called(run, "Big", "failed", "MODEL_KEY_REFUSED")
    called(run, "Small", "failed", "MODEL_DOWN")
    clock.later(seconds=5)
    assert kinds() == [("key", "Big", 1)]
    called(run, "Big", "failed", "MODEL_DOWN")
    clock.later(seconds=5)
    assert kinds() == [("key", "Big", 1)], "Another failure says nothing about the key."
    called(run, "Big", "done")
    clock.later(seconds=5)
    assert kinds() == []
    assert Trouble.objects.get().words == "The last call was answered."


def test_a_key_that_ask_or_the_writing_of_code_finds_refused_is_told_as_well(
    clock: Clock, ran: Ran, place: Places
) -> None:
    place(kinds=["key"])
    entry = ModelEntry.objects.create(name="Big", base_url="http://x/v1", model="m")
    endpoint = endpoints.endpoint_of(entry)
    refused, answered = (partial(endpoints._judge_key, endpoint, refused=refused) for refused in (True, False))
    run = ran("running")
    refused()
    clock.later(seconds=5)
    assert kinds() == [("key", "Big", 1)]
    called(run, "Big", "failed", "MODEL_DOWN")
    clock.later(seconds=5)
    assert kinds() == [("key", "Big", 1)], "Another failure says nothing about the key."
    answered()
    clock.later(seconds=5)
    assert kinds() == []
    called(run, "Big", "failed", "MODEL_KEY_REFUSED")
    clock.later(seconds=5)
    called(run, "Big", "failed", "MODEL_DOWN")
    clock.later(seconds=5)
    assert kinds() == [("key", "Big", 1)], "What was answered before it was refused ends nothing."
    answered()
    clock.later(seconds=5)
    assert kinds() == []
    refused()
    clock.later(hours=2)
    assert kinds() == [], "Nobody asked it for hours."


def test_a_tool_server_is_asked_twice_before_anybody_is_told(
    clock: Clock, agent: Deployment, place: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = place(kinds=["server"])
    server = McpServer.objects.create(name="Office", transport="http", url="http://x/mcp", looked_at=clock.now)
    unused = McpServer.objects.create(name="Unused", transport="http", url="http://x/mcp")
    McpLink.objects.create(deployment=agent, name="office", server=server)

    def looked(error: str) -> None:
        """A worker did what was asked of it."""
        assert McpServer.objects.filter(pk=server.pk, look_wanted_at__isnull=False).exists()
        McpServer.objects.filter(pk=server.pk).update(look_wanted_at=None, look_error=error)

    clock.later(minutes=9)
    server.refresh_from_db()
    assert server.look_wanted_at is None
    clock.later(minutes=2)
    looked("It does not answer.")
    clock.later(seconds=30)
    assert kinds() == [("server", "Office", 0)] and told(here) == []
    looked("It does not answer.")
    clock.later(seconds=30)
    assert kinds() == [("server", "Office", 0)], "That look was asked for before."
    clock.later(seconds=61)
    assert kinds() == [("server", "Office", 1)]
    clock.later(seconds=61)
    assert told(here) == [[("server", "new")]]
    assert "Desk" in Delivery.objects.get().items[0]["words"]
    looked("")
    clock.later(minutes=31)
    assert kinds() == [] and told(here)[1:] == [] and Trouble.objects.get().words == "It said what it offers."
    clock.later(minutes=2)
    assert told(here)[1:] == [[("server", "over")]]
    unused.refresh_from_db()
    assert unused.look_wanted_at is None


def test_a_budget_is_told_when_it_is_near_and_again_when_it_is_spent(
    clock: Clock, agent: Deployment, ran: Ran, place: Places
) -> None:
    # GAP-13
    here = place(quiet_minutes=0)
    Deployment.objects.update(cost_ceiling=Decimal("10.00"))
    run = ran("running")

    def spend(cost: str) -> None:
        called(run, "Big", "done")
        ModelCall.objects.filter(cost=None).update(cost=Decimal(cost))

    spend("7.00")
    clock.later(seconds=5)
    assert kinds() == []
    spend("1.50")
    clock.later(seconds=5)
    clock.later(seconds=61)
    assert told(here) == [[("budget", "new")]]
    assert Delivery.objects.get().items[0]["words"].startswith("85% of what it may use")
    spend("2.00")
    clock.later(seconds=5)
    assert told(here)[1:] == [[("budget", "worse")]]
    assert Delivery.objects.latest("created_at").title == "“Desk” has used up today's budget · Acme"
    Deployment.objects.update(cost_ceiling=Decimal("100.00"))
    clock.later(seconds=5)
    clock.later(seconds=61)
    assert told(here)[2:] == [[("budget", "over")]]


def test_runs_that_no_worker_takes_are_told(clock: Clock, ran: Ran, place: Places) -> None:
    here = place(kinds=["worker"])
    run = ran("queued")
    Outbox.objects.create(run=run)
    clock.later(seconds=60)
    assert kinds() == []
    clock.later(seconds=90)
    assert kinds() == [("worker", "", 1)]
    Run.objects.update(status="running")
    clock.later(seconds=20)
    clock.later(seconds=61)
    assert told(here) == [[("worker", "over")]], "It was over before anybody was told."


def test_a_web_process_tells_that_no_worker_is_there(
    clock: Clock, ran: Ran, place: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = place(kinds=["worker", "failing"])
    ran("queued")
    monkeypatch.setattr(watch, "SEEN_SECONDS", 0.0)
    man = watch.Watchman()
    Leader.objects.create(name=watch.SWEEPER, owner="w", until=timezone.now() + timezone.timedelta(hours=1))
    assert man.look() is False and kinds() == []
    Leader.objects.all().delete()
    with scope.workspace(None):
        assert man.look() is True
    row = Trouble.objects.get()
    assert (row.kind, row.count) == ("worker", 1) and "No worker gives a sign of life" in row.words
    clock.now += timezone.timedelta(seconds=70)
    assert man.look() is True
    assert told(here) == [[("worker", "new")]]
    # Two web processes do not tell it twice, and a worker that is back says that it is over.
    other = watch.Watchman()
    other.name = "another"
    assert other.look() is False
    Run.objects.update(status="done", finished_at=timezone.now())
    clock.later(minutes=31)
    clock.later(minutes=2)
    assert told(here)[1:] == [[("worker", "over")]]


def test_one_workspace_never_hears_of_another(clock: Clock, ran: Ran, place: Places, workspace: Workspace) -> None:
    ran("failed", "No.")
    other: Any = Workspace.objects.create(name="Elsewhere")
    with scope.workspace(other.pk):
        theirs = place()
        clock.later(seconds=1)
        clock.later(minutes=2)
        assert told(theirs) == [] and kinds() == []
