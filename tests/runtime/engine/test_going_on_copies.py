"""Copies of a fan-out in a run that is let go on: each that is made again is asked about once."""

from __future__ import annotations

from collections.abc import Callable

from runtime import control
from runtime.demo.testing import Scripted
from runtime.models import Question, Run, ToolCall
from tests.runtime.engine.conftest import Desk
from tests.runtime.engine.test_hopeless import approve, approving

Deploy = Callable[..., Desk]


EACH = ["each[0]", "each[1]", "each[2]"]


def asked(run: Run) -> list[str]:
    open_ones = Question.objects.filter(run=run, state="pending")
    return sorted(open_ones.values_list("address", flat=True))


def test_each_copy_that_is_made_again_is_asked_about_once(deploy: Deploy, demo: Scripted) -> None:
    desk = approving(deploy, demo)
    run = desk.say(question="Go")
    approve(run, 0)
    desk.engine.submit(run.id)
    run = desk.settle(desk.left(run.id, 2).id)
    assert (run.status, asked(run)) == ("failed", [])
    control.let_go_on(run.id, "Olga")
    desk.engine.submit(run.id)
    run = desk.settle(run.id)
    # What was asked for copies that were left is nobody's any more: they are made, and asked about, anew.
    assert (run.status, asked(run)) == ("waiting", EACH), run.error


def test_a_doubt_of_a_copy_that_is_made_again_is_asked_about_once(deploy: Deploy, demo: Scripted) -> None:
    desk = approving(deploy, demo)
    run = desk.say(question="Go")
    demo.faults({"on": "write", "status": 503, "times": 1})
    approve(run, 1)
    desk.engine.submit(run.id)
    run = desk.settle(run.id)
    assert ToolCall.objects.get(run=run).state == "unknown"
    approve(run, 0)
    desk.engine.submit(run.id)
    run = desk.settle(run.id)
    doubts = Question.objects.filter(run=run, state="pending", kind="outcome")
    assert (run.status, doubts.count()) == ("failed", 1)
    control.let_go_on(run.id, "Olga")
    desk.engine.submit(run.id)
    run = desk.settle(run.id)
    assert (run.status, asked(run), doubts.count()) == ("waiting", EACH, 0), run.error
    approve(run, 1)
    desk.engine.submit(run.id)
    run = desk.settle(run.id)
    assert (run.status, doubts.count(), asked(run)) == ("waiting", 1, EACH), run.error
    # It was sent the one time, and is not sent again unasked.
    assert len(demo.writes()["writes"]) == 1
