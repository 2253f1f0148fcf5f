"""A flow that is tried again orders its calls otherwise: each write of an earlier try is found by what it is, once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from runtime.demo.testing import Scripted
from runtime.engine.lease import Fenced, held
from runtime.engine.ledger import Holder
from runtime.engine.resources import Resources
from runtime.models import ToolCall
from tests.runtime.engine.conftest import At, Desk, flow, until
from tests.runtime.engine.orders import PLACE
from tests.runtime.engine.test_calls_inside import settings
from tests.runtime.engine.test_fanout import GIVE, LISTS, TOOLS
from tests.runtime.engine.test_inner_flows import FIND, lookup, tree
from tests.runtime.engine.test_work import PING

Deploy = Callable[..., Desk]
A, B, C = ({"customerId": "MERID", "quantity": 1}, {"customerId": "BRIAR", "quantity": 2},
           {"customerId": "HOLLO", "quantity": 3})  # fmt: skip
PINGED: dict[str, Any] = {"word": "x"}
CHECK = """async def check(state, *, services, settings, env):
    found = await services.http.get(settings.url + "/products")
    if found.status >= 400:
        raise ValueError("The office does not answer")
    return {}
"""


def called(args: dict[str, Any]) -> dict[str, Any]:
    return {"name": "ping" if "word" in args else "place", "arguments": args}


def tried_twice(deploy: Deploy, demo: Scripted, nodes: list[Any], units: dict[str, str], **keys: Any) -> Desk:
    """A flow that fails the first time, behind these steps, and is tried once more."""
    demo.faults({"on": "read", "do": "fail", "times": 1})
    tools = [*TOOLS, {"name": "ping", "description": "Says a word. RETURNS it."}]
    check = {"id": "check", "handler": "check", "description": "Looks whether the office answers."}
    inner = lookup([*nodes, check], tools=tools, requires=settings(demo.office_url), **keys)
    node = {**FIND, "retry": {"maxAttempts": 2}}
    units = {"tool:place": PLACE, "tool:ping": PING, "handler:check": CHECK, **units}
    return tree(deploy(flow([node]), idempotent_hosts=[demo.host]), {"lookup.json": (inner, units)})


def working(deploy: Deploy, demo: Scripted, first: list[Any], second: list[Any]) -> Desk:
    """Its model wants these calls in the first try, each in a turn, and those in the second."""
    demo.office(idempotent=True)
    said = [[*({"calls": [called(args) for args in turn]} for turn in turns), {"say": "Ordered."}]
            for turns in (first, second)]  # fmt: skip
    when = {"tools": True, "contains": "for me"}
    demo.add({"when": when, "turns": said[0], "times": len(said[0])}, {"when": when, "turns": said[1]})
    work = {"id": "desk", "type": "work", "prompt": "Order for me: {{asked}}", "tools": ["place", "ping"],
            "output": "found"}  # fmt: skip
    return tried_twice(deploy, demo, [work], {})


def placed(demo: Scripted) -> Counter[str]:
    return Counter(write["body"]["customerId"] for write in demo.writes()["writes"] if write["outcome"] == "placed")


ORDERS = [
    ([[A], [B]], [[B], [A]], [A, B]),
    ([[A], [B]], [[PINGED], [A, B]], [A, B]),
    ([[A, B]], [[B, C], [A]], [A, B, C]),
    ([[A], [A]], [[PINGED, PINGED], [A, A, A]], [A, A, A]),
    ([[A], [A]], [[A]], [A, A]),
]


@pytest.mark.parametrize(("first", "second", "orders"), ORDERS)
def test_a_model_that_orders_otherwise_in_the_next_try_makes_no_write_again(
    deploy: Deploy, demo: Scripted, first: list[Any], second: list[Any], orders: list[Any]
) -> None:
    # reliability 4.1, LG-errors-01: a write is found by what it is, and by one call of a try alone
    run = working(deploy, demo, first, second).say(question="Go")
    assert (run.status, run.outputs) == ("done", {"answer": "Ordered."}), run.error
    assert placed(demo) == Counter(order["customerId"] for order in orders)
    assert len(demo.writes()["writes"]) == len(orders), "Something was sent again"


@pytest.mark.parametrize("point", ["tool.started", "tool.sent", "tool.done", "checkpoint.before", "model.answered"])
def test_what_a_call_took_over_stays_its_own_after_its_worker_is_gone(
    deploy: Deploy, demo: Scripted, at: At, point: str
) -> None:
    seen: Counter[str] = Counter()

    def cut() -> None:
        # In the second try, after two calls took what the first one had made.
        (lease,) = held()
        taken = [row for row in lease.ledger.tools.values() if row.held_by.startswith("2 ") and "/c" in row.key]
        if len(taken) < 2:
            return
        seen[point] += 1
        if seen[point] == 1:
            lease.lost = True
            raise Fenced

    desk = working(deploy, demo, [[A], [A]], [[PINGED, PINGED], [A, A, A]])
    at(point, cut, 99)
    id = desk.send(question="Go")
    run = desk.take_over(id)
    assert seen[point], "No worker was gone"
    assert (run.status, run.outputs) == ("done", {"answer": "Ordered."}), run.error
    assert placed(demo) == Counter({"MERID": 3})
    holders = sorted(ToolCall.objects.filter(run=run, effect="idempotent").values_list("held_by", flat=True))
    assert holders == [f"2 find#1/desk#1/c{n}.place/" for n in (3, 4, 5)], "Two calls hold the same write"


def test_a_batch_in_another_order_makes_no_write_again(deploy: Deploy, demo: Scripted) -> None:
    # LG-tools-06, LG-errors-01
    queues = [json.dumps([{"name": "place", "args": args} for args in calls]) for calls in ([A, B], [B, A])]
    when = {"contains": "Queue"}
    demo.add({"when": when, "answer": queues[0], "times": 1}, {"when": when, "answer": queues[1]})
    look = "async def look(state, *, services, settings, env):\n    return {'found': ' '.join(%s)}\n"
    look %= "one['result']['customerId'] for one in state['results'][-2:]"
    nodes = [{"id": "queue", "type": "llm", "prompt": "Queue {{asked}}", "output": "calls"},
             {"id": "batch", "type": "tools", "calls": "calls", "output": "results"},
             {"id": "look", "handler": "look", "description": "Says whose orders were placed."}]  # fmt: skip
    state = {"calls": {"type": "list", "description": "Calls."}, "results": {"type": "list", "description": "Results."}}
    desk = tried_twice(deploy, demo, nodes, {"handler:look": look}, state=state)
    run = desk.say(question="Go")
    assert (run.status, run.outputs) == ("done", {"answer": "BRIAR MERID"}), run.error
    assert placed(demo) == Counter({"MERID": 1, "BRIAR": 1}) and len(demo.writes()["writes"]) == 2


def test_copies_for_items_in_another_order_make_no_write_again(deploy: Deploy, demo: Scripted) -> None:
    # LG-fanout-09, LG-errors-01
    give = GIVE % "await order(services, settings)" + (
        "\nasync def order(services, settings):\n"
        "    made = (await services.http.get(settings.url + '/orders')).json()['orders']\n"
        "    return ['BRIAR', 'MERID', 'HOLLO'] if made else ['MERID', 'BRIAR']\n"
    )
    nodes = [
        {"id": "give", "handler": "give", "description": "Says for whom."},
        {"id": "spread", "type": "fanout", "over": "items", "as": "item", "to": "each"},
        {"id": "each", "type": "tool", "tool": "place", "args": {"customerId": "{{item}}", "quantity": 1},
         "output": "lines"},
        {"id": "check", "handler": "fails", "description": "Fails the first time."},
    ]  # fmt: skip
    fails = "async def fails(state, *, services, settings, env):\n    return {'found': str(state['items'][2])}\n"
    edges = [{"from": a, "to": b} for a, b in (("give", "spread"), ("each", "check"), ("check", "END"))]
    inner = lookup(nodes, edges=edges, tools=TOOLS, requires=settings(demo.office_url), state=LISTS)
    units = {"handler:give": give, "tool:place": PLACE, "handler:fails": fails}
    node = {**FIND, "retry": {"maxAttempts": 2}}
    desk = tree(deploy(flow([node])), {"lookup.json": (inner, units)})
    run = desk.say(question="Go")
    assert (run.status, run.outputs) == ("done", {"answer": "HOLLO"}), run.error
    assert placed(demo) == Counter({"MERID": 1, "BRIAR": 1, "HOLLO": 1})


def test_only_an_earlier_try_of_a_step_around_both_is_followed() -> None:
    def follows(mine: str, other: str) -> bool:
        return Holder.read(mine).follows(Holder.read(other))

    assert follows("2 find#1/desk#1/c1.place/", "1 find#1/desk#1/c4.place/")
    assert follows("2.1 find#1/deep#1/x#1/place/", "1 find#1/y#1/place/")
    assert follows("2.1 go#1/papers/x#1/place/", "1.1 go#1/sql/x#1/place/")
    assert not follows("2 find#1/desk#1/c1.place/", "2 find#1/desk#1/c4.place/")
    assert not follows("1 find#1/desk#1/c1.place/", "2 find#1/desk#1/c4.place/")
    assert not follows("2 find#1/desk#1/c1.place/", "1 other#1/desk#1/c1.place/")
    assert not follows("2 find#1/x#1/place/", "2.1 find#1/deep#1/x#1/place/")
    assert not follows(" x#1/place/", "") and not follows("2 find#1/x#1/place/", "")


def test_who_takes_a_run_over_reads_large_columns_only_where_they_are_needed(
    deploy: Deploy, demo: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []
    close = Resources.close

    async def closed(self: Resources) -> None:
        ledger = self._lease.ledger
        left.append(sum(bool(row.get_deferred_fields()) for row in (*ledger.models.values(), *ledger.tools.values())))
        await close(self)

    monkeypatch.setattr(Resources, "close", closed)
    nodes = [{"id": f"say{n}", "type": "llm", "prompt": "Say it", "output": "answer"} for n in range(3)]
    desk = deploy(flow([*nodes, {"id": "which", "type": "ask", "ask": "Which?", "output": "answer"}]))
    run = desk.answer(desk.say(question="Go"), "answer", text="This")
    assert run.outputs == {"answer": "This"}, run.error
    until(lambda: len(left) == 2)
    assert left == [0, 3]
