"""Each example tried without a key: every suggestion and the obvious next messages, on a real engine and over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from runtime import cards
from runtime.demo.testing import Scripted
from runtime.models import Run
from tests.examples.conftest import NAMES, document
from tests.runtime.engine.conftest import Desk

Make = Callable[[str], Desk]


def body(desk: Desk, run: Run) -> dict[str, Any]:
    return json.loads(bytes(desk.question(run).payload))


def answer(run: Run) -> str:
    assert run.status == "done", (run.status, run.error)
    assert run.outputs is not None
    return run.outputs["answer"]


@pytest.mark.parametrize("name", NAMES)
def test_every_suggestion_is_scripted(desk: Make, demo: Scripted, name: str) -> None:
    flow = document(name)
    for suggestion in flow.suggestions:
        run = desk(name).say(**{flow.inputs[0]: suggestion})
        assert run.status in ("done", "waiting"), (suggestion, run.error)
    assert [request["messages"] for request in demo.requests() if not request["scripted"]] == []


def test_the_request_desk_sorts_and_asks(desk: Make, demo: Scripted) -> None:
    live = desk("request-desk")
    assert "card hold" in answer(live.say(question="I was charged twice this month"))
    assert "8.2" in answer(live.say(question="The app closes when I open a large attachment"))
    assert "Monday to Friday" in answer(live.say(question="When can I reach you by phone?"))
    run = live.say(question="It still does not look right")
    assert run.status == "waiting"
    assert "Settings → Billing → Invoices" in answer(live.answer(run, "answer", text="my last invoice"))
    run = live.say(question="Hm")
    run = live.answer(run, "answer", text="whatever you think")
    assert "do not have an answer" in answer(run)
    assert demo.counters()["outcomes"].get("unscripted", 0) == 0


def test_the_order_desk_looks_up(desk: Make) -> None:
    live = desk("order-desk")
    said = answer(live.say(question="Where is Meridian Foods based, and what have they ordered?"))
    assert "Rotterdam" in said
    assert "| 10410 | 2026-11-19 | 24 × Heather honey, 36 × Breakfast tea | 448.80 EUR | on its way |" in said
    assert "10410" in answer(live.say(question="And which orders have they placed?"))
    assert "Atlantis Trading" in answer(live.say(question="Look up Atlantis Trading"))
    assert "three working days" in answer(live.say(question="How fast do you deliver?"))
    run = live.say(question="What has Nord ordered lately?")
    assert "| NORDH | Nordhavn Deli | Copenhagen |" in json.dumps(body(live, run), ensure_ascii=False)
    assert "Hamburg" in answer(live.answer(run, "answer", text="nordl"))
    assert "not ordered anything yet" in answer(live.say(question="Show me Tidemark Canteens"))


def test_an_order_is_approved_and_placed_once(desk: Make, demo: Scripted) -> None:
    # LG-approval-03, LG-approval-05, LG-approval-21
    live = desk("order-desk")
    run = live.say(question="Order 12 jars of heather honey for Meridian Foods")
    card = json.dumps(body(live, run), ensure_ascii=False)
    assert "112.80 EUR" in card and "Meridian Foods (MERID)" in card
    assert "Meridian Foods has been a customer since 2019-03-11" in card
    assert demo.writes()["placed"] == 0
    run = live.answer(run, "approve")
    said = answer(run)
    kept = demo.writes()
    assert kept["placed"] == 1
    order = kept["writes"][0]["order"]
    assert f"Order **{order}** is placed: 12 × Heather honey" in said and "112.80 EUR" in said
    assert str(order) in answer(live.say(question="Which orders do they have now?"))


def test_a_declined_order_writes_nothing_and_says_so(desk: Make, demo: Scripted) -> None:
    # LG-approval-10, LG-approval-11
    live = desk("order-desk")
    run = live.say(question="Order 20 boxes of tea for Quayside Catering")
    said = answer(live.answer(run, "decline", reason="Over their limit"))
    assert "20 × Breakfast tea was **declined**" in said
    assert "Over their limit" in said
    assert demo.writes()["writes"] == []


def test_missing_fields_come_in_a_form(desk: Make, demo: Scripted) -> None:
    # LG-forms-21, LG-forms-11
    live = desk("order-desk")
    run = live.say(question="Place an order for Nordhavn Deli")
    form = body(live, run)
    assert "Complete the order for Nordhavn Deli" in json.dumps(form)
    address = "Nordhavn Deli, Sandkaj 31, 2150 Copenhagen, Denmark"
    values = {"product": "Rye crispbread", "quantity": 40, "shipTo": address}
    run = live.answer(run, "answer", values=values)
    assert cards.read(live.question(run).payload)
    assert "124.00 EUR" in json.dumps(body(live, run))
    said = answer(live.answer(run, "approve"))
    assert "40 × Rye crispbread" in said and address in said
    assert demo.writes()["placed"] == 1


def test_a_closed_form_orders_nothing(desk: Make, demo: Scripted) -> None:
    # LG-forms-12
    live = desk("order-desk")
    run = live.say(question="Place an order for Nordhavn Deli")
    assert "nothing was ordered" in answer(live.answer(run, "close"))
    assert demo.writes()["writes"] == []


def test_an_office_that_is_down_is_said(desk: Make, demo: Scripted) -> None:
    live = desk("order-desk")
    demo.faults({"on": "read", "status": 503, "times": 2})
    assert "Rotterdam" in answer(live.say(question="Where is Meridian Foods based?"))
    demo.faults({"on": "read", "status": 503})
    assert "could not reach the back office" in answer(live.say(question="Where is Meridian Foods based?"))


def test_an_order_whose_outcome_is_unknown_is_settled_by_a_person(desk: Make, demo: Scripted) -> None:
    live = desk("order-desk")
    demo.faults({"at": "after", "do": "drop", "times": 1})
    run = live.answer(live.say(question="Order 5 jars of honey for Castellan Hotels"), "approve")
    assert live.question(run).kind == "outcome"
    run = live.answer(run, "happened", text="It is order 10413.")
    assert "stands" in answer(run) and "10413" in answer(run)
    assert demo.writes()["placed"] == 1


def test_the_quiz_asks_and_counts(desk: Make) -> None:
    live = desk("word-quiz")
    run = live.say(message="Three easy words, please")
    for said in ("a lighthouse", "hint", "raincoat", "umbrella", "butcher", "florist"):
        assert run.status == "waiting", run.error
        run = live.answer(run, "answer", text=said)
    said = answer(run)
    assert "2 of 3 right" in said
    assert "| umbrella | umbrella | Yes |" in said and "| bakery | florist | No |" in said
    assert "**2 of 3 right**" in answer(live.say(message="How well have I done so far?"))
    run = live.say(message="One more easy word")
    assert "Its needle points north" in json.dumps(body(live, run))
    assert "1 of 1 right" in answer(live.answer(run, "answer", text="compass"))


def test_the_quiz_stops_when_asked(desk: Make) -> None:
    live = desk("word-quiz")
    run = live.say(message="Start the quiz")
    run = live.answer(run, "answer", text="skip")
    assert "0 of 1 right" in answer(live.answer(run, "answer", text="stop"))
