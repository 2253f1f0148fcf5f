"""Writes of which nobody knows whether they happened: a person is asked, nothing is sent unasked or forgotten."""

from __future__ import annotations

import contextvars
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import transaction

from runtime import questions, runs, turns
from runtime.demo.testing import Scripted
from runtime.models import Question, Run, ToolCall
from runtime.questions import Refused
from tests.runtime.engine.conftest import PATIENCE, REVIEWER, VISITOR, Desk, aside
from tests.runtime.engine.orders import PLACE, UNITS, desk_flow

IMPATIENT = """import asyncio

async def place(args, *, services, settings, env):
    try:
        return await asyncio.wait_for(order(services, settings, args), 0.1)
    except TimeoutError:
        return {"late": True}
""" + PLACE.replace("async def place(args, *, services, settings, env)", "async def order(services, settings, args)")

BESIDE = """import asyncio

async def place(args, *, services, settings, env):
    async def trip():
        await asyncio.sleep(0.05)
        raise ValueError("tripped")

    await asyncio.gather(order(services, settings, args), trip())
""" + IMPATIENT.partition('"late": True}\n')[2]


@pytest.fixture
def ordering(deploy: Callable[..., Desk], demo: Scripted) -> Desk:
    return deploy(desk_flow(demo.office_url), UNITS)


def order(desk: Desk) -> Run:
    return desk.say(customer="MERID", quantity=2, note="")


def decide(question: Question, decision: str, **said: str) -> str:
    return questions.answer(
        question.id, by=REVIEWER, role="reviewer", digest=question.digest, decision=decision, **said
    ).state


def dropped(desk: Desk, power_cut: Callable[..., None]) -> Run:
    """A run whose worker went away after its order had been sent."""
    power_cut("tool.answered")
    return desk.left(desk.send(customer="MERID", quantity=2, note=""))


def test_a_write_under_way_when_its_worker_died_is_asked_about(
    ordering: Desk, demo: Scripted, power_cut: Callable[..., None]
) -> None:
    # reliability 4.1: `started` found at recovery: never automatic
    run = ordering.take_over(dropped(ordering, power_cut).id)
    assert ordering.question(run).kind == "outcome"
    assert ToolCall.objects.get(run=run).state == "unknown"
    run = ordering.answer(run, "skip", reason="It is there")
    assert run.status == "done", run.error
    assert run.outputs["result"]["outcome"] == "skip"
    assert len(demo.writes()["writes"]) == 1


@pytest.mark.parametrize("point", ["tool.sent", "tool.answered"])
def test_a_worker_that_dies_in_the_call_made_again_leaves_a_new_question(
    ordering: Desk, demo: Scripted, power_cut: Callable[..., None], point: str
) -> None:
    # reliability 4.1: "again" allows one more sending, not every later one
    demo.faults({"at": "before", "do": "cut", "times": 1})
    run = order(ordering)
    first = ordering.question(run)
    power_cut(point)
    decide(first, "again")
    ordering.left(run.id, claims=run.fence + 1)  # the answer rang for it
    run = ordering.take_over(run.id)
    assert run.status == "waiting", run.error
    second = ordering.question(run)
    assert second.kind == "outcome"
    assert second.id != first.id
    assert len(demo.writes()["writes"]) == (1 if point == "tool.sent" else 2)
    run = ordering.answer(run, "happened")
    assert run.status == "done"
    assert len(demo.writes()["writes"]) == (1 if point == "tool.sent" else 2)


@pytest.mark.parametrize("code", [IMPATIENT, BESIDE], ids=["wait_for", "gather"])
def test_code_that_did_not_wait_for_its_write_does_not_decide_what_became_of_it(
    deploy: Callable[..., Desk], demo: Scripted, code: str
) -> None:
    demo.office(slow=300)
    demo.faults({"at": "after", "do": "cut", "times": 1})
    desk = deploy(desk_flow(demo.office_url), {"tool:place": code})
    run = order(desk)
    assert run.status == "waiting", run.error
    assert desk.question(run).kind == "outcome"
    assert ToolCall.objects.get(run=run).state == "unknown"
    assert demo.writes()["placed"] == 1


def test_a_cancelled_run_leaves_its_doubt_in_the_inbox(
    ordering: Desk, demo: Scripted, power_cut: Callable[..., None]
) -> None:
    run = dropped(ordering, power_cut)
    assert runs.cancel(run.id, by="Vera") == "running"
    run = ordering.take_over(run.id)
    assert run.status == "cancelled"
    question = ordering.question(run)
    assert (question.kind, question.decider) == ("outcome", "reviewers")
    with pytest.raises(Refused) as refused:
        decide(question, "again")
    assert refused.value.code == "RUN_ENDED"
    assert "cannot be made again" in refused.value.message
    assert decide(question, "happened", reason="Order 7001") == "answered"
    call = ToolCall.objects.get(run=run)
    assert (call.state, call.settled) == ("settled", {"outcome": "happened", "note": "Order 7001", "by": "Rita"})
    assert Run.objects.get(id=run.id).status == "cancelled"
    assert len(demo.writes()["writes"]) == 1


def test_a_lost_run_leaves_its_doubt_in_the_inbox(ordering: Desk, power_cut: Callable[..., None]) -> None:
    run = dropped(ordering, power_cut)
    Run.objects.filter(id=run.id).update(attempts=5)
    run = ordering.take_over(run.id)
    assert run.status == "lost"
    assert decide(ordering.question(run), "skip") == "answered"
    assert ToolCall.objects.get(run=run).state == "settled"


def test_a_failed_run_leaves_its_doubt_in_the_inbox(ordering: Desk, power_cut: Callable[..., None]) -> None:
    run = dropped(ordering, power_cut)
    ordering.deployment.version.units = {}
    ordering.engine.shelf._programs.clear()
    ordering.deployment.version.save(update_fields=["units"])
    run = ordering.take_over(run.id)
    assert run.error["code"] == "CODE_MISSING"
    assert ordering.question(run).kind == "outcome"
    assert [event.type for event in ordering.events(run.id)][-2:] == ["question_asked", "run_failed"]


def test_a_visitor_who_takes_the_message_back_leaves_the_reviewers_their_question(
    ordering: Desk, demo: Scripted
) -> None:
    demo.faults({"at": "after", "do": "cut", "times": 1})
    run = order(ordering)
    question = ordering.question(run)
    questions.answer(question.id, by=VISITOR, role=None, digest=question.digest, decision="withdraw")
    assert Run.objects.get(id=run.id).status == "cancelled"
    assert ordering.question(run).id == question.id
    assert decide(question, "happened") == "answered"
    assert ToolCall.objects.get(run=run).state == "settled"


def test_an_answered_doubt_is_not_asked_again_when_its_run_is_cancelled_before_it_went_on(
    ordering: Desk, demo: Scripted
) -> None:
    demo.faults({"at": "after", "do": "cut", "times": 1})
    run = order(ordering)
    with transaction.atomic():
        # In one transaction, so that no worker comes between.
        decide(ordering.question(run), "happened", reason="Order 7001")
        assert runs.cancel(run.id, by="Vera") == "cancelled"
    assert not Question.objects.filter(run=run, state="pending").exists()
    call = ToolCall.objects.get(run=run)
    assert (call.state, call.settled["outcome"], call.settled["by"]) == ("settled", "happened", "Rita")


def test_again_is_refused_to_whoever_says_it_while_the_run_is_being_cancelled(ordering: Desk, demo: Scripted) -> None:
    demo.faults({"at": "after", "do": "cut", "times": 1})
    run = order(ordering)
    question = ordering.question(run)
    say = contextvars.copy_context()
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            turns.lock(run.conversation_id)
            said = pool.submit(say.run, aside, lambda: decide(question, "again"))
            time.sleep(0.3)  # it has read the question, and waits for the conversation
            assert not said.done()
            runs.cancel(run.id, by="Vera")
        with pytest.raises(Refused) as refused:
            said.result(PATIENCE)
    assert refused.value.code == "RUN_ENDED"
    assert ordering.question(run).id == question.id
