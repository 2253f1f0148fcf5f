"""Batches, models that ask and models that work, inside copies of a fan-out and inside flows that another runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from runtime import cards
from runtime.demo.testing import Scripted
from runtime.engine import approvals
from runtime.models import ModelCall, Question, ToolCall
from tests.runtime.engine.conftest import Desk, flow
from tests.runtime.engine.orders import PLACE
from tests.runtime.engine.test_asking import ASK, TYPED
from tests.runtime.engine.test_fanout import TOOLS, code, spread
from tests.runtime.engine.test_inner_flows import AGENT, FIND, lookup, tree
from tests.runtime.engine.test_work import ORDER, turns

Deploy = Callable[..., Desk]


def settings(office: str) -> dict[str, Any]:
    return {"settings": {"url": {"default": office, "description": "The office."}}}


def answer_all(desk: Desk, run: Any, decision: str, values: Callable[[Question], Any] = lambda _: None) -> Any:
    """Decide everything that waits, one after another; the run, once it has ended."""
    for question in Question.objects.filter(run=run, state="pending").order_by("created_at"):
        from runtime import questions
        from tests.runtime.engine.conftest import VISITOR

        given = values(question)
        questions.answer(question.id, by=VISITOR, role=None, digest=question.digest, decision=decision, values=given)  # type: ignore[arg-type]
    desk.engine.submit(run.id)
    return desk.settle(run.id)


def test_each_copy_works_with_tools_of_its_own(deploy: Deploy, demo: Scripted) -> None:
    # LG-fanout-09, LG-work-01, LG-work-14
    each = {"type": "work", "prompt": "Order for {{item}}", "tools": ["place"], "approve": ["place"], "output": "lines"}
    document = spread(each, tools=TOOLS, requires=settings(demo.office_url))
    document["state"]["lines"]["type"] = "list"
    customers = ["MERID", "BRIAR", "NORDH"]
    for customer in customers:
        turns(demo, [("place", {"customerId": customer, "quantity": 1})], f'["{customer} done"]',
              contains=f"for {customer}")  # fmt: skip
    desk = deploy(document, code(customers, **{"tool:place": PLACE}))
    run = desk.say(question="go")
    asked = Question.objects.filter(run=run, state="pending")
    assert sorted(cards.read(one.payload)["does"]["args"]["customerId"] for one in asked) == sorted(customers)
    assert demo.writes()["writes"] == []
    run = answer_all(desk, run, "approve")
    assert (run.status, run.outputs) == ("done", {"answer": "MERID done, BRIAR done, NORDH done"}), run.error
    assert demo.writes()["placed"] == 3
    assert sorted(ToolCall.objects.filter(run=run).values_list("key", flat=True)) == [
        f"each[{n}]/c1.place/w1" for n in range(3)
    ]


def test_each_copy_may_ask(deploy: Deploy, demo: Scripted) -> None:
    # LG-llm-23, LG-llm-41
    each = {"type": "llm", "asks": True, "prompt": "Do {{item}}.", "output": "lines"}
    demo.add({"when": {"contains": TYPED}, "answer": '{"ok": true}'}, {"when": {"contains": "Do "}, "answer": ASK})
    desk = deploy(spread(each), code(["a", "b"]))
    run = desk.say(question="go")
    run = answer_all(desk, run, "answer", lambda _: {"city": "Rome"})
    assert (run.status, run.outputs) == ("done", {"answer": "{'ok': True}, {'ok': True}"}), run.error
    assert ModelCall.objects.filter(run=run).count() == 4


def test_a_batch_inside_a_flow_asks_its_forms_there(deploy: Deploy, demo: Scripted) -> None:
    # LG-tools-11, LG-forms-19
    calls = [{"name": "place", "args": {"quantity": 2}}, {"name": "place", "args": ORDER}]
    nodes = [{"id": "batch", "type": "tools", "calls": "calls", "output": "results"},
             {"id": "look", "handler": "look", "description": "Counts."}]  # fmt: skip
    inner = lookup(
        nodes, tools=TOOLS, requires=settings(demo.office_url),
        state={"calls": {"type": "list", "description": "Calls.", "default": calls},
               "results": {"type": "list", "description": "Results."}},
    )  # fmt: skip
    look = "async def look(state, *, services, settings, env):\n    return {'found': str(len(state['results']))}\n"
    desk = tree(deploy(flow([FIND])), {"lookup.json": (inner, {"tool:place": PLACE, "handler:look": look})})
    run = desk.say(question="Go")
    assert desk.question(run).address == "find#1/batch#1"
    run = desk.answer(run, "answer", values={"customerId": "MERID", "quantity": 2})
    assert (run.status, run.outputs) == ("done", {"answer": "2"}), run.error
    assert demo.writes()["placed"] == 2


@pytest.mark.parametrize("point", ["model.answered", "tool.answered", "tool.done", "checkpoint.before"])
def test_a_work_node_inside_a_flow_repeats_no_call(
    deploy: Deploy, demo: Scripted, power_cut: Callable[..., None], point: str
) -> None:
    demo.office(idempotent=True)
    turns(demo, [("place", ORDER)], [("place", {"customerId": "BRIAR", "quantity": 1})], "Ordered.", contains="for me")
    work = {"id": "work", "type": "work", "prompt": "Order for me: {{asked}}", "tools": ["place"], "output": "found"}
    inner = lookup([work], tools=TOOLS, requires=settings(demo.office_url))
    desk = tree(deploy(flow([FIND]), idempotent_hosts=[demo.host]), {"lookup.json": (inner, {"tool:place": PLACE})})
    power_cut(point, 2)
    run_id = desk.send(question="Go")
    desk.left(run_id)
    desk.claim_again(run_id)
    desk.left(run_id, claims=2)
    run = desk.take_over(run_id)
    assert (run.status, run.outputs) == ("done", {"answer": "Ordered."}), run.error
    assert demo.writes()["placed"] == 2
    assert json.dumps(sorted(ToolCall.objects.filter(run=run).values_list("key", flat=True))) == json.dumps(
        ["find#1/work#1/c1.place/w1", "find#1/work#1/c2.place/w1"]
    )


@pytest.mark.parametrize("agent", [False, True])
def test_words_for_a_closed_form_end_the_whole_turn_wherever_it_was_asked(
    deploy: Deploy, demo: Scripted, agent: bool
) -> None:
    # LG-llm-28: no further node, no further model call, and the words in what the flow shows
    demo.add({"when": {"contains": "Do Go"}, "answer": ASK})
    ask = {"id": "ask", "type": "llm", "asks": True, "onCancel": "Nothing.", "prompt": "Do {{asked}}.",
           "output": "found"}  # fmt: skip
    deeper = {**FIND, "id": "deeper", "flow": "./deep.json", "input": {"asked": "{{asked}}"},
              "output": {"found": "notes"}}  # fmt: skip
    after = {"id": "after", "type": "llm", "prompt": "And then?", "output": "found"}
    notes = {"notes": {"type": "object", "description": "Notes."}}
    inner = {"lookup.json": (lookup([deeper, after], state=notes), {}), "deep.json": (lookup([ask]), {})}
    first: dict[str, Any] = {**FIND, "output": {"found": "found"}}
    if agent:
        first = {**AGENT, "agent": "sql", "input": {"asked": "{{question}}"}, "output": "found"}
    found = {"found": {"type": "any", "description": "What was found."}}
    top = flow([first, {"id": "say", "type": "llm", "prompt": "Say {{found}}", "output": "answer"}], state=found)
    desk = tree(deploy(top), inner, {"sql": "lookup.json"})
    run = desk.answer(desk.say(question="Go"), "close")
    assert (run.status, run.outputs) == ("done", {"answer": "Nothing."}), run.error
    assert ModelCall.objects.filter(run=run).count() == 1


def test_answering_one_of_many_open_questions_makes_no_other_card_again(
    deploy: Deploy, demo: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    due = approvals.due

    async def counted(*given: Any) -> Any:
        made.append(given[-1])
        return await due(*given)

    monkeypatch.setattr(approvals, "due", counted)
    each = {"type": "tool", "tool": "place", "args": {"customerId": "MERID", "quantity": "{{item}}"},
            "output": "lines", "approval": {"ask": "Place {{item}}?"}}  # fmt: skip
    document = spread(each, tools=TOOLS, requires=settings(demo.office_url))
    place = PLACE.replace("return reply.json()", "return args['quantity']")
    desk = deploy(document, code([1, 2, 3], **{"tool:place": place}))
    run = desk.say(question="Go")
    asked = Question.objects.filter(run=run, state="pending").order_by("address")
    assert sorted(made) == ["each[0]", "each[1]", "each[2]"]
    made.clear()
    run = desk.answer_one(run, asked[1], "", decision="approve")
    assert made == [] and demo.writes()["placed"] == 1
    for _ in range(2):
        run = desk.answer_one(run, asked[0], "", decision="approve")
    assert (run.status, run.outputs) == ("done", {"answer": "1, 2, 3"}), run.error
