"""The ledger of calls: what was sent once is found again, and what would be sent otherwise is not sent."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal

import pytest

from flows.kinds.base import Json
from runtime import runs
from runtime.demo.testing import Scripted
from runtime.engine import calls
from runtime.engine.ledger import Ledger
from runtime.models import Deployment, ModelCall, ModelChoice, ModelEntry, Question, Run, RunStream, ToolCall
from tests.runtime.engine.conftest import Desk, flow
from tests.runtime.engine.orders import desk_flow

REPLY = {"id": "reply", "type": "llm", "prompt": "Question: {{question}}", "output": "answer"}
TWICE = {"maxAttempts": 2}

ORDER = """
async def order(services, url, args, **other):
    body = {"customerId": args["customerId"], "lines": [{"productId": 101, "quantity": args["quantity"]}],
            "shipTo": "Here", "deliverOn": None, "note": "", **other}
    return await services.http.post(url + "/orders", json=body)
"""

PLAIN = (
    """async def place(args, *, services, settings, env):
    reply = await order(services, settings.url, args)
    if reply.status >= 400:
        raise ValueError(f"The office answered {reply.status}")
    return reply.json()
"""
    + ORDER
)

DETOUR = (
    """async def place(args, *, services, settings, env):
    found = await services.http.get(settings.url + "/products")
    if found.status >= 400:
        await services.http.get(settings.url + "/products")
    reply = await order(services, settings.url, args)
    raise ValueError(f"Something after the order of status {reply.status}")
"""
    + ORDER
)

COUNTING = (
    """async def place(args, *, services, settings, env):
    found = await services.http.get(settings.url + "/orders")
    if found.status >= 400:
        raise ValueError("The office does not answer")
    reply = await order(services, settings.url, args, note=f"After {len(found.json()['orders'])} others")
    if reply.status >= 400 or args["quantity"] == 3:
        raise ValueError("Something after the order")
    return reply.json()
"""
    + ORDER
)

PAIR = (
    """import asyncio

async def place(args, *, services, settings, env):
    found = await services.http.get(settings.url + "/products")
    numbers = [1, 2] if found.status >= 400 else [2, 1]
    replies = await asyncio.gather(*(order(services, settings.url, {**args, "quantity": n}) for n in numbers))
    if found.status >= 400:
        raise ValueError("Something after the orders")
    return {str(n): reply.json()["lines"][0]["quantity"] for n, reply in zip(numbers, replies)}
"""
    + ORDER
)


def placing(deploy: Callable[..., Desk], demo: Scripted, code: str, retry: Json = TWICE, **fields: Json) -> Desk:
    """An agent whose one step runs this code."""
    return deploy(desk_flow(demo.office_url, **({"retry": retry} if retry else {})), {"tool:place": code}, **fields)


def received(demo: Scripted) -> list[Json]:
    return demo.writes()["writes"]


def test_a_retry_that_reads_another_way_still_finds_its_write(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # reliability 4.1: a call's key names the write, however many reads came before it
    demo.faults({"on": "read", "do": "fail", "times": 1})
    run = placing(deploy, demo, DETOUR).say(customer="MERID", quantity=2, note="")
    assert run.status == "failed"
    assert "Something after the order of status 201" in run.error["message"]
    assert demo.writes()["placed"] == 1
    assert len(received(demo)) == 1


def test_another_write_than_the_finished_one_is_not_sent(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # reliability 4.1: same key, other arguments
    run = placing(deploy, demo, COUNTING).say(customer="MERID", quantity=3, note="")
    assert run.error["code"] == "CALL_CHANGED"
    assert "Nothing was sent" in run.error["message"]
    assert len(received(demo)) == 1


def test_another_write_than_the_one_under_way_is_not_sent(
    deploy: Callable[..., Desk], demo: Scripted, power_cut: Callable[..., None]
) -> None:
    demo.faults({"on": "read", "do": "fail", "times": 1})
    power_cut("tool.answered")
    desk = placing(deploy, demo, COUNTING)
    run = desk.take_over(desk.send(customer="MERID", quantity=2, note=""))
    assert run.error["code"] == "CALL_CHANGED"
    assert len(received(demo)) == 1
    # The first sending is still a doubt, and stays one for people.
    assert desk.question(run).kind == "outcome"


def test_another_write_than_the_doubtful_one_is_not_sent(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.faults({"on": "read", "do": "fail", "times": 1}, {"at": "after", "do": "cut", "times": 1})
    desk = placing(deploy, demo, COUNTING)
    run = desk.say(customer="MERID", quantity=2, note="")
    assert desk.question(run).kind == "outcome"
    run = desk.answer(run, "again")
    assert run.error["code"] == "CALL_CHANGED"
    assert len(received(demo)) == 1


def test_another_write_than_the_idempotent_one_is_not_sent(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.office(idempotent=True)
    demo.faults({"at": "after", "do": "cut", "times": 1})
    run = placing(deploy, demo, COUNTING, idempotent_hosts=[demo.host]).say(customer="MERID", quantity=2, note="")
    assert run.error["code"] == "CALL_CHANGED"
    assert len(received(demo)) == 1
    assert not Question.objects.exists()


def test_two_writes_made_again_in_another_order_are_both_found(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.faults({"on": "read", "do": "fail", "times": 1})
    run = placing(deploy, demo, PAIR).say(customer="MERID", quantity=2, note="")
    assert run.status == "done", run.error
    assert run.outputs["result"] == {"2": 2, "1": 1}
    assert len(received(demo)) == 2


@pytest.mark.parametrize("status", [500, 504, 408])
def test_a_write_that_a_gateway_gave_up_is_asked_about_and_never_repeated(
    deploy: Callable[..., Desk], demo: Scripted, status: int
) -> None:
    if status == 408:
        demo.faults({"at": "after", "do": "fail", "status": status, "times": 1})
    else:
        demo.faults({"at": "after", "do": "fail", "status": status})
    desk = placing(deploy, demo, PLAIN)
    run = desk.say(customer="MERID", quantity=2, note="")
    assert run.status == "waiting", run.error
    assert desk.question(run).kind == "outcome"
    assert len(received(demo)) == 1
    call = ToolCall.objects.get(run=run)
    assert (call.state, call.response["status"]) == ("unknown", status)


def test_a_refused_write_may_be_tried_again(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.faults({"do": "fail", "status": 429, "times": 1})
    run = placing(deploy, demo, PLAIN).say(customer="MERID", quantity=2, note="")
    assert run.status == "done", run.error
    assert [write["outcome"] for write in received(demo)] == ["fail before", "placed"]


@pytest.mark.parametrize("fault", [{"do": "cut"}, {"do": "fail", "status": 504}])
def test_a_host_that_knows_repeats_is_asked_again_under_the_same_key(
    deploy: Callable[..., Desk], demo: Scripted, fault: Json
) -> None:
    demo.office(idempotent=True)
    demo.faults({"at": "after", "times": 1, **fault})
    run = placing(deploy, demo, PLAIN, idempotent_hosts=[demo.host]).say(customer="MERID", quantity=2, note="")
    assert run.status == "done", run.error
    first, second = received(demo)
    assert first["key"] == second["key"] != ""
    assert (first["order"], second["outcome"]) == (second["order"], "replayed")
    assert demo.writes()["placed"] == 1


def test_a_paid_answer_is_used_after_a_crash_whatever_the_budget_says(
    deploy: Callable[..., Desk], demo: Scripted, power_cut: Callable[..., None]
) -> None:
    # reliability 4.1: a crash costs at most one more model call, and none for an answer in the ledger
    power_cut("model.started")
    desk = deploy(flow([REPLY]))
    id = desk.send(question="q")
    desk.left(id)
    # As the worker would have left it, had it gone a moment later.
    assert ModelCall.objects.filter(run_id=id, state="started").update(state="done", reply="Paid for.") == 1
    Deployment.objects.filter(id=desk.deployment.id).update(cost_ceiling=Decimal(0))
    ModelChoice.objects.all().delete()
    ModelEntry.objects.all().delete()
    run = desk.take_over(id)
    assert run.outputs == {"answer": "Paid for."}, run.error
    assert demo.requests() == []
    # What was written by hand is told nowhere.
    ModelCall.objects.filter(run_id=id).update(state="started")


def test_a_budget_that_is_used_up_ends_in_words(deploy: Callable[..., Desk], demo: Scripted) -> None:
    desk = deploy(flow([{**REPLY, "retry": {"maxAttempts": 3}}]), cost_ceiling=Decimal(0))
    run = desk.say(question="q")
    assert run.error["code"] == "BUDGET_USED"
    assert "agent's settings" in run.error["message"]
    assert demo.requests() == []


def test_a_stopped_answer_leaves_its_tokens(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.add({"when": {"contains": "long"}, "answer": "word " * 100, "hold_after": 80})
    desk = deploy(flow([REPLY]))
    id = desk.send(question="long")
    demo.wait_for(1)
    time.sleep(0.3)
    runs.cancel(id, by="Vera")
    run = desk.settle(id)
    demo.release()
    assert run.status == "cancelled"
    call = ModelCall.objects.get(run=run)
    assert (call.state, call.error["code"]) == ("failed", "CANCELLED")
    assert (call.input_tokens or 0) > 0
    assert 10 < (call.output_tokens or 0) < 50
    event = next(event for event in desk.events(id) if event.type == "model_called")
    assert event.output_tokens == call.output_tokens


def test_the_text_on_its_way_goes_with_the_event_that_repeats_it(
    deploy: Callable[..., Desk], demo: Scripted, slow_rows: Callable[..., None]
) -> None:
    demo.set(speed=1)
    demo.add(
        {"when": {"contains": "Question"}, "answer": "word " * 21, "pace": 20},
        {"when": {"contains": "Then"}, "answer": "Later. " * 9, "hold_after": 20},
    )
    # Whoever does not hold the conversation is slow to take the run: the text, overtaken by the event that ends it.
    holding = "SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'runtime_conversation'::regclass"
    slow_rows("runtime_run", 0.4, "BEFORE UPDATE", "STATEMENT", f"NOT EXISTS ({holding})")
    then = {"id": "then", "type": "llm", "prompt": "Then", "output": "note"}
    desk = deploy(flow([REPLY, then], state={"note": {"type": "string", "description": "A note."}}))
    id = desk.send(question="q")
    demo.wait_for(2)
    time.sleep(0.5)
    assert Run.objects.get(id=id).status == "running"
    assert not RunStream.objects.exists()
    demo.release()
    assert desk.settle(id).status == "done"


def test_the_demo_label_survives_a_pause(deploy: Callable[..., Desk], demo: Scripted) -> None:
    demo.add({"when": {"contains": "Question"}, "answer": "Scripted."})
    which = {"id": "which", "type": "ask", "ask": "Which?", "output": "picked"}
    desk = deploy(flow([REPLY, which], state={"picked": {"type": "string", "description": "What was picked."}}))
    run = desk.answer(desk.say(question="q"), "answer", text="This")
    final = [event for event in desk.events(run.id) if event.type == "output_written" and event.final]
    assert [(event.value, event.demo) for event in final] == [("Scripted.", True)]


def test_a_model_that_says_a_character_nobody_can_store_is_heard(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # PostgreSQL stores every character but one; what it refused would be refused at every later try too.
    demo.add({"when": {"contains": "q"}, "answer": "a\0b"})
    run = deploy(flow([REPLY])).say(question="q")
    assert run.outputs == {"answer": "a\ufffdb"}, run.error


def test_code_that_makes_a_character_nobody_can_store_ends_its_run(deploy: Callable[..., Desk]) -> None:
    unit = "async def work(state, *, services, settings, env):\n    return {'answer': 'a' + chr(0) + 'b'}\n"
    work = {"id": "work", "handler": "work", "description": "Reads 'question' and writes 'answer'."}
    desk = deploy(flow([work]), {"handler:work": unit})
    run = desk.say(question="q")
    assert run.status in ("done", "failed")
    assert run.attempts == 0


def test_large_answers_are_let_go_once_they_are_written_and_read_again_where_they_are_needed(
    deploy: Callable[..., Desk], demo: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go: list[str] = []

    def noted(row: ToolCall) -> None:
        let_go.append(row.effect)
        vars(row).pop("response", None)

    monkeypatch.setattr(calls, "LARGEST_HELD", 0)
    monkeypatch.setattr(Ledger, "let_go", noted)
    look = """    found = await services.http.get(settings.url + '/customers')
    if found.status >= 400:
        raise ValueError('Nobody is there')
    return"""
    twice = PLAIN.replace("    return", look, 1)
    desk = deploy(desk_flow(demo.office_url, retry=TWICE), {"tool:place": twice})
    demo.faults({"on": "read", "status": 503, "times": 1})
    run = desk.say(customer="MERID", quantity=2, note="")
    assert (run.status, len(demo.writes()["writes"])) == ("done", 1), run.error
    assert run.outputs["result"] and ToolCall.objects.get(run=run, effect="write").response["status"] < 300
    assert {"read", "write"} == set(let_go)
