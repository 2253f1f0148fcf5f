"""Fan-outs: one copy for each item, in the order of the items, whatever the copies do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from runtime.demo.testing import Scripted
from runtime.engine import copies
from runtime.events import OutputWritten, StepFailed, StepFinished
from runtime.models import ModelCall, Question
from tests.runtime.engine.conftest import Desk, flow
from tests.runtime.engine.orders import PLACE

Deploy = Callable[..., Desk]
TOOLS = [{
    "name": "place", "description": "Posts an order to the office through services.http. RETURNS the order.",
    "inputs": {"customerId": {"type": "string", "required": True, "label": "Customer"},
               "quantity": {"type": "number", "required": True}},
}]  # fmt: skip
LISTS = {
    "items": {"type": "list", "description": "What to work on."},
    "lines": {"type": "list", "reducer": "append", "description": "A line for each item."},
}
GIVE = "async def give(state, *, services, settings, env):\n    return {'items': %s}\n"
EACH = "async def each(state, *, services, settings, env):\n    return {'lines': %s}\n"
GATHER = (
    "async def gather(state, *, services, settings, env):\n"
    "    return {'answer': ', '.join(str(one) for one in state['lines'])}\n"
)
EDGES = [{"from": "give", "to": "spread"}, {"from": "each", "to": "gather"}, {"from": "gather", "to": "END"}]


def spread(each: dict[str, Any] | None = None, edges: list[dict[str, Any]] | None = None, **keys: Any) -> Any:
    """give → spread → each → gather."""
    if not each or "type" not in each:
        each = {"handler": "each", **(each or {})}
    nodes = [
        {"id": "give", "handler": "give", "description": "Says what there is."},
        {"id": "spread", "type": "fanout", "over": "items", "as": "item", "to": "each"},
        {"id": "each", "description": "Works on one.", **each},
        {"id": "gather", "handler": "gather", "description": "Puts the lines together."},
        *keys.pop("more", []),
    ]
    return flow(nodes, edges or EDGES, state={**LISTS, **keys.pop("state", {})}, **keys)


def code(items: Any, each: str = "[state['item'] * 2]", **more: str) -> dict[str, str]:
    return {
        "handler:give": GIVE % json.dumps(items), "handler:each": EACH % each, "handler:gather": GATHER, **more,
    }  # fmt: skip


def test_each_item_has_a_copy_and_the_flow_goes_on_once(deploy: Deploy) -> None:
    # LG-fanout-01, LG-fanout-02, LG-fanout-09, LG-fanout-11
    desk = deploy(spread(), code(list(range(40))))
    run = desk.say(question="Go")
    assert run.status == "done", run.error
    assert run.outputs["answer"] == ", ".join(str(2 * n) for n in range(40))
    done = [event for event in desk.events(run.id) if isinstance(event, StepFinished)]
    assert [event.node for event in done].count("each") == 40
    assert {event.address for event in done if event.node == "each"} == {f"each[{n}]" for n in range(40)}
    assert [event.address for event in done if event.node == "gather"] == ["gather#1"]


def test_an_empty_list_runs_nothing_and_ends_there(deploy: Deploy) -> None:
    # LG-fanout-04
    desk = deploy(spread(), code([]))
    run = desk.say(question="Go")
    assert run.status == "done"
    assert [event.node for event in desk.events(run.id) if isinstance(event, StepFinished)] == ["give", "spread"]


def test_a_copy_that_fails_is_left_out_where_the_flow_says_so(deploy: Deploy) -> None:
    # LG-errors-04, LG-errors-06, LG-fanout-12
    desk = deploy(spread({"onError": "SKIP"}), code([4, 0, 2], "[8 // state['item']]"))
    run = desk.say(question="Go")
    assert run.status == "done"
    assert run.outputs["answer"] == "2, 4"
    skipped = [event for event in desk.events(run.id) if isinstance(event, StepFailed)]
    assert [(event.address, event.next) for event in skipped] == [("each[1]", "skip")]


def test_a_copy_that_fails_ends_the_run_after_the_others_came_to_rest(deploy: Deploy) -> None:
    # LG-errors-07
    desk = deploy(spread(), code([4, 0, 2], "[8 // state['item']]"))
    run = desk.say(question="Go")
    assert run.status == "failed"
    assert run.error["address"] == "each[1]" and run.error["node"] == "each"


def test_a_failed_copy_sends_the_run_elsewhere_once(deploy: Deploy) -> None:
    # LG-errors-02, LG-errors-03
    sorry = "async def sorry(state, *, services, settings, env):\n    return {'answer': str(state['__error'])}\n"
    document = spread(
        {"onError": "sorry"}, [*EDGES, {"from": "sorry", "to": "END"}],
        more=[{"id": "sorry", "handler": "sorry", "description": "Says that it went wrong: {{__error}}."}],
    )  # fmt: skip
    desk = deploy(document, code([4, 0, 0], "[8 // state['item']]", **{"handler:sorry": sorry}))
    run = desk.say(question="Go")
    assert run.status == "done", run.error
    assert "'node': 'each'" in run.outputs["answer"]
    done = [event.node for event in desk.events(run.id) if isinstance(event, StepFinished)]
    assert done.count("sorry") == 1 and "gather" not in done


def test_a_failed_copy_is_tried_again_by_itself(deploy: Deploy) -> None:
    # LG-errors-01
    desk = deploy(spread({"retry": {"maxAttempts": 2}, "onError": "SKIP"}), code([1, 0], "[8 // state['item']]"))
    run = desk.say(question="Go")
    failed = [event for event in desk.events(run.id) if isinstance(event, StepFailed)]
    assert [(event.address, event.attempt, event.next) for event in failed] == [
        ("each[1]", 1, "retry"), ("each[1]", 2, "skip"),
    ]  # fmt: skip
    assert run.outputs["answer"] == "8"


def test_a_fan_out_that_runs_again_counts_its_visits(deploy: Deploy) -> None:
    again = (
        "async def again(state, *, services, settings, env):\n    return 'more' if len(state['lines']) < 5 else 'end'\n"
    )
    edges = [
        {"from": "give", "to": "spread"},
        {"from": "each", "type": "conditional", "router": "again", "routes": {"more": "give", "end": "gather"},
         "when": {"more": "there are few lines", "end": "anything else"},
         "limits": {"more": {"max": 5, "then": "end"}}},
        {"from": "gather", "to": "END"},
    ]  # fmt: skip
    desk = deploy(spread(edges=edges), code([1, 2, 3], **{"router:again": again}))
    run = desk.say(question="Go")
    assert run.outputs["answer"] == "2, 4, 6, 2, 4, 6"
    steps = [event.address for event in desk.events(run.id) if isinstance(event, StepFinished)]
    assert sorted(one for one in steps if one.startswith("each")) == sorted([
        "each[0]", "each[1]", "each[2]", "each#2[0]", "each#2[1]", "each#2[2]",
    ])  # fmt: skip


def test_what_the_copies_ask_goes_to_people_and_each_goes_on_by_itself(deploy: Deploy, demo: Scripted) -> None:
    # LG-fanout-02
    document = spread({"type": "ask", "ask": "What about {{item}}?", "output": "lines"})
    desk = deploy(document, code(["a", "b", "c"]))
    run = desk.say(question="Go")
    assert run.status == "waiting"
    asked = {one.address: one for one in Question.objects.filter(run=run, state="pending")}
    assert set(asked) == {"each[0]", "each[1]", "each[2]"}
    assert {one.node for one in asked.values()} == {"each"}
    for address in ("each[1]", "each[2]", "each[0]"):
        run = desk.answer_one(run, asked[address], f"about {address}")
    assert run.status == "done"
    assert run.outputs["answer"] == "about each[0], about each[1], about each[2]"


def test_each_copy_asks_its_model_once(deploy: Deploy, power_cut: Callable[..., None], demo: Scripted) -> None:
    document = spread({"type": "llm", "prompt": "Say {{item}}", "output": "lines", "onError": "SKIP"})
    desk = deploy(document, code(["a", "b", "c", "d"]))
    power_cut("copies.after")
    run = desk.take_over(desk.send(question="Go"))
    assert run.status == "done", run.error
    calls = ModelCall.objects.filter(run=run)
    assert {call.address for call in calls} == {f"each[{n}]" for n in range(4)}
    assert calls.count() == 4


def test_a_list_of_the_flow_on_top_that_copies_write_is_shown_once(deploy: Deploy) -> None:
    desk = deploy(spread(outputs=["lines"]), code([1, 2, 3]))
    run = desk.say(question="Go")
    told = [event.value for event in desk.events(run.id) if isinstance(event, OutputWritten) and not event.final]
    assert told == [[2, 4, 6]]


def test_more_items_than_a_run_may_take_steps_are_refused_in_words(deploy: Deploy) -> None:
    desk = deploy(spread(), code(list(range(60))), limits={"steps": 50})
    run = desk.say(question="Go")
    assert run.error["code"] == "TOO_MANY_STEPS"


def test_something_else_than_a_list_is_refused_in_words(deploy: Deploy) -> None:
    document = spread(state={"items": {"type": "any", "description": "Anything."}})
    run = deploy(document, code("no list")).say(question="Go")
    assert run.error["code"] == "OVER_NOT_A_LIST"


def test_copies_that_were_done_are_not_done_again(
    deploy: Deploy, power_cut: Callable[..., None], demo: Scripted
) -> None:
    """The worker is gone in the middle of a fan-out; the next one finds what was done, and asks about the rest."""
    document = spread(
        {"type": "tool", "tool": "place", "args": {"customerId": "MERID", "quantity": "{{item}}"}, "output": "lines"},
        tools=TOOLS, requires={"settings": {"url": {"default": demo.office_url, "description": "The office."}}},
    )  # fmt: skip
    place = PLACE.replace("return reply.json()", "return args['quantity']")
    desk = deploy(document, code(list(range(1, 9)), **{"tool:place": place}))
    power_cut("tool.done")
    id = desk.send(question="Go")
    run = desk.take_over(id)
    while run.status == "waiting":
        question = Question.objects.filter(run=run, state="pending").order_by("address")[0]
        happened = int(question.address[5:-1]) + 1 in _placed(demo)
        run = desk.answer_one(run, question, "Looked.", decision="happened" if happened else "again")
    assert run.status == "done", run.error
    assert sorted(_placed(demo)) == list(range(1, 9)), "A write was lost or made twice"


def _placed(demo: Scripted) -> list[int]:
    """The quantities of all orders in the office's books."""
    return [write["body"]["lines"][0]["quantity"] for write in demo.writes()["writes"] if write["order"] is not None]


def test_more_copies_than_begin_together_are_done_once_each(deploy: Deploy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "WAVE", 70)
    desk = deploy(spread(), code(list(range(200))))
    run = desk.say(question="Go")
    assert run.status == "done", run.error
    assert run.outputs["answer"] == ", ".join(str(2 * n) for n in range(200))
    done = [event.address for event in desk.events(run.id) if isinstance(event, StepFinished) and event.node == "each"]
    assert sorted(done) == sorted(f"each[{n}]" for n in range(200))
