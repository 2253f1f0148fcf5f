"""How far a run may go: steps, rounds, working time and cost, each said in words where it is reached."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from django.db import transaction

from runtime import budget, control, limits
from runtime.demo.testing import Scripted
from runtime.limits import Limits
from runtime.models import Deployment, ModelCall, ModelEntry, Run
from tests.runtime.engine.conftest import Desk, flow
from tests.runtime.engine.test_going_on import DRAFT, FIRST, REPLY, go_on

Deploy = Callable[..., Desk]


def allow(desk: Desk, **kept: object) -> None:
    desk.deployment.limits = kept
    desk.deployment.save()


def test_only_what_is_lower_than_the_products_own_is_kept() -> None:
    assert limits.of({}) == Limits()
    assert limits.of({"steps": 10**9, "minutes": 10**9, "rounds": 10**9}) == Limits()
    lower = Limits(steps=5, rounds=2, minutes=1, cost=Decimal("0.50"))
    assert limits.kept(lower) == {"steps": 5, "rounds": 2, "minutes": 1, "cost": "0.5"}
    assert limits.of(limits.kept(lower)) == lower
    assert limits.kept(Limits()) == {}


def test_a_run_ends_after_its_working_time_and_goes_on_for_as_long_again(deploy: Deploy, demo: Scripted) -> None:
    demo.set(speed=1)
    demo.add(
        {"when": {"contains": "First"}, "answer": "So far."},
        {"when": {"contains": "Then"}, "answer": "word " * 400, "pace": 50, "times": 1},
        {"when": {"contains": "Then"}, "answer": "Here."},
    )
    desk = deploy(flow([FIRST, REPLY], state=DRAFT), limits={"minutes": 1})
    with transaction.atomic():
        # All but the last two seconds of its minute are gone when a worker takes it.
        id = desk.start(question="q")
        Run.objects.filter(id=id).update(worked=58)
    run = desk.settle(id)
    assert (run.status, run.error["code"]) == ("failed", "RUN_TIME_USED"), run.error
    assert "1 minute," in run.error["message"]
    assert run.worked >= 60
    run = go_on(desk, run)
    assert (run.status, run.outputs) == ("done", {"answer": "Here."}), run.error
    assert run.worked < 30
    assert ModelCall.objects.filter(run=run, address="first#1").count() == 1


def test_waiting_for_people_is_no_working_time(deploy: Deploy, demo: Scripted) -> None:
    ask = {"id": "more", "type": "ask", "ask": "Which?", "output": "answer"}
    desk = deploy(flow([ask]), limits={"minutes": 1})
    run = desk.say(question="q")
    assert 0 < run.worked < 30
    Run.objects.filter(id=run.id).update(started_at=run.created_at.replace(year=2020))
    run = desk.answer(run, "answer", text="This")
    assert (run.status, run.worked < 30) == ("done", True), run.error


def test_a_run_ends_once_it_has_cost_what_it_may(deploy: Deploy, demo: Scripted) -> None:
    demo.add({"when": {"contains": "First"}, "answer": "So far."}, {"when": {"contains": "Then"}, "answer": "Here."})
    ModelEntry.objects.update(input_price=1_000, output_price=1_000)
    desk = deploy(flow([{**FIRST, "retry": {"maxAttempts": 3}}, {**REPLY, "onError": "first"}], state=DRAFT))
    allow(desk, cost="0.0001")
    run = desk.say(question="q")
    assert (run.status, run.error["code"], run.error["node"]) == ("failed", "RUN_COST_USED", "reply")
    assert "0.0001 US dollars" in run.error["message"]
    assert ModelCall.objects.filter(run=run).count() == 1
    assert go_on(desk, run).error["code"] == "RUN_COST_USED"
    allow(desk, cost="500")
    run = go_on(desk, Run.objects.get(id=run.id))
    assert (run.status, run.outputs) == ("done", {"answer": "Here."}), run.error


def test_a_days_cost_holds_for_agents_of_every_kind(deploy: Deploy, demo: Scripted) -> None:
    demo.add({"when": {"contains": "q"}, "answer": "Here."})
    ModelEntry.objects.update(input_price=90_000, output_price=90_000)
    desk = deploy(flow([{**REPLY, "prompt": "{{question}}"}]), cost_ceiling=Decimal("0.01"))
    assert desk.say(question="q").status == "done"
    assert budget.used_up(Deployment.objects.get(id=desk.deployment.id))
    run = desk.say(question="q")
    assert (run.status, run.error["code"]) == ("failed", "BUDGET_USED")
    Deployment.objects.filter(id=desk.deployment.id).update(cost_ceiling=None)
    control.let_go_on(run.id, "Olga")
    desk.engine.submit(run.id)
    assert desk.settle(run.id).status == "done"
