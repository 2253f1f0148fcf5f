"""Runs that ended badly and are let go on: at the failed step, with what was done kept, and never a write twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from runtime import control, runs
from runtime.control import NotContinued
from runtime.demo.testing import Scripted
from runtime.events import RunContinued, StepFinished
from runtime.models import ModelCall, Question, Run, ToolCall
from tests.runtime.engine.conftest import VISITOR, Desk, flow
from tests.runtime.engine.orders import UNITS, desk_flow
from tests.runtime.engine.test_fanout import code, spread
from tests.runtime.engine.test_inner_flows import FIND, lookup, tree

Deploy = Callable[..., Desk]
FIRST = {"id": "first", "type": "llm", "prompt": "First: {{question}}", "output": "draft"}
REPLY = {"id": "reply", "type": "llm", "prompt": "Then: {{draft}}", "output": "answer"}
DRAFT = {"draft": {"type": "string", "description": "What is thought so far."}}
PLACE_TWICE = """async def place(state, *, services, settings, env):
    await services.http.post(settings.url + "/orders", json={
        "customerId": state["question"], "lines": [{"productId": 101, "quantity": 1}],
        "shipTo": "Here", "deliverOn": None, "note": "",
    })
    found = await services.http.get(settings.url + "/customers")
    if found.status >= 400:
        raise ValueError("The office answers nothing.")
    return {"answer": str(found.status)}
"""


def go_on(desk: Desk, run: Run) -> Run:
    control.let_go_on(run.id, "Olga")
    desk.engine.submit(run.id)
    return desk.settle(run.id)


def refused(run: Run) -> str:
    with pytest.raises(NotContinued) as caught:
        control.let_go_on(run.id, "Olga")
    assert caught.value.message.endswith(".")
    return caught.value.code


def test_the_failed_step_is_tried_once_more_and_nothing_before_it(deploy: Deploy, demo: Scripted) -> None:
    demo.add(
        {"when": {"contains": "First"}, "answer": "So far."},
        {"when": {"contains": "Then"}, "answer": "no object", "times": 1},
        {"when": {"contains": "Then"}, "answer": {"words": "Here."}},
    )
    shaped = {**REPLY, "output": "kept", "schema": {"type": "object", "required": ["words"],
                                                     "properties": {"words": {"type": "string"}}}}  # fmt: skip
    desk = deploy(flow([FIRST, shaped], outputs=["kept"], state={**DRAFT, "kept": {"type": "object"}}))
    run = desk.say(question="q")
    assert (run.status, run.error["code"]) == ("failed", "MODEL_SHAPE")
    run = go_on(desk, run)
    assert (run.status, run.outputs) == ("done", {"kept": {"words": "Here."}}), run.error
    assert ModelCall.objects.filter(run=run, address="first#1").count() == 1
    assert ModelCall.objects.filter(run=run, address="reply#1").count() == 2
    events = desk.events(run.id)
    assert [event.by for event in events if isinstance(event, RunContinued)] == ["Olga"]
    assert [event.address for event in events if isinstance(event, StepFinished)] == ["first#1", "reply#1"]


def test_copies_that_failed_are_tried_again_and_the_others_are_not(deploy: Deploy, demo: Scripted) -> None:
    demo.add(
        {"when": {"contains": "Line 2"}, "answer": "no object", "times": 1},
        {"when": {"contains": "Line"}, "answer": {"n": 1}},
    )
    each = {"type": "llm", "prompt": "Line {{item}}", "output": "lines",
            "schema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "number"}}}}  # fmt: skip
    desk = deploy(spread(each), code([1, 2, 3]))
    run = desk.say(question="q")
    assert (run.status, run.error["code"]) == ("failed", "MODEL_SHAPE")
    run = go_on(desk, run)
    assert (run.status, run.outputs["answer"].count("'n': 1")) == ("done", 3), run.error
    asked = sorted(ModelCall.objects.filter(run=run).values_list("address", flat=True))
    assert [asked.count(f"each[{n}]") for n in range(3)] == [1, 2, 1]


def test_inside_another_flow_only_the_failed_step_is_tried_again(deploy: Deploy, demo: Scripted) -> None:
    demo.add(
        {"when": {"contains": "Look"}, "answer": "seen"},
        {"when": {"contains": "Say"}, "fail": {"status": 500}, "times": 1},
        {"when": {"contains": "Say"}, "answer": "Here."},
    )
    nodes = [
        {"id": "look", "type": "llm", "prompt": "Look {{asked}}", "output": "seen"},
        {"id": "say", "type": "llm", "prompt": "Say {{seen}}", "output": "found"},
    ]
    inner = lookup(nodes, state={"seen": {"type": "string", "description": "What was seen."}})
    desk = tree(deploy(flow([FIND])), {"lookup.json": (inner, {})})
    run = desk.say(question="q")
    assert (run.status, run.error["address"]) == ("failed", "find#1/say#1")
    run = go_on(desk, run)
    assert (run.status, run.outputs) == ("done", {"answer": "Here."}), run.error
    asked = sorted(ModelCall.objects.filter(run=run).values_list("address", flat=True))
    assert asked == ["find#1/look#1", "find#1/say#1", "find#1/say#1"]


def test_a_write_that_was_made_is_not_made_again(deploy: Deploy, demo: Scripted) -> None:
    units = {"handler:place": PLACE_TWICE}
    node = {"id": "place", "handler": "place", "description": "Places two orders, and then counts wrongly."}
    office = {"url": {"default": demo.office_url, "description": "The office."}}
    desk = deploy(flow([node], requires={"settings": office}), units)
    demo.faults({"on": "read", "status": 503, "times": 1})
    run = desk.say(question="MERID")
    assert run.status == "failed", run.outputs
    run = go_on(desk, run)
    assert (run.status, run.outputs) == ("done", {"answer": "200"}), run.error
    assert len(demo.writes()["writes"]) == 1
    assert ToolCall.objects.filter(run=run, effect="write").count() == 1


def test_a_write_of_unknown_outcome_is_asked_about_by_the_run_itself(
    deploy: Deploy, demo: Scripted, power_cut: Callable[..., None]
) -> None:
    desk = deploy(desk_flow(demo.office_url), UNITS)
    power_cut("tool.answered")
    run = desk.send(customer="MERID", quantity=2, note="")
    desk.left(run)
    Run.objects.filter(id=run).update(attempts=99)
    lost = desk.take_over(run)
    assert (lost.status, desk.question(lost).kind) == ("lost", "outcome")
    # Once, and given up once more, and let go on again: one question at a time.
    for _ in range(2):
        waits = go_on(desk, lost)
        assert (waits.status, desk.question(waits).kind) == ("waiting", "outcome")
        assert desk.question(waits).slot.startswith("outcome:")
        Run.objects.filter(id=run).update(status="resumable", attempts=99)
        desk.engine.submit(run)
        lost = desk.settle(run)
        assert lost.status == "lost"
    waits = go_on(desk, lost)
    done = desk.answer(waits, "happened")
    assert (done.status, done.outputs["result"]["outcome"]) == ("done", "happened"), done.error
    assert len(demo.writes()["writes"]) == 1


def test_a_run_that_was_given_up_begins_where_it_was(
    deploy: Deploy, demo: Scripted, power_cut: Callable[..., None]
) -> None:
    demo.add({"when": {"contains": "First"}, "answer": "So far."}, {"when": {"contains": "Then"}, "answer": "Here."})
    desk = deploy(flow([FIRST, REPLY], state=DRAFT))
    power_cut("checkpoint.after", 1)
    id = desk.send(question="q")
    desk.left(id)
    Run.objects.filter(id=id).update(attempts=99)
    run = desk.take_over(id)
    assert run.status == "lost"
    run = go_on(desk, run)
    assert (run.status, run.outputs) == ("done", {"answer": "Here."}), run.error
    assert ModelCall.objects.filter(run=run, address="first#1").count() == 1


def test_what_waited_for_people_when_the_run_ended_is_asked_again(deploy: Deploy, demo: Scripted) -> None:
    demo.add({"when": {"contains": "q"}, "answer": "Here."})
    ask = {"id": "more", "type": "ask", "ask": "Which?", "output": "question"}
    desk = deploy(flow([ask, {**REPLY, "prompt": "{{question}}"}]))
    run = desk.say(question="q")
    question = desk.question(run)
    # It gives up while somebody is asked, as at the end of its time.
    Run.objects.filter(id=run.id).update(status="resumable", attempts=99)
    desk.engine.submit(run.id)
    run = desk.settle(run.id)
    assert (run.status, Question.objects.get(id=question.id).state) == ("lost", "withdrawn")
    run = go_on(desk, run)
    assert (run.status, desk.question(run).id) == ("waiting", question.id)
    run = desk.answer(run, "answer", text="q again")
    assert (run.status, run.outputs) == ("done", {"answer": "Here."}), run.error


def test_a_run_is_refused_in_words_where_it_may_not_go_on(deploy: Deploy, demo: Scripted) -> None:
    demo.add({"when": {"contains": "q"}, "answer": "Here."})
    desk = deploy(flow([{**REPLY, "prompt": "{{question}}"}]))
    demo.fail(500, times=2)
    first = desk.say(question="q")
    assert first.status == "failed"
    desk.deployment.paused = True
    desk.deployment.save()
    assert refused(first) == "AGENT_PAUSED"
    with pytest.raises(NotContinued):
        control.let_all_go_on(desk.deployment, "Olga")
    desk.deployment.paused = False
    desk.deployment.save()
    second = desk.say(question="q")
    assert refused(first) == "LATER_TURN"
    Run.objects.filter(id=second.id).update(checkpoints_gone=True)
    assert refused(second) == "RUN_NOT_KEPT"
    Run.objects.filter(id=second.id).update(checkpoints_gone=False)
    held = runs.start(desk.deployment, VISITOR, inputs={"question": "q"}, text="q", conversation=desk.conversation)
    desk.engine.submit(held.run)
    third = desk.settle(held.run)
    assert (third.status, refused(third)) == ("done", "RUN_NOT_FAILED")


def test_all_failed_runs_of_an_agent_go_on_at_one_word(deploy: Deploy, demo: Scripted) -> None:
    demo.add({"when": {"contains": "q"}, "answer": "Here."})
    desk = deploy(flow([{**REPLY, "prompt": "{{question}}"}]))
    demo.fail(500, times=3)
    ended = []
    for _ in range(3):
        desk.conversation = None
        ended.append(desk.say(question="q"))
    # The conversation of the last one has gone on.
    assert desk.say(question="q").status == "done"
    found = control.let_all_go_on(desk.deployment, "Olga")
    assert (found.count, found.left) == (2, 0)
    assert [desk.settle(run.id).status for run in ended] == ["done", "done", "failed"]
