"""Once a copy has ended its flow, the others do nothing more and nobody is asked for them, whoever has the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime import questions
from runtime.demo.testing import Scripted
from runtime.models import Question
from tests.runtime.engine.conftest import VISITOR, Desk, flow
from tests.runtime.engine.orders import PLACE
from tests.runtime.engine.test_calls_inside import settings
from tests.runtime.engine.test_fanout import LISTS, TOOLS, code, spread
from tests.runtime.engine.test_inner_flows import FIND, lookup, tree

Deploy = Callable[..., Desk]
UNITS = {"tool:place": PLACE.replace("    reply =", "    1 // args['quantity']\n    reply =", 1)}
PLACES = {"type": "tool", "tool": "place", "args": {"customerId": "MERID", "quantity": "{{item}}"}, "output": "lines",
          "approval": {"ask": "Place {{item}}?", "show": ["item"]}}  # fmt: skip


def approving(deploy: Deploy, demo: Scripted) -> Desk:
    """Three copies, each of which places an order once somebody agreed; the first one's cannot be made."""
    return deploy(spread(PLACES, tools=TOOLS, requires=settings(demo.office_url)), code([0, 1, 2], **UNITS))


def approve(run: Any, index: int) -> None:
    question = Question.objects.get(run=run, state="pending", address__contains=f"[{index}]")
    questions.answer(question.id, by=VISITOR, role=None, digest=question.digest, decision="approve")


def ended(run: Any, demo: Scripted) -> None:
    assert (run.status, run.error["address"]) == ("failed", "each[0]"), run.error
    assert demo.writes()["writes"] == [], "A copy was still at work"
    assert not Question.objects.filter(run=run, state="pending").exists()


def test_a_copy_that_fails_asks_nobody_any_more_on_behalf_of_the_others(deploy: Deploy, demo: Scripted) -> None:
    # LG-errors-07, LG-fanout-02
    desk = approving(deploy, demo)
    run = desk.say(question="Go")
    approve(run, 0)
    desk.engine.submit(run.id)
    ended(desk.settle(desk.left(run.id, 2).id), demo)


def test_a_copy_that_is_answered_after_its_worker_is_gone_makes_no_call(
    deploy: Deploy, demo: Scripted, power_cut: Callable[..., None]
) -> None:
    # LG-errors-07
    desk = approving(deploy, demo)
    run = desk.say(question="Go")
    approve(run, 0)
    power_cut("copies.after")
    desk.engine.submit(run.id)
    desk.left(run.id, claims=2)
    approve(run, 1)
    ended(desk.take_over(run.id), demo)


def test_copies_of_a_flow_inside_that_still_ask_do_not_hold_it_up(deploy: Deploy, demo: Scripted) -> None:
    # LG-errors-02, LG-subflows-07
    inner = lookup(
        [{"id": "give", "handler": "give", "description": "Says what there is."},
         {"id": "spread", "type": "fanout", "over": "items", "as": "item", "to": "each"},
         {"id": "each", **PLACES}],
        edges=[{"from": "give", "to": "spread"}, {"from": "each", "to": "END"}],
        tools=TOOLS, requires=settings(demo.office_url), state=LISTS,
    )  # fmt: skip
    sorry = "async def sorry(state, *, services, settings, env):\n    return {'answer': 'Sorry.'}\n"
    nodes = [{**FIND, "onError": "sorry"}, {"id": "sorry", "handler": "sorry", "description": "Says so."}]
    edges = [{"from": "find", "to": "END"}, {"from": "sorry", "to": "END"}]
    desk = tree(
        deploy(flow(nodes, edges), {"handler:sorry": sorry}), {"lookup.json": (inner, code([0, 1, 2], **UNITS))}
    )
    run = desk.say(question="Go")
    approve(run, 0)
    desk.engine.submit(run.id)
    run = desk.settle(desk.left(run.id, 2).id)
    assert (run.status, run.outputs) == ("done", {"answer": "Sorry."}), run.error
    assert demo.writes()["writes"] == [] and not Question.objects.filter(run=run, state="pending").exists()


def test_the_steps_of_all_copies_count_before_they_meet(deploy: Deploy) -> None:
    # The cap is the run's: each copy alone stays below it, and three together do not.
    look = "async def look(state, *, services, settings, env):\n    return {'found': 'x'}\n"
    inner = lookup([{"id": f"look{n}", "handler": "look", "description": "Looks."} for n in range(4)])
    each = {**{key: value for key, value in FIND.items() if key != "id"}, "input": {"asked": "{{item}}"},
            "output": {"found": "lines"}, "onError": "SKIP"}  # fmt: skip
    desk = tree(
        deploy(spread(each), code(["a", "b", "c"]), limits={"steps": 8}),
        {"lookup.json": (inner, {"handler:look": look})},
    )
    run = desk.say(question="Go")
    assert (run.status, run.error and run.error["code"]) == ("failed", "TOO_MANY_STEPS")
    assert desk.types(run).count("step_finished") < 12
