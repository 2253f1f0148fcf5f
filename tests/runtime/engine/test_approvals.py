"""Approvals: what is done is what was shown, once, or it is not done at all."""

from __future__ import annotations

import contextvars
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from flows.kinds.base import Json
from runtime import cards, questions
from runtime.demo.testing import Scripted
from runtime.engine.worker import Worker
from runtime.models import Deployment, ModelCall, Question, Run, Secret, ToolCall
from runtime.questions import Answered, Conflict
from runtime.services.secrets import encrypt
from tests.runtime.engine.conftest import PATIENCE, VISITOR, Desk, aside, until
from tests.runtime.engine.orders import APPROVAL, UNITS, desk_flow

ECHO = """import json

async def place(args, *, services, settings, env):
    reply = await services.http.post(settings.url + "/orders", json={
        "customerId": args["customerId"], "lines": [{"productId": 101, "quantity": args["quantity"]}],
        "shipTo": "Here", "deliverOn": None, "note": json.dumps(args),
    })
    return reply.json()
"""
PLAIN = {"customerId": "{{customer}}", "quantity": "{{quantity}}"}
NOTE = {"type": "string", "options": ["n-a", "n-b"]}


def asking(demo: Scripted, *, note: Json = None, args: Json = None, **approval: Json) -> Json:
    """The order flow with a card before it. note: the tool's declared field of that name. args: what the node sends."""
    document = desk_flow(demo.office_url, approval={**APPROVAL, **approval})
    if note:
        document["tools"][0]["inputs"]["note"] = note
    if args:
        document["nodes"][0]["args"] = args
    return document


def order(desk: Desk, customer: str = "MERID", note: str = "") -> Run:
    return desk.say(customer=customer, quantity=2, note=note)


@pytest.mark.parametrize(
    ("customer", "note", "args", "sent"),
    [
        ("MERID", {"type": "string", "default": "Ring twice"}, PLAIN,
         {"customerId": "MERID", "quantity": 2, "note": "Ring twice"}),
        ("  MERID ", None, PLAIN,
         {"customerId": "MERID", "quantity": 2}),
        ("MERID", None, {**PLAIN, "quantity": " 2 ", "note": "{{note}}"},
         {"customerId": "MERID", "quantity": 2, "note": ""}),
        ("MERID", None, {**PLAIN, "extra": ["{{customer}}", 1.5]},
         {"customerId": "MERID", "quantity": 2, "extra": ["MERID", 1.5]}),
    ],
    ids=["default", "trimmed", "number", "undeclared"],
)  # fmt: skip
def test_the_tool_gets_what_the_card_showed(
    deploy: Callable[..., Desk], demo: Scripted, customer: str, note: Json, args: Json, sent: Json
) -> None:
    # LG-approval-04; reliability 4.2: all that is shown is all that will be sent
    desk = deploy(asking(demo, note=note, args=args, edit=[]), {"tool:place": ECHO})
    run = order(desk, customer)
    assert cards.read(desk.question(run).payload)["does"]["args"] == sent
    run = desk.answer(run, "approve")
    assert run.status == "done", run.error
    (write,) = demo.writes()["writes"]
    assert json.loads(write["body"]["note"]) == sent


@pytest.mark.parametrize("deciders", ["starter", "reviewers"])
@pytest.mark.parametrize("needs", [{}, {"needs": "release"}], ids=["no policy", "a policy that nobody mapped"])
def test_who_decides_is_what_the_agent_says(
    deploy: Callable[..., Desk], demo: Scripted, deciders: str, needs: dict[str, Json]
) -> None:
    # LG-approval-19: without `needs` it goes by the agent; a free name that nothing stands behind changes nothing
    desk = deploy(asking(demo, **needs), UNITS, deciders=deciders, not_starter=deciders == "reviewers")
    question = desk.question(order(desk))
    assert (question.decider, question.not_starter) == (deciders, deciders == "reviewers")


def test_a_correction_that_the_tool_refuses_is_refused_at_once(
    deploy: Callable[..., Desk], demo: Scripted, member_client: Callable[..., Client]
) -> None:
    # LG-approval-05; reliability 4.2: edits are validated like a form
    args = {**PLAIN, "note": "n-{{note}}"}
    desk = deploy(asking(demo, note=NOTE, args=args), {"tool:place": ECHO}, deciders="reviewers")
    run = order(desk, note="a")
    question = desk.question(run)
    page = member_client("reviewer")

    def post(**values: Json) -> Any:
        said = {"digest": question.digest, "decision": "approve", "values": values, "key": "k"}
        return page.post(f"/api/questions/{question.id}/answer", json.dumps(said), content_type="application/json")

    refused = post(note="zzz")
    assert refused.status_code == 422, refused.content
    assert "nothing could be sent" in refused.json()["message"]
    assert Run.objects.get(id=run.id).status == "waiting"
    assert post(note="b").status_code == 200
    run = desk.settle(run.id)
    until(lambda: Run.objects.get(id=run.id).status in Run.ENDED)
    assert Run.objects.get(id=run.id).status == "done"
    assert ToolCall.objects.get(run=run).request["json"]["note"].endswith('"note": "n-b"}')


def _settings(desk: Desk, demo: Scripted) -> None:
    Deployment.objects.update(settings={"url": f"{demo.url}/elsewhere"})


def _hosts(desk: Desk, demo: Scripted) -> None:
    Deployment.objects.update(allowed_hosts=[demo.host, "127.0.0.1:9"])


def _repeats(desk: Desk, demo: Scripted) -> None:
    Deployment.objects.update(idempotent_hosts=[demo.host])


def _secret(desk: Desk, demo: Scripted) -> None:
    secret = Secret.objects.get()
    secret.cipher = encrypt(b"another")
    secret.save()


def _secret_hosts(desk: Desk, demo: Scripted) -> None:
    Secret.objects.update(hosts=["elsewhere.example"])


def _no_secret(desk: Desk, demo: Scripted) -> None:
    Secret.objects.all().delete()


@pytest.mark.parametrize("change", [_settings, _hosts, _repeats, _secret, _secret_hosts, _no_secret])
def test_what_changed_while_the_card_waited_was_not_approved(
    deploy: Callable[..., Desk], demo: Scripted, change: Callable[[Desk, Scripted], None]
) -> None:
    # reliability 4.2: recomputed just before `started`; differs: nothing is sent, event approval_mismatch
    document = desk_flow(demo.office_url, approval=APPROVAL, retry={"maxAttempts": 3})
    document["requires"]["env"] = ["API_KEY"]
    desk = deploy(document, UNITS)
    Secret.objects.create(deployment=desk.deployment, name="API_KEY", cipher=encrypt(b"one"), hosts=["127.0.0.1"])
    run = order(desk)
    question = desk.question(run)
    change(desk, demo)
    run = desk.answer(run, "approve")
    assert run.error["code"] == "APPROVAL_MISMATCH"
    assert "Nothing was sent" in run.error["message"]
    assert demo.writes()["writes"] == []
    mismatch = [event for event in desk.events(run.id) if event.type == "approval_mismatch"]
    assert [event.question for event in mismatch] == [str(question.id)]


def test_a_setting_of_the_environment_counts_too(
    deploy: Callable[..., Desk], demo: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    # LG-contract-11
    desk = deploy(desk_flow(demo.office_url, approval=APPROVAL), UNITS)
    run = order(desk)
    monkeypatch.setenv("SETTING_URL", f"{demo.url}/elsewhere")
    run = desk.answer(run, "approve")
    assert run.error["code"] == "APPROVAL_MISMATCH"
    assert demo.writes()["writes"] == []


def test_a_card_that_nobody_decides_is_declined_and_the_run_goes_on(
    deploy: Callable[..., Desk], demo: Scripted, engine: Worker
) -> None:
    # LG-approval-03, LG-approval-09
    demo.add({"when": {"contains": "Decision"}, "answer": "Nobody decided."})
    document = asking(demo, onReject="reply")
    document["nodes"].append({"id": "reply", "type": "llm", "prompt": "Decision: {{__approval}}", "output": "said"})
    document["edges"].append({"from": "reply", "to": "END"})
    document["outputs"] = ["said"]
    desk = deploy(document, UNITS)
    run = order(desk)
    Question.objects.filter(run=run).update(expires_at=timezone.now() - timedelta(seconds=1))
    engine.nudge()
    until(lambda: Run.objects.get(id=run.id).status == "done")
    assert Run.objects.get(id=run.id).outputs == {"said": "Nobody decided."}
    assert demo.writes()["writes"] == []
    assert '"approved": false' in ModelCall.objects.get(run=run).messages[0]["content"]
    closed = [event.state for event in desk.events(run.id) if event.type == "question_closed"]
    assert closed == ["expired"]


def test_two_who_decide_at_once_have_one_effect(deploy: Callable[..., Desk], demo: Scripted) -> None:
    # reliability 4.2: one row counts, everyone else is told how it stands
    desk = deploy(asking(demo), UNITS)
    run = order(desk)
    question = desk.question(run)

    def decide(decision: Any, quantity: int) -> Answered | Conflict:
        values = {"quantity": quantity} if decision == "approve" else {}
        try:
            return questions.answer(
                question.id, by=VISITOR, role=None, digest=question.digest, decision=decision, values=values
            )
        except Conflict as conflict:
            return conflict

    with ThreadPoolExecutor(6) as pool:
        said = [
            pool.submit(contextvars.copy_context().run, aside, lambda n=n: decide("approve" if n % 2 else "decline", n))
            for n in range(1, 7)
        ]
        ends = [one.result(PATIENCE) for one in said]
    (counts,) = [end for end in ends if isinstance(end, Answered)]
    assert {end.state for end in ends} == {counts.state}
    until(lambda: Run.objects.get(id=run.id).status in Run.ENDED)
    run.refresh_from_db()
    assert run.status == "done", run.error
    assert demo.writes()["placed"] == (1 if counts.state == "approved" else 0)
    assert desk.types(run).count("question_closed") == 1
    assert run.fence == 2
