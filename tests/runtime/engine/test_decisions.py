"""What an approval leaves behind, and what it takes along to whoever decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flows.words.when import compile_router
from runtime import cards
from runtime.demo.testing import Scripted
from runtime.models import ModelCall
from tests.runtime.engine.conftest import Desk
from tests.runtime.engine.orders import APPROVAL, UNITS, desk_flow


def units(document: dict[str, Any]) -> dict[str, str]:
    """The code of the flow's tool and of its routers, whose sentences are regular."""
    found = dict(UNITS)
    for edge in document["edges"]:
        if "router" in edge:
            found[f"router:{edge['router']}"] = str(compile_router(edge["router"], edge["routes"], edge["when"]))
    return found


def test_a_message_without_an_approval_knows_of_none(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-approval-12
    demo.add({"when": {"contains": "Decision"}, "answer": "Noted."})
    document = desk_flow(demo.office_url, approval={**APPROVAL, "onReject": "reply"})
    document["nodes"].append({"id": "reply", "type": "llm", "prompt": "Decision: {{__approval}}.", "output": "said"})
    document["nodes"].insert(0, {"id": "note", "type": "llm", "prompt": "Decision so far: {{note}}", "output": "said"})
    document["edges"] += [
        {"from": "note", "type": "conditional", "router": "routeNote", "routes": {"order": "place", "talk": "reply"},
         "when": {"order": "'quantity' is more than 0", "talk": "anything else"}},
        {"from": "reply", "to": "END"},
    ]  # fmt: skip
    document |= {"start": "note", "outputs": ["said"], "conversation": True}
    desk = deploy(document, units(document))
    first = desk.say(customer="MERID", quantity=2, note="x")
    assert first.status == "waiting", first.error
    first = desk.answer(first, "decline", reason="Too many")
    second = desk.say(customer="MERID", quantity=0, note="y")
    prompts = {run: ModelCall.objects.filter(run=run).latest("at").messages[0]["content"] for run in (first, second)}
    assert '"approved": false' in prompts[first]
    assert prompts[second] == "Decision: ."


def test_each_pass_carries_its_own_account(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # LG-approval-21, LG-approval-25, LG-approval-28
    document = desk_flow(demo.office_url, approval={**APPROVAL, "why": "said"})
    document["nodes"].append({"id": "explain", "type": "ask", "ask": "Why?", "output": "said"})
    document["edges"] = [
        {"from": "explain", "to": "place"},
        {"from": "place", "type": "conditional", "router": "routeAgain", "routes": {"again": "explain", "done": "END"},
         "when": {"again": "'quantity' is more than 0", "done": "anything else"},
         "limits": {"again": {"max": 1, "then": "done"}}},
    ]  # fmt: skip
    desk = deploy({**document, "start": "explain"}, units(document))
    run = desk.say(customer="MERID", quantity=2, note="")
    assert run.status == "waiting", run.error
    carried = []
    for case in ("The shelf is empty.", "And so is the cellar."):
        run = desk.answer(run, "answer", text=case)
        question = desk.question(run)
        carried.append((question.kind, cards.read(question.payload)["why"]["lines"]))
        run = desk.answer(run, "approve")
    assert run.status == "done", run.error
    assert carried == [("approval", ["The shelf is empty."]), ("approval", ["And so is the cellar."])]
