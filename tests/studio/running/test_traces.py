"""What a run did, step by step: for whose run it is, for who may look, and for nobody else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from runtime import events
from runtime.events import (
    ModelCalled,
    OutputWritten,
    RouteTaken,
    RunFailed,
    StepFailed,
    StepFinished,
    StepStarted,
    ToolCalled,
)
from runtime.models import Deployment, ModelCall, Run, RunEvent, ToolCall
from studio import tracing
from studio.models import Look
from tests.studio.running.conftest import Clients
from tests.support import talk

PRIVATE = "the customer's balance is 12 000"
DOCUMENT = {
    **talk.DOCUMENT,
    "nodes": [
        {"id": "plan", "handler": "plan"},
        {"id": "reply", "type": "llm", "prompt": "{{question}}", "output": "answer"},
        {"id": "place", "type": "tool", "tool": "placeOrder"},
    ],
}


@pytest.fixture
def desk(workspace: object) -> Deployment:
    return talk.agent(document=DOCUMENT)


def finished(of: Run, status: str = "done") -> Run:
    """A run that planned, asked a model twice (the first answer was of no use), and was routed."""
    talk.log(
        of,
        StepStarted(
            address="plan#1", node="plan", kind="handler", title="Plan", read={"question": PRIVATE, "rows": [1, 2]},
            cut=["rows"],
        ),
        StepFinished(
            address="plan#1", node="plan", kind="handler", title="Plan", ms=4.0, written={"kind": "order"}
        ),
        RouteTaken(node="plan", router="routePlan", route="order", goto="reply"),
        ToolCalled(
            address="plan.route#1", key="k", unit="routePlan", effect="read", state="done", method="GET", target="x"
        ),
        StepStarted(
            address="reply#1", node="reply", kind="llm", title="Reply", attempt=101, read={"question": PRIVATE}
        ),
        ModelCalled(address="reply#1", key="reply#1/a1/0", model="m", entry="House", demo=False, ms=9, input_tokens=10,
                    output_tokens=4, cost=0.25),
        StepFailed(address="reply#1", node="reply", title="Reply", code="MODEL_SHAPE", message="No JSON.", attempt=1,
                   next="retry"),
        StepStarted(address="reply#1", node="reply", kind="llm", title="Reply", attempt=102),
        ModelCalled(address="reply#1", key="reply#1/a2/0", model="m", entry="House", demo=False, ms=8, input_tokens=10,
                    output_tokens=6, cost=0.5),
        StepFinished(address="reply#1", node="reply", kind="llm", title="Reply", ms=20.0, written={"answer": "Done."}),
        OutputWritten(channel="answer", label="Answer", value="Done."),
    )  # fmt: skip
    ModelCall.objects.create(
        run=of, key="reply#1/a1/0", address="reply#1", state="done", fence=1, prompt_sha="0" * 64, entry="House",
        model="m", messages=[{"role": "user", "content": PRIVATE}], reply="Done.", input_tokens=10, output_tokens=6,
    )  # fmt: skip
    Run.objects.filter(pk=of.pk).update(status=status)
    of.refresh_from_db()
    return of


def steps(client: Client, run: Run, address: str = "") -> Any:
    rest = f"/{address.replace('#', '%23')}" if address else ""
    return client.get(f"/api/runs/{run.pk}/steps{rest}")


def test_ones_own_run_is_seen_step_by_step(desk: Deployment, user: Callable, member_client: Clients) -> None:
    # LG-edges-13
    run = finished(talk.run(talk.conversation(desk, user("builder")), "running"))
    trace = steps(member_client("builder"), run).json()
    assert [(one["address"], one["state"], one["ms"], one["attempts"]) for one in trace["steps"]] == [
        ("plan#1", "done", 4.0, 1),
        ("reply#1", "done", 20.0, 2),
    ]
    assert trace["steps"][0]["route"] == {"route": "order", "goto": "reply", "limited": False}
    assert (trace["steps"][0]["calls"], trace["steps"][1]["models"]) == (1, 2)
    assert (trace["inputTokens"], trace["outputTokens"], trace["cost"], trace["ms"]) == (20, 10, 0.75, 24.0)
    assert PRIVATE not in json.dumps(trace)


def test_a_step_shows_what_it_read_wrote_and_asked(desk: Deployment, user: Callable, member_client: Clients) -> None:
    run = finished(talk.run(talk.conversation(desk, user("builder")), "running"))
    client = member_client("builder")
    plan = steps(client, run, "plan#1").json()
    assert plan["read"] == [
        {"name": "question", "value": PRIVATE, "cut": False},
        {"name": "rows", "value": [1, 2], "cut": True},
    ]
    assert plan["written"] == [{"name": "kind", "value": "order", "cut": False}]
    reply = steps(client, run, "reply#1").json()
    (asked,) = reply["models"]
    assert asked["messages"] == [{"role": "user", "content": {"text": PRIVATE, "cut": 0}}]
    assert (asked["reply"]["text"], asked["entry"]) == ("Done.", "House")
    assert [(one["code"], one["next"]) for one in reply["faults"]] == [("MODEL_SHAPE", "retry")]
    # What the first attempt read is kept, though the second says nothing of it.
    assert reply["read"][0]["value"] == PRIVATE
    assert steps(client, run, "nothing#1").status_code == 404


def test_a_log_too_long_for_a_page_is_said_to_be(
    desk: Deployment, user: Callable, member_client: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = finished(talk.run(talk.conversation(desk, user("builder")), "running"))
    client = member_client("builder")
    assert steps(client, run).json()["unread"] == 0
    assert "too long to be shown whole" not in client.get(f"/runs/{run.pk}").content.decode()
    monkeypatch.setattr(tracing, "MOST_EVENTS", 3)
    left = RunEvent.objects.filter(run=run).count() - 3
    assert steps(client, run).json()["unread"] == left
    assert f"the last {left} events are left out" in client.get(f"/runs/{run.pk}").content.decode()


@pytest.mark.parametrize("body", ['"\\ud800"', "[" * 100_000, "1" * 5_000, '{"a": NaN}', '{"a": 1, "a": 2}'])
def test_what_a_service_answered_is_shown_however_broken_it_is(
    desk: Deployment, user: Callable, member_client: Clients, body: str
) -> None:
    run = talk.run(talk.conversation(desk, user("builder")), "running")
    talk.log(run, StepStarted(address="place#1", node="place", kind="tool", title="Place"))
    ToolCall.objects.create(
        run=run, key="k", address="place#1", unit="placeOrder", effect="read", state="done", fence=1,
        args_sha="0" * 64, request={"method": "GET", "url": "https://office.example/orders"},
        response={"status": 200, "headers": {}, "text": body},
    )  # fmt: skip
    (call,) = steps(member_client("builder"), run, "place#1").json()["calls"]
    assert call["response"]["text"] == body[: tracing.LONGEST]


def test_a_request_shows_names_in_place_of_secrets_and_says_when_it_is_cut(
    desk: Deployment, user: Callable, member_client: Clients
) -> None:
    run = talk.run(talk.conversation(desk, user("builder")), "running")
    talk.log(run, StepStarted(address="place#1", node="place", kind="tool", title="Place"))
    ToolCall.objects.create(
        run=run, key="place#1/placeOrder/w1", address="place#1", unit="placeOrder", effect="write", state="done",
        fence=1, args_sha="0" * 64, request={"method": "POST", "url": "https://office.example/orders",
                                            "headers": {"authorization": "Bearer {{env:OFFICE_KEY}}"}},
        response={"status": 201, "headers": {}, "text": json.dumps({"rows": "x" * 30_000})},
    )  # fmt: skip
    (call,) = steps(member_client("builder"), run, "place#1").json()["calls"]
    assert (call["method"], call["target"], call["status"]) == ("POST", "https://office.example/orders", 201)
    assert "{{env:OFFICE_KEY}}" in call["request"]["text"]
    assert len(call["response"]["text"]) == tracing.LONGEST
    assert call["response"]["cut"] > tracing.LONGEST


def test_a_failed_router_is_told_at_the_step_before_it(
    desk: Deployment, user: Callable, member_client: Clients
) -> None:
    run = talk.run(talk.conversation(desk, user("builder")), "running")
    talk.log(
        run,
        StepStarted(address="plan#1", node="plan", kind="handler", title="Plan"),
        StepFinished(address="plan#1", node="plan", kind="handler", title="Plan", ms=1.0),
        RunFailed(code="ROUTE_UNKNOWN", message="The router chose nothing.", node="plan", address="plan.route#1"),
    )
    Run.objects.filter(pk=run.pk).update(status="failed")
    trace = steps(member_client("builder"), run).json()
    assert (trace["error"], trace["steps"][0]["state"]) == ("The router chose nothing.", "failed")


def test_a_waiting_step_is_shown_before_it_ran(desk: Deployment, user: Callable, member_client: Clients) -> None:
    run = talk.run(talk.conversation(desk, user("builder")), "waiting")
    talk.ask(run, "approval", address="place#1")
    trace = steps(member_client("builder"), run).json()
    assert [(one["node"], one["kind"], one["state"]) for one in trace["steps"]] == [("place", "tool", "waiting")]
    (asked,) = steps(member_client("builder"), run, "place#1").json()["people"]
    assert (asked["state"], asked["ask"]) == ("pending", "Place this order for ALFKI?")


def test_other_peoples_runs_need_the_right_and_each_look_is_recorded(
    desk: Deployment, user: Callable, member_client: Clients
) -> None:
    run = finished(talk.run(talk.conversation(desk, user("member")), "running"))
    # Not told apart from a run that does not exist; and the person who chatted sees no trace of their own run.
    assert steps(member_client("builder"), run).status_code == 404
    assert steps(member_client("reviewer"), run).status_code == 403
    assert steps(member_client("member"), run).status_code == 403
    assert steps(Client(), run).status_code == 401
    assert not Look.objects.exists()
    owner = member_client("owner")
    assert steps(owner, run).status_code == 200
    assert PRIVATE in steps(owner, run, "plan#1").content.decode()
    look = Look.objects.get()
    assert (look.by, look.run, look.of) == (user("owner"), run.pk, "Order desk")


def test_another_workspace_finds_no_run(desk: Deployment, user: Callable, stranger: Client) -> None:
    run = finished(talk.run(talk.conversation(desk, user("member")), "running"))
    assert steps(stranger, run).status_code == 404
    assert steps(stranger, run, "plan#1").status_code == 404


def test_the_person_who_chats_never_receives_what_steps_read(
    desk: Deployment, user: Callable, member_client: Clients
) -> None:
    member = user("member")
    conversation = talk.conversation(desk, member)
    run = finished(talk.run(conversation, "running"))
    client = member_client("member")
    for address in (f"/api/conversations/{conversation.pk}/frames?since=0", f"/a/{desk.slug}?c={conversation.pk}"):
        body = client.get(address).content.decode()
        assert "Done." in body
        assert PRIVATE not in body
        assert '"order"' not in body
    kept = RunEvent.objects.filter(run=run, type="step_started").first()
    assert kept is not None
    assert isinstance(events.read(kept.type, kept.payload), StepStarted)


def test_events_of_before_are_still_read() -> None:
    old = {"address": "a#1", "node": "a", "kind": "llm", "title": "A", "streams": None, "attempt": 1}
    event = events.read("step_started", old)
    assert isinstance(event, StepStarted)
    assert (event.read, event.cut) == ({}, [])
