"""Tool batches: every call completed before any is made, one card over the finished batch, an entry for each call."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from runtime import cards
from runtime.demo.testing import Scripted
from runtime.models import Question, ToolCall
from tests.runtime.engine.conftest import Desk, flow
from tests.runtime.engine.orders import PLACE

PING = """async def ping(args, *, services, settings, env):
    if args.get("word") == "boom":
        raise ValueError("no such word")
    return {"pong": args.get("word"), "extra": args.get("extra")}
"""
UNITS = {"tool:place": PLACE, "tool:ping": PING}
PLACED = {"customerId": {"type": "string", "required": True}, "quantity": {"type": "number", "required": True}}
APPROVAL = {"ask": "Do it?", "show": ["calls"], "edit": ["calls"]}


def batch(office: str, calls: Any, **node: Any) -> dict[str, Any]:
    """A flow whose queue begins with these calls."""
    return flow(
        [{"id": "work", "type": "tools", "calls": "calls", "output": "results", **node}],
        inputs=["question"],
        outputs=["results"],
        state={
            "calls": {"type": "list", "description": "The calls.", "default": calls},
            "results": {"type": "list", "description": "What came of them."},
        },
        tools=[
            {"name": "place", "description": "Posts an order. RETURNS the order.", "inputs": PLACED},
            {"name": "ping", "description": "RETURNS the word."},
        ],
        requires={"settings": {"url": {"default": office, "description": "The office."}}},
    )


def order(customer: str | None, quantity: Any = 1, **rest: Any) -> dict[str, Any]:
    args = {"customerId": customer, "quantity": quantity, **rest}
    return {"name": "place", "args": {name: value for name, value in args.items() if value is not None}}


def test_each_call_has_its_entry_and_a_failure_stops_no_other(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-tools-03, LG-tools-04, LG-tools-05, LG-tools-06
    calls = [
        {"name": "ping", "args": {"word": "a", "extra": [1]}, "id": "first"},
        {"name": "ping", "args": {"word": "boom"}, "id": 2},
        {"name": "nobody"},
        "no call",
        {"name": "ping", "args": []},
        {"name": "ping", "word": "outside"},
        order("MERID", id=None),
    ]
    run = deploy(batch(demo.office_url, calls), UNITS).say(question="go")
    assert run.status == "done", run.error
    results = run.outputs["results"]
    assert [sorted(entry) for entry in results] == [["error", "id", "name", "result"]] * 7
    assert [(entry["id"], entry["name"]) for entry in results[:3]] == [("first", "ping"), (2, "ping"), (None, "nobody")]
    assert results[0]["result"] == {"pong": "a", "extra": [1]} and results[0]["error"] is None
    assert "no such word" in results[1]["error"] and results[1]["result"] is None
    assert [entry["error"] for entry in results[2:6]] == [
        'The flow has no tool "nobody".',
        "Call 4 of the queue is text and no call.",
        'Call 5 of the queue has "args" that are a list and no object.',
        'Call 6 of the queue has "word" beside "name", "args" and "id"; its arguments belong in "args".',
    ]
    assert results[6]["result"]["lines"][0]["quantity"] == 1
    assert demo.writes()["placed"] == 1


@pytest.mark.parametrize("reducer", [None, "append"])
@pytest.mark.parametrize("clear", [True, False])
def test_the_queue_is_emptied_unless_the_flow_keeps_it(
    deploy: Callable[..., Desk], demo: Scripted, clear: bool, reducer: str | None
) -> None:
    # LG-tools-06, LG-channels-05
    document = batch(demo.office_url, [{"name": "ping"}], **({} if clear else {"clear": False}))
    document["outputs"] = ["calls"]
    if reducer:
        document["state"]["calls"]["reducer"] = reducer
    run = deploy(document, UNITS).say(question="go")
    assert run.outputs == {"calls": [] if clear else [{"name": "ping"}]}


def test_a_queue_that_is_none_fails_the_node_in_words(deploy: Callable[..., Desk], demo: Scripted) -> None:
    document = batch(demo.office_url, None)
    document["state"]["calls"] = {"type": "any", "description": "The calls.", "default": {"name": "ping"}}
    run = deploy(document, UNITS).say(question="go")
    assert (run.status, run.error["code"]) == ("failed", "QUEUE_UNREADABLE")
    assert run.error["message"] == (
        'Tools node "work" made no call. Its queue is the channel "calls", and it holds an object and no list of calls.'
    )
    document = batch(demo.office_url, [{"name": "ping"}] * 501)
    run = deploy(document, UNITS).say(question="go")
    assert "at most 500" in run.error["message"]


def test_forms_come_before_the_card_and_the_card_before_any_call(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-tools-11, LG-forms-18, LG-forms-19: every call is completed before any is made, and before the approval
    calls = [order("MERID", 1), order(None, 2, note="kept"), order("HOLLO", None)]
    desk = deploy(batch(demo.office_url, calls, approval=APPROVAL), UNITS)
    run = desk.say(question="go")
    form = cards.read(desk.question(run).payload)
    assert (form["kind"], form["ask"], form["values"]) == ("form", "Place 2 of 3: details", {"quantity": 2})
    run = desk.answer(run, "answer", values={"customerId": "BRIAR", "quantity": 2})
    form = cards.read(desk.question(run).payload)
    assert (form["ask"], form["values"]) == ("Place 3 of 3: details", {"customerId": "HOLLO"})
    run = desk.answer(run, "answer", values={"customerId": "HOLLO", "quantity": "4"})
    card = cards.read(desk.question(run).payload)
    assert card["kind"] == "approval"
    assert card["does"]["args"] == {
        "Place 1": {"customerId": "MERID", "quantity": 1},
        "Place 2": {"note": "kept", "customerId": "BRIAR", "quantity": 2},
        "Place 3": {"customerId": "HOLLO", "quantity": 4},
    }
    # What is shown is the finished batch, as rows of the tool's own fields.
    assert [call["args"].get("customerId") for call in card["show"][0]["value"]] == ["MERID", "BRIAR", "HOLLO"]
    assert list(card["edit"]["fields"]) == ["calls.place"]
    assert card["edit"]["values"]["calls.place"][1] == {"customerId": "BRIAR", "quantity": 2}
    assert ToolCall.objects.filter(run=run).count() == 0 and demo.writes()["writes"] == []
    run = desk.answer(run, "approve")
    assert run.status == "done", run.error
    assert [entry["result"]["customerId"] for entry in run.outputs["results"]] == ["MERID", "BRIAR", "HOLLO"]
    assert demo.writes()["placed"] == 3


def test_a_form_closed_calls_nothing(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-forms-12
    desk = deploy(batch(demo.office_url, [order("MERID"), order(None)]), UNITS)
    run = desk.answer(desk.say(question="go"), "close")
    assert run.error["code"] == "FORM_CLOSED" and demo.writes()["writes"] == []


def test_an_empty_queue_asks_nobody(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-approval-13: an approval on a tools node with an empty queue is not asked
    run = deploy(batch(demo.office_url, [], approval=APPROVAL), UNITS).say(question="go")
    assert (run.status, run.outputs) == ("done", {"results": []})
    assert not Question.objects.filter(run=run).exists()


def test_one_call_is_corrected_by_the_fields_of_its_tool(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-approval-06: editing the queue shows the tool's own form, never JSON
    desk = deploy(batch(demo.office_url, [{**order("MERID", 1, note="n"), "id": "x"}], approval=APPROVAL), UNITS)
    run = desk.say(question="go")
    edit = cards.read(desk.question(run).payload)["edit"]
    assert {name: field["type"] for name, field in edit["fields"].items()} == {
        "calls.0.args.customerId": "string", "calls.0.args.quantity": "number",
    }  # fmt: skip
    run = desk.answer(run, "approve", values={"calls.0.args.quantity": "7"})
    assert run.status == "done", run.error
    (write,) = demo.writes()["writes"]
    assert (write["body"]["lines"][0]["quantity"], write["body"]["note"]) == (7, "n")
    assert run.outputs["results"][0]["id"] == "x"


def test_rows_that_are_changed_added_and_taken_away_are_the_calls(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-approval-06: several calls to one tool are corrected as rows
    calls = [{**order("MERID", 1, note="one"), "id": "a"}, {"name": "ping", "id": "p"},
             {**order("BRIAR", 2, note="two"), "id": "b"}]  # fmt: skip
    desk = deploy(batch(demo.office_url, calls, approval=APPROVAL), UNITS)
    run = desk.say(question="go")
    rows = [{"customerId": "BRIAR", "quantity": 2}, {"customerId": "MERID", "quantity": 9},
            {"customerId": "HOLLO", "quantity": 3}]  # fmt: skip
    run = desk.answer(run, "approve", values={"calls.place": rows})
    assert run.status == "done", run.error
    sent = [(w["body"]["customerId"], w["body"]["lines"][0]["quantity"], w["body"]["note"])
            for w in demo.writes()["writes"]]  # fmt: skip
    assert sent == [("BRIAR", 2, "two"), ("MERID", 9, "one"), ("HOLLO", 3, "")]
    assert [entry["id"] for entry in run.outputs["results"]] == ["b", "p", "a", None]


def test_a_correction_that_a_tool_refuses_is_refused_on_the_card(deploy: Callable[..., Desk], demo: Scripted) -> None:
    from runtime.questions import Refused

    desk = deploy(batch(demo.office_url, [order("MERID"), order("BRIAR")], approval=APPROVAL), UNITS)
    run = desk.say(question="go")
    with pytest.raises(Refused) as refused:
        desk.decide(run, "approve", values={"calls.place": [{"customerId": "MERID"}]})
    assert list(refused.value.fields) == ["calls.place[0].quantity"]


def test_what_changed_after_the_card_is_not_called(
    deploy: Callable[..., Desk], demo: Scripted, power_cut: Callable[..., None]
) -> None:
    # reliability 4.2
    from runtime.models import Deployment

    desk = deploy(batch(demo.office_url, [order("MERID")], approval=APPROVAL), UNITS)
    run = desk.say(question="go")
    Deployment.objects.update(settings={"url": f"{demo.url}/elsewhere"})
    run = desk.answer(run, "approve")
    assert run.error["code"] == "APPROVAL_MISMATCH" and demo.writes()["writes"] == []


@pytest.mark.parametrize("point", ["tool.started", "tool.sent", "tool.answered", "tool.done", "checkpoint.before"])
def test_a_worker_that_ends_anywhere_does_each_call_once(
    deploy: Callable[..., Desk], demo: Scripted, power_cut: Callable[..., None], point: str
) -> None:
    demo.office(idempotent=True)
    desk = deploy(batch(demo.office_url, [order("MERID", n) for n in (1, 2, 3)]), UNITS, idempotent_hosts=[demo.host])
    power_cut(point, 2)
    run_id = desk.send(question="go")
    desk.left(run_id)
    desk.claim_again(run_id)
    desk.left(run_id, claims=2)
    run = desk.take_over(run_id)
    assert run.status == "done", run.error
    assert demo.writes()["placed"] == 3
    assert [entry["result"]["lines"][0]["quantity"] for entry in run.outputs["results"]] == [1, 2, 3]
    assert ToolCall.objects.filter(run=run, state="done").count() == 3
    assert [call.key for call in ToolCall.objects.filter(run=run).order_by("id")] == [
        f"work#1/{n}.place/w1" for n in (1, 2, 3)
    ]


def test_a_call_of_unknown_outcome_is_asked_about_and_the_rest_goes_on(
    deploy: Callable[..., Desk], demo: Scripted
) -> None:
    demo.faults({"at": "after", "do": "drop", "times": 1})
    desk = deploy(batch(demo.office_url, [order("MERID", 1), order("BRIAR", 2)]), UNITS)
    run = desk.say(question="go")
    question = desk.question(run)
    assert question.kind == "outcome" and demo.writes()["placed"] == 1
    run = desk.answer(run, "happened", reason="It is on their list.")
    assert run.status == "done", run.error
    first, second = run.outputs["results"]
    assert first["result"]["message"] == "A person confirmed that this happened. It is on their list."
    assert second["result"]["customerId"] == "BRIAR" and demo.writes()["placed"] == 2


def test_the_sent_calls_are_journaled_one_by_one(deploy: Callable[..., Desk], demo: Scripted) -> None:
    desk = deploy(batch(demo.office_url, [order("MERID", 1), order("BRIAR", 2)]), UNITS)
    run = desk.say(question="go")
    called = [event for event in desk.events(run.id) if event.type == "tool_called"]
    assert [(event.address, event.state) for event in called] == [("work#1", "done")] * 2
    assert json.dumps([entry["error"] for entry in run.outputs["results"]]) == "[null, null]"
