"""Runs begun anew at a step of another: with its state, changed where somebody says so, and nothing before it done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from flows.check import check
from runtime import anew
from runtime.anew import NotAnew, NotFitting
from runtime.demo.testing import Scripted
from runtime.events import StepFinished
from runtime.journal import since
from runtime.models import ModelCall, Run, ToolCall
from tests.runtime.engine.conftest import VISITOR, Desk, flow
from tests.runtime.engine.orders import APPROVAL, UNITS, desk_flow
from tests.runtime.engine.test_fanout import code, spread
from tests.runtime.engine.test_going_on import DRAFT, FIRST, REPLY

Deploy = Callable[..., Desk]


def begin(desk: Desk, run: Run, address: str, edits: Mapping[str, Any] | None = None) -> Run:
    version = desk.deployment.version
    document = check(version and version.document).flow  # pyright: ignore[reportArgumentType]
    assert document is not None and version is not None
    started = anew.begin(
        run, anew.before(run, address), edits or {}, document, version=version.id, deployment=desk.deployment,
        by=VISITOR, title="Again",
    )  # fmt: skip
    desk.engine.submit(started.run)
    return desk.settle(started.run)


def steps(run: Run) -> list[str]:
    return [entry.event.address for entry in since(run.conversation_id, 0) if isinstance(entry.event, StepFinished)]


def test_a_run_begins_at_a_step_with_other_values_and_nothing_before_it_is_done_again(
    deploy: Deploy, demo: Scripted
) -> None:
    demo.add(
        {"when": {"contains": "First"}, "answer": "So far."}, {"when": {"contains": "Then: So far"}, "answer": "Here."},
        {"when": {"contains": "Then: Else"}, "answer": "There."},
    )  # fmt: skip
    desk = deploy(flow([FIRST, REPLY], state=DRAFT))
    first = desk.say(question="q")
    same = begin(desk, first, "reply#1")
    assert (same.status, same.outputs, steps(same)) == ("done", {"answer": "Here."}, ["reply#1"]), same.error
    other = begin(desk, first, "reply#1", {"draft": "Else"})
    assert (other.outputs, steps(other)) == ({"answer": "There."}, ["reply#1"])
    assert other.conversation_id != first.conversation_id
    assert ModelCall.objects.filter(address="first#1").count() == 1
    assert anew.before(first, "first#1").state["draft"] == ""
    assert Run.objects.get(id=first.id).outputs == {"answer": "Here."}
    # It is a run like any other: it can be taken up again itself.
    assert begin(desk, other, "reply#1", {"draft": "So far."}).outputs == {"answer": "Here."}


def test_a_loop_begins_at_the_visit_that_was_chosen(deploy: Deploy) -> None:
    node = {"id": "count", "handler": "count", "description": "Adds one to 'n', and says it in 'answer'."}
    edges = [{"from": "count", "type": "conditional", "router": "pick", "routes": {"again": "count", "end": "END"},
              "when": {"again": "'n' is below 3", "end": "otherwise"},
              "limits": {"again": {"max": 5, "then": "end"}}}]  # fmt: skip
    units = {
        "handler:count": "async def count(state, *, services, settings, env):\n"
        "    return {'n': state['n'] + 1, 'answer': str(state['n'] + 1)}\n",
        "router:pick": "async def pick(state, *, services, settings, env):\n"
        "    return 'again' if state['n'] < 3 else 'end'\n",
    }
    n = {"n": {"type": "number", "default": 0, "description": "How many."}}
    desk = deploy(flow([node], edges, state=n), units)
    first = desk.say(question="q")
    assert [anew.before(first, f"count#{visit}").state["n"] for visit in (1, 2, 3)] == [0, 1, 2]
    assert steps(begin(desk, first, "count#3")) == ["count#3"]
    assert steps(begin(desk, first, "count#3", {"n": 0})) == ["count#3", "count#4", "count#5"]


def test_what_asks_before_it_writes_asks_again(deploy: Deploy, demo: Scripted) -> None:
    desk = deploy(desk_flow(demo.office_url, approval=APPROVAL), UNITS)
    first = desk.say(customer="MERID", quantity=2, note="")
    first = desk.answer(first, "approve")
    assert first.status == "done", first.error
    again = begin(desk, first, "place#1", {"quantity": 3})
    assert (again.status, len(demo.writes()["writes"])) == ("waiting", 1)
    done = desk.answer(again, "approve")
    assert (done.status, len(demo.writes()["writes"])) == ("done", 2), done.error
    assert [call.request["json"]["lines"][0]["quantity"] for call in ToolCall.objects.order_by("id")] == [2, 3]


def test_what_cannot_begin_anywhere_is_refused_in_words(deploy: Deploy, demo: Scripted) -> None:
    desk = deploy(spread(), code([1, 2]))
    run = desk.say(question="q")
    assert begin(desk, run, "spread#1", {"items": [7]}).outputs == {"answer": "14"}
    wrongly = ("each[0]", "a#1/b#1", "gather#²", f"gather#{'9' * 5000}", "gather")
    for address, wrong in (*((each, "STEP_INSIDE") for each in wrongly), ("gather#2", "STEP_NOT_KEPT")):
        with pytest.raises(NotAnew) as refused:
            anew.before(run, address)
        assert refused.value.code == wrong
    with pytest.raises(NotFitting) as unfit:
        begin(desk, run, "spread#1", {"items": "none", "nothing": 1})
    assert set(unfit.value.problems) == {"items", "nothing"}
