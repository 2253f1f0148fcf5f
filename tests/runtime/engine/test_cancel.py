"""Stopping a run: it ends once, whatever it was doing, and takes its open questions with it."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from flows.kinds.base import Json
from runtime import runs
from runtime.demo.testing import Scripted
from runtime.engine.lease import Cancelled, Lease
from runtime.models import Outbox, Question, Run
from tests.runtime.engine.conftest import PATIENCE, VISITOR, At, Desk, aside, flow
from tests.runtime.engine.orders import APPROVAL, UNITS, desk_flow

ASK = {"id": "which", "type": "ask", "ask": "Which {{question}}?", "output": "answer"}
AT_ONCE = 8


def stop(run: Run) -> str:
    return runs.cancel(run.id, by="Vera")


def test_many_are_stopped_while_they_write(
    deploy: Callable[..., Desk], demo: Scripted, slow_rows: Callable[..., None]
) -> None:
    # Whoever stops a run holds its conversation and wants the run; a worker that held the run and wanted the
    # conversation would wait for them, and they for it.
    demo.add({"when": {"contains": "Step"}, "answer": "word"})
    steps = [{"id": f"step{n}", "type": "llm", "prompt": "Step {{question}}", "output": "answer"} for n in range(6)]
    first = deploy(flow(steps))
    desks = [Desk(first.engine, first.deployment) for _ in range(AT_ONCE)]
    slow_rows("runtime_run", 0.03, "AFTER UPDATE")
    ids = [desk.send(question="q") for desk in desks]
    demo.wait_for(AT_ONCE // 2)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        stopping = [
            pool.submit(contextvars.copy_context().run, aside, lambda id=id: runs.cancel(id, by="Vera"))
            for id in ids for _ in range(2)
        ]  # fmt: skip
        assert {one.result(PATIENCE) for one in stopping} <= {"running", "cancelled", "done"}
    for desk, id in zip(desks, ids, strict=True):
        run = desk.settle(id)
        # Nothing made the run wait for another worker's claim.
        assert (run.status in ("cancelled", "done"), run.fence) == (True, 1), run.error
        assert desk.types(run)[-1] in ("run_cancelled", "run_finished")


@pytest.mark.parametrize("point", ["question.before", "question.after"])
@pytest.mark.parametrize("node", [ASK, None], ids=["ask", "approval"])
def test_a_run_stopped_while_it_begins_to_wait_is_over(
    deploy: Callable[..., Desk], demo: Scripted, at: At, point: str, node: Json
) -> None:
    said: list[str] = []
    at(point, lambda: said.append(aside(lambda: stop(Run.objects.get()))))
    if node:
        desk = deploy(flow([node]))
        run = desk.say(question="room")
    else:
        desk = deploy(desk_flow(demo.office_url, approval=APPROVAL), UNITS)
        run = desk.say(customer="MERID", quantity=2, note="")
    assert said == ["running"]
    assert run.status == "cancelled"
    assert [question.state for question in Question.objects.filter(run=run)] == ["withdrawn"]
    assert desk.types(run)[-2:] == ["question_closed", "run_cancelled"]
    event = desk.events(run.id)[-1]
    assert event.by == "Vera"
    assert not Outbox.objects.filter(run=run).exists()


def test_a_waiting_run_takes_its_card_with_it(deploy: Callable[..., Desk], demo: Scripted) -> None:
    desk = deploy(desk_flow(demo.office_url, approval=APPROVAL), UNITS)
    run = desk.say(customer="MERID", quantity=2, note="")
    question = desk.question(run)
    assert stop(run) == "cancelled"
    question.refresh_from_db()
    assert question.state == "withdrawn"
    assert stop(run) == "cancelled"
    assert desk.types(run).count("run_cancelled") == 1
    assert demo.writes()["writes"] == []


def test_the_next_message_has_its_turn_after_a_stop(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.add({"when": {"contains": "one"}, "answer": "word " * 50, "hold_after": 20},
             {"when": {"contains": "two"}, "answer": "Second."})  # fmt: skip
    desk = deploy(flow([{"id": "reply", "type": "llm", "prompt": "{{question}}", "output": "answer"}]))
    first = desk.send(question="one")
    demo.wait_for(1)
    second = desk.send(question="two")
    assert Run.objects.get(id=second).status == "held"
    runs.cancel(first, by="Vera")
    assert desk.settle(first).status == "cancelled"
    demo.release()
    assert desk.settle(second).outputs == {"answer": "Second."}


def test_a_write_under_way_ends_and_is_recorded_before_the_run_stops(
    deploy: Callable[..., Desk], demo: Scripted, at: At
) -> None:
    # reliability 4.1: an effect in flight is allowed to finish
    at("tool.sent", lambda: aside(lambda: stop(Run.objects.get())))
    desk = deploy(desk_flow(demo.office_url), UNITS)
    demo.office(slow=200)
    run = desk.say(customer="MERID", quantity=2, note="")
    assert run.status in ("cancelled", "done")
    call = run.tool_calls.get()
    assert (call.state, call.response["status"]) == ("done", 201)
    assert not Question.objects.filter(run=run).exists()


def test_a_run_that_was_stopped_while_nobody_had_it_ends_at_the_next_claim(
    deploy: Callable[..., Desk], demo: Scripted, power_cut: Callable[..., None]
) -> None:
    power_cut("model.started")
    desk = deploy(flow([{"id": "reply", "type": "llm", "prompt": "{{question}}", "output": "answer"}]))
    run = desk.left(desk.send(question="q"))
    assert stop(run) == "running"
    run = desk.take_over(run.id)
    assert run.status == "cancelled"
    assert demo.requests() == []
    assert desk.types(run).count("run_started") == 1
    assert VISITOR.name == desk.events(run.id)[-1].by


def test_what_stops_between_steps_cuts_off_none_that_is_at_work() -> None:
    async def go() -> None:
        nothing: Any = None
        lease = Lease(run=nothing, fence=1, owner="", database=nothing, ledger=nothing, fresh=True)
        answered, told = asyncio.Event(), list[str]()

        async def call() -> None:
            await answered.wait()
            told.append("the call was answered")

        async def between() -> None:
            try:
                await lease.checked()
            except Cancelled:
                told.append("the run stopped")

        at_work = asyncio.create_task(lease.working("each:1/task", call))
        await asyncio.sleep(0)
        lease.cancelled = True
        stopping = asyncio.create_task(between())
        await asyncio.sleep(0)
        assert told == []
        answered.set()
        await asyncio.gather(at_work, stopping)
        assert told == ["the call was answered", "the run stopped"]

    asyncio.run(go())
