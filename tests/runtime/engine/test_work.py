"""Work nodes: the model calls tools itself, round by round, and what it was told and did outlives its worker."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime import cards
from runtime.demo.testing import Scripted
from runtime.models import CheckpointBlob, McpServer, McpTool, ModelCall, Question, ToolCall
from tests.runtime.engine.conftest import Desk, flow
from tests.runtime.engine.orders import PLACE
from tests.support import offices

PING = """async def ping(args, *, services, settings, env):
    if args.get("word") == "boom":
        raise ValueError("no such word")
    return {"pong": args.get("word")}
"""
UNITS = {"tool:place": PLACE, "tool:ping": PING}
PLACED = {"customerId": {"type": "string", "required": True}, "quantity": {"type": "number", "required": True}}


def working(office: str = "http://127.0.0.1:9", tools: Any = ("place", "ping"), **node: Any) -> dict[str, Any]:
    return flow(
        [{"id": "desk", "type": "work", "prompt": "Do this: {{question}}", "tools": list(tools), "output": "answer",
          **node}],
        tools=[
            {"name": "place", "description": "Posts an order. RETURNS the order.", "inputs": PLACED},
            {"name": "ping", "description": "Says a word. RETURNS it."},
        ],
        requires={"settings": {"url": {"default": office, "description": "The office."}}},
    )  # fmt: skip


def turns(demo: Scripted, *turns: Any, contains: str = "order") -> None:
    """What the model does, turn by turn: a list of calls, or its answer."""
    made = [
        {"say": turn} if isinstance(turn, str)
        else {"calls": [{"name": name, "arguments": arguments} for name, arguments in turn]}
        for turn in turns
    ]  # fmt: skip
    demo.add({"when": {"tools": True, "contains": contains}, "turns": made})


def told(run: Any) -> list[Any]:
    """What the model was told in its last round, by role."""
    return [(message["role"], message.get("content")) for message in last(run).messages]


def last(run: Any) -> ModelCall:
    return ModelCall.objects.filter(run=run).order_by("-id")[0]


ORDER = {"customerId": "MERID", "quantity": 2}


def test_it_calls_until_it_has_an_answer(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-work-01, LG-work-05
    turns(demo, [("ping", {"word": "a"})], [("place", ORDER), ("ping", {"word": "boom"})], "Ordered 2.")
    run = deploy(working(demo.office_url), UNITS).say(question="order 2")
    assert (run.status, run.outputs) == ("done", {"answer": "Ordered 2."}), run.error
    roles = told(run)
    assert [role for role, _ in roles] == ["system", "user", "assistant", "tool", "assistant", "tool", "tool"]
    assert roles[1][1] == "Do this: order 2" and roles[3][1] == '{"pong": "a"}'
    assert '"customerId": "MERID"' in roles[5][1]
    assert roles[6][1].startswith("It failed: ") and "no such word" in roles[6][1]
    assert demo.writes()["placed"] == 1
    assert [call.key for call in ToolCall.objects.filter(run=run)] == ["desk#1/c2.place/w1"]
    assert [call.key for call in ModelCall.objects.filter(run=run).order_by("id")] == [
        "desk#1/a1/0", "desk#1/t1a1/0", "desk#1/t2a1/0",
    ]  # fmt: skip


def test_tools_are_shown_with_nothing_required_and_a_note(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-work-11
    turns(demo, "Nothing to do.")
    deploy(working(demo.office_url), UNITS).say(question="order")
    sent = {one["function"]["name"]: one["function"] for one in demo.requests()[-1]["params"]["tools"]}
    assert sorted(sent) == ["ping", "place"]
    assert sent["place"]["parameters"] == {"type": "object", "properties": {
        "customerId": {"type": "string"}, "quantity": {"type": "number"}}}  # fmt: skip
    assert "the person is asked for it in a form" in sent["place"]["description"]
    assert sent["ping"]["description"] == "Says a word. RETURNS it."


def test_rounds_end_it_by_name_and_make_no_more_calls(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-work-06, LG-work-07
    turns(demo, *[[("place", ORDER)]] * 12)
    run = deploy(working(demo.office_url, rounds=3, retry={"maxAttempts": 3}), UNITS).say(question="order")
    assert (run.error["code"], run.error["node"]) == ("WORK_ROUNDS", "desk")
    assert 'Work node "desk" asked its model 3 times and got no answer' in run.error["message"]
    assert ModelCall.objects.filter(run=run).count() == 3 and demo.writes()["placed"] == 2
    run = deploy(working(demo.office_url), UNITS).say(question="order")
    assert "8 times" in run.error["message"]
    run = deploy(working(demo.office_url), UNITS, limits={"rounds": 2}).say(question="order")
    assert (run.error["code"], "2 times, as often as this agent's settings allow" in run.error["message"]) == (
        "WORK_ROUNDS", True,
    )  # fmt: skip


def test_a_missing_argument_becomes_a_form_and_the_call_is_then_made(
    deploy: Callable[..., Desk], demo: Scripted
) -> None:
    # LG-work-11, LG-work-12, LG-work-13
    turns(demo, [("place", {"quantity": 4, "note": "left as it is"})], "Ordered.")
    desk = deploy(working(demo.office_url), UNITS)
    run = desk.say(question="order")
    form = cards.read(desk.question(run).payload)
    assert (form["kind"], form["ask"], form["values"]) == ("form", "Place: details", {"quantity": 4})
    assert form["fields"]["customerId"]["required"] is True
    run = desk.answer(run, "answer", values={"customerId": "MERID", "quantity": 5})
    assert run.outputs == {"answer": "Ordered."}, run.error
    (write,) = demo.writes()["writes"]
    assert (write["body"]["lines"][0]["quantity"], write["body"]["note"]) == (5, "left as it is")
    assert ModelCall.objects.filter(run=run).count() == 2


def test_a_closed_form_is_told_to_the_model(deploy: Callable[..., Desk], demo: Scripted) -> None:
    turns(demo, [("place", {})], "It was not ordered.")
    desk = deploy(working(demo.office_url), UNITS)
    run = desk.answer(desk.say(question="order"), "close")
    assert run.outputs == {"answer": "It was not ordered."}
    assert "closed the form" in told(run)[-1][1] and demo.writes()["writes"] == []


def test_an_approved_call_is_the_one_that_was_shown(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-work-14, LG-work-15
    turns(demo, [("ping", {"word": "{{question}}"})], [("place", ORDER)], "Ordered.")
    desk = deploy(
        working(demo.office_url, approve=["place"], ask="Place it for {{question}}?", show=["question"]), UNITS
    )
    run = desk.say(question="order now")
    card = cards.read(desk.question(run).payload)
    assert (card["kind"], card["ask"]) == ("approval", "Place it for order now?")
    assert card["does"] == {**card["does"], "kind": "call", "tool": "place", "args": ORDER}
    assert card["show"] == [{"label": "Question", "channel": "question", "value": "order now"}]
    assert card["edit"]["fields"] == {} and demo.writes()["writes"] == []
    run = desk.answer(run, "approve")
    assert run.outputs == {"answer": "Ordered."}, run.error
    assert demo.writes()["placed"] == 1
    # What a model writes is never a template.
    assert told(run)[3][1] == '{"pong": "{{question}}"}'


def test_a_call_waits_for_its_answer_without_a_worker(
    deploy: Callable[..., Desk], demo: Scripted, power_cut: Callable[..., None]
) -> None:
    # LG-work-17: where it waits is kept, before the card and after it
    turns(demo, [("place", ORDER)], "Ordered.")
    desk = deploy(working(demo.office_url, approve=["place"]), UNITS)
    power_cut("model.answered")
    run_id = desk.send(question="order")
    desk.left(run_id)
    run = desk.take_over(run_id)
    assert (run.status, desk.question(run).kind, demo.writes()["writes"]) == ("waiting", "approval", [])
    power_cut("checkpoint.before")
    desk.decide(run, "approve")
    desk.engine.submit(run.id)
    desk.left(run_id, run.fence + 1)
    run = desk.take_over(run_id)
    assert (run.status, run.outputs) == ("done", {"answer": "Ordered."}), run.error
    assert demo.writes()["placed"] == 1 == Question.objects.filter(run=run).count()


def test_a_refusal_is_that_calls_result(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-work-16
    turns(demo, [("place", ORDER)], "You declined it, so nothing was ordered.")
    desk = deploy(working(demo.office_url, approve=["place"]), UNITS)
    run = desk.say(question="order")
    assert cards.read(desk.question(run).payload)["ask"] == "Place: make this call?"
    run = desk.answer(run, "decline", reason="too dear")
    assert run.outputs == {"answer": "You declined it, so nothing was ordered."}
    assert told(run)[-1][1] == "The person declined this call, so it was not made. They said: too dear"
    assert demo.writes()["writes"] == []


def test_what_changed_after_the_card_is_not_called(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # reliability 4.2
    from runtime.models import Deployment

    turns(demo, [("place", ORDER)], "Ordered.")
    desk = deploy(working(demo.office_url, approve=["place"], retry={"maxAttempts": 3}), UNITS)
    run = desk.say(question="order")
    Deployment.objects.update(settings={"url": f"{demo.url}/elsewhere"})
    run = desk.answer(run, "approve")
    assert run.error["code"] == "APPROVAL_MISMATCH" and demo.writes()["writes"] == []
    assert "approval_mismatch" in desk.types(run)


def test_a_tool_it_has_not_got_is_said_and_never_imagined(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-work-19
    turns(demo, [("nobody", {}), ("ping", "no json"), ("ping", "[1]")], "I have no such tool.")
    run = deploy(working(tools=["ping"]), UNITS).say(question="order")
    assert [content for role, content in told(run) if role == "tool"] == [
        'There is no tool "nobody". You have "ping".',
        *["Nothing was called: the arguments are no JSON object. Write them as one."] * 2,
    ]


def test_an_answer_may_be_data(deploy: Callable[..., Desk], demo: Scripted) -> None:
    turns(demo, [("ping", {})], 'Here: ```json\n{"n": 1}\n```')
    document = working()
    document["state"]["answer"]["type"] = "object"
    assert deploy(document, UNITS).say(question="order").outputs == {"answer": {"n": 1}}


def test_too_many_calls_at_once_are_put_off(deploy: Callable[..., Desk], demo: Scripted) -> None:
    turns(demo, [("ping", {"word": str(n)}) for n in range(40)], "Done.")
    run = deploy(working(), UNITS).say(question="order")
    results = [content for role, content in told(run) if role == "tool"]
    assert len(results) == 40 and results[31] == '{"pong": "31"}' and results[32].startswith("Not called: at most 32")


def test_a_long_result_is_cut_for_the_model(deploy: Callable[..., Desk], demo: Scripted) -> None:
    long = "async def ping(args, *, services, settings, env):\n    return 'x' * 60000\n"
    turns(demo, [("ping", {})], "Done.")
    run = deploy(working(), {**UNITS, "tool:ping": long}).say(question="order")
    assert told(run)[-1][1].endswith("[Cut here. The result has 60,000 characters.]")


def test_more_than_a_node_may_read_ends_it(deploy: Callable[..., Desk], demo: Scripted) -> None:
    long = "async def ping(args, *, services, settings, env):\n    return 'x' * 60000\n"
    turns(demo, *[[("ping", {})] * 8] * 4, "Done.")
    run = deploy(working(), {**UNITS, "tool:ping": long}).say(question="order")
    assert run.error["code"] == "WORK_TOO_MUCH"


POINTS = ["model.started", "model.answered", "tool.started", "tool.sent", "tool.answered", "tool.done",
          "checkpoint.before", "checkpoint.after"]  # fmt: skip


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("point", POINTS)
def test_a_worker_that_ends_anywhere_repeats_no_call(
    deploy: Callable[..., Desk], demo: Scripted, power_cut: Callable[..., None], point: str, times: int
) -> None:
    turns(demo, [("place", {"customerId": "MERID", "quantity": 1})],
          [("place", {"customerId": "BRIAR", "quantity": 2}), ("place", {"customerId": "HOLLO", "quantity": 3})],
          "Ordered.")  # fmt: skip
    demo.office(idempotent=True)
    desk = deploy(working(demo.office_url), UNITS, idempotent_hosts=[demo.host])
    power_cut(point, times)
    run_id = desk.send(question="order")
    for claims in range(1, times):
        desk.left(run_id, claims)
        desk.claim_again(run_id)
    run = desk.take_over(run_id)
    assert (run.status, run.outputs) == ("done", {"answer": "Ordered."}), run.error
    assert demo.writes()["placed"] == 3
    assert ModelCall.objects.filter(run=run).count() == 3
    assert sorted(ToolCall.objects.filter(run=run).values_list("key", flat=True)) == [
        "desk#1/c1.place/w1", "desk#1/c2.place/w1", "desk#1/c3.place/w1",
    ]  # fmt: skip


def test_a_write_of_unknown_outcome_is_asked_about_and_the_work_goes_on(
    deploy: Callable[..., Desk], demo: Scripted
) -> None:
    turns(demo, [("place", ORDER), ("ping", {"word": "b"})], "Ordered, as you confirmed.")
    demo.faults({"at": "after", "do": "drop", "times": 1})
    desk = deploy(working(demo.office_url), UNITS)
    run = desk.say(question="order")
    assert desk.question(run).kind == "outcome"
    run = desk.answer(run, "happened", reason="Seen.")
    assert run.outputs == {"answer": "Ordered, as you confirmed."}, run.error
    assert '"message": "A person confirmed that this happened. Seen."' in told(run)[3][1]
    assert demo.writes()["placed"] == 1


def test_a_conversation_is_kept_once(deploy: Callable[..., Desk], demo: Scripted) -> None:
    turns(demo, [("ping", {"word": "a"})], [("place", {})], "Done.")
    desk = deploy(working(demo.office_url), UNITS)
    run = desk.say(question="order and remember the albatross")
    assert "albatross" in str(last(run).messages)
    kept = CheckpointBlob.objects.filter(thread=str(run.id), channel="at.kept")
    assert kept.exists() and not [one for one in kept if b"albatross" in bytes(one.body)]
    run = desk.answer(run, "answer", values=ORDER)
    assert run.outputs == {"answer": "Done."}, run.error
    assert [role for role, _ in told(run)] == ["system", "user", "assistant", "tool", "assistant", "tool"]


def test_a_model_that_fails_is_asked_again_and_nothing_is_done_twice(
    deploy: Callable[..., Desk], demo: Scripted
) -> None:
    turns(demo, [("place", ORDER)], "Ordered.")
    desk = deploy(working(demo.office_url, retry={"maxAttempts": 3}), UNITS)
    demo.fail(500, times=1)
    run = desk.say(question="order")
    assert run.outputs == {"answer": "Ordered."}, run.error
    assert demo.writes()["placed"] == 1


# Servers


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def program(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch, workspace: Any) -> McpServer:
    return offices.program(tmp_path, monkeypatch, "--notes", str(notes))


def serving(**node: Any) -> dict[str, Any]:
    document = working(tools=["office", "ping"], **node)
    document["requires"]["mcp"] = {"office": {"describe": "The office.", "tools": [
        "find_customer", "echo",
        {"name": "addOrder", "remote": "add_order", "describe": "Orders something.",
         "inputs": {"quantity": {"type": "number", "required": True, "label": "How many"}}},
    ]}}  # fmt: skip
    return document


def test_a_servers_own_words_and_fields_reach_the_model(
    deploy: Callable[..., Desk], demo: Scripted, program: McpServer
) -> None:
    # LG-work-03, LG-work-08, LG-work-09, LG-work-10
    turns(demo, "Nothing to do.")
    desk = deploy(serving(), UNITS)
    offices.connect(desk.deployment, program)
    run = desk.say(question="order")
    assert run.status == "done", run.error
    sent = {one["function"]["name"]: one["function"] for one in demo.requests()[-1]["params"]["tools"]}
    assert sorted(sent) == ["addOrder", "echo", "find_customer", "ping"]
    assert sent["find_customer"]["description"].startswith("Finds a customer by name.")
    assert sent["find_customer"]["parameters"]["properties"]["name"]["type"] == "string"
    assert sent["addOrder"]["description"].startswith("Orders something.")
    assert sent["addOrder"]["parameters"]["properties"]["quantity"] == {"type": "number", "description": "How many"}
    assert sent["addOrder"]["parameters"]["properties"]["customer"]["type"] == "string"
    assert all("required" not in one["parameters"] for one in sent.values())


def test_what_a_server_requires_is_asked_of_the_person(
    deploy: Callable[..., Desk], demo: Scripted, program: McpServer, notes: Path
) -> None:
    # LG-work-11, LG-work-12
    turns(demo, [("addOrder", {})], "Ordered.")
    desk = deploy(serving(approve=["addOrder"]), UNITS)
    offices.connect(desk.deployment, program)
    run = desk.say(question="order")
    form = cards.read(desk.question(run).payload)
    assert {name: field.get("required", False) for name, field in form["fields"].items()} == {
        "customer": True, "quantity": True, "note_text": False,
    }  # fmt: skip
    run = desk.answer(run, "answer", values={"customer": "MERID", "quantity": 2})
    assert cards.read(desk.question(run).payload)["does"]["args"] == {"customer": "MERID", "quantity": 2}
    assert offices.noted(notes) == []
    run = desk.answer(run, "approve")
    assert run.outputs == {"answer": "Ordered."}, run.error
    assert offices.noted(notes) == [{"tool": "add_order", "customer": "MERID", "quantity": 2, "note": ""}]


def test_a_tool_that_is_switched_off_is_reported(
    deploy: Callable[..., Desk], demo: Scripted, program: McpServer, notes: Path
) -> None:
    # LG-work-21, LG-work-23, LG-work-24
    turns(demo, [("addOrder", {})], "I cannot order here.")
    desk = deploy(serving(), UNITS)
    link = offices.connect(desk.deployment, program)
    McpTool.objects.filter(link=link, name="add_order").update(on=False)
    run = desk.say(question="order")
    assert run.outputs == {"answer": "I cannot order here."}, run.error
    words = 'The tool "addOrder" is not available here: an operator has switched it off. Nothing was called.'
    assert words in told(run)[0][1] and told(run)[-1][1] == words
    assert "addOrder" not in json.dumps(demo.requests()[-1]["params"]["tools"])
    assert offices.noted(notes) == [] and not Question.objects.filter(run=run).exists()


def test_a_tool_switched_off_while_its_card_waits_is_not_called(
    deploy: Callable[..., Desk], demo: Scripted, program: McpServer, notes: Path
) -> None:
    # LG-work-23
    turns(demo, [("addOrder", {"customer": "A", "quantity": 1})], "It is not available.")
    desk = deploy(serving(approve=["addOrder"]), UNITS)
    link = offices.connect(desk.deployment, program)
    run = desk.say(question="order")
    McpTool.objects.filter(link=link, name="add_order").update(on=False)
    run = desk.answer(run, "approve")
    assert run.outputs == {"answer": "It is not available."} and offices.noted(notes) == []


def test_a_server_that_is_down_fails_the_node_in_words(
    deploy: Callable[..., Desk], demo: Scripted, program: McpServer
) -> None:
    desk = deploy(serving(), UNITS)
    offices.connect(desk.deployment, program)
    McpServer.objects.update(transport="http", url="http://127.0.0.1:9/mcp")
    run = desk.say(question="order")
    assert (run.error["code"], run.error["message"]) == (
        "SERVER_DOWN", 'The server "office" does not answer, or does not speak MCP.',
    )  # fmt: skip
