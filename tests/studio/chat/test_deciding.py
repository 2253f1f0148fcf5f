"""The inbox and the decision over HTTP: lists, cards, refusals beside fields, and who is told what."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from flows import scope
from flows.models import Workspace
from runtime.models import Question, Run
from studio.models import Membership, User
from tests.support import talk


@pytest.fixture
def asked(workspace, user):
    """`asked("form", decider=…)`: a question in a conversation of Dana's with one agent."""
    desk = talk.agent("desk")

    def make(kind: str = "approval", *, who: Any = None, **terms: Any) -> Question:
        run = talk.run(talk.conversation(desk, who or user("member", "Dana")))
        return talk.ask(run, kind, **terms)

    return make


def decide(client: Client, question: Question, decision: str, **said: Any) -> Any:
    body = {"digest": question.digest, "decision": decision, "key": uuid.uuid4().hex, **said}
    return client.post(f"/api/questions/{question.id}/answer", json.dumps(body), content_type="application/json")


def inbox(client: Client, tab: str = "mine") -> dict[str, Any]:
    return client.get(f"/api/inbox?tab={tab}").json()


def test_a_reviewer_approves_and_the_run_goes_on(asked, member_client) -> None:
    question, rina = asked(decider="reviewers"), member_client("reviewer", "Rina")
    assert [row["question"] for row in inbox(rina)["rows"]] == [str(question.id)]
    reply = decide(rina, question, "approve", values={"order.quantity": 3})
    assert (reply.status_code, reply.json()) == (200, {"state": "approved"})
    question.refresh_from_db()
    assert (question.decided_name, question.answer["edits"]) == (
        "Rina",
        {"order": {"customerId": "ALFKI", "quantity": 3}},
    )
    assert Run.objects.get(id=question.run_id).status == "resumable"
    assert inbox(rina)["counts"] == {"mine": 0, "others": 0, "decided": 1}
    row = inbox(rina, "decided")["rows"][0]
    assert (row["state"], row["decidedBy"], row["by"]) == ("approved", "Rina", "Dana")


def test_a_second_and_a_stale_decision_get_409_with_the_state_in_words(asked, member_client) -> None:
    question = asked(decider="reviewers")
    stale = decide(member_client("reviewer", "Rina"), question, "approve", digest="0" * 64)
    assert (stale.status_code, stale.json()["code"], stale.json()["state"]) == (409, "QUESTION_CHANGED", "pending")
    decide(member_client("reviewer", "Rina"), question, "decline", reason="No budget")
    second = decide(member_client("owner", "Olga"), question, "approve")
    assert second.status_code == 409
    assert second.json() == {
        "code": "QUESTION_DECLINED", "message": "Rina declined this already.", "state": "declined",
    }  # fmt: skip


def test_the_same_click_twice_gets_the_same_reply(asked, member_client) -> None:
    question, rina = asked(decider="reviewers"), member_client("reviewer", "Rina")
    for _ in range(2):
        assert decide(rina, question, "approve", key="one-click").json() == {"state": "approved"}


def test_an_expired_card_says_so(asked, member_client) -> None:
    question = asked(decider="reviewers", expires_at=timezone.now() - timedelta(minutes=1))
    reply = decide(member_client("reviewer"), question, "approve")
    assert (reply.status_code, reply.json()["code"], reply.json()["state"]) == (409, "QUESTION_EXPIRED", "expired")


# LG-forms-10, LG-forms-11
def test_a_wrong_form_gets_422_with_every_field(asked, member_client) -> None:
    question, dana = asked("form"), member_client("member", "Dana")
    reply = decide(dana, question, "answer", values={"customerId": "TOO LONG", "since": "soon"})
    assert reply.status_code == 422
    assert set(reply.json()["fields"]) == {"customerId", "since"}
    assert reply.json()["message"]
    assert decide(dana, question, "answer", values={"customerId": "ALFKI", "since": "2026-11-01"}).status_code == 200


# LG-approval-08
def test_what_is_typed_at_a_card_asks_before_it_declines(asked, member_client) -> None:
    question, dana = asked(), member_client("member", "Dana")
    reply = decide(dana, question, "answer", text="make it three")
    assert (reply.status_code, reply.json()["code"]) == (422, "DECLINE_UNCONFIRMED")
    assert decide(dana, question, "decline", text="make it three").json() == {"state": "declined"}
    question.refresh_from_db()
    assert question.answer["answer"] == "make it three"


@pytest.mark.parametrize(
    "body",
    [
        {"decision": "approve"},
        {"digest": "x" * 65},
        {"decision": "maybe"},
        {"values": []},
        {"text": 1},
        {"run": "x"},
        {"approved": True},
    ],
)
def test_a_body_of_another_shape_decides_nothing(asked, member_client, body) -> None:
    question = asked()
    sent = {"digest": question.digest, "decision": "approve", **body}
    if body == {"decision": "approve"}:
        del sent["digest"]
    reply = member_client("member", "Dana").post(
        f"/api/questions/{question.id}/answer", json.dumps(sent), content_type="application/json"
    )
    assert reply.status_code == 422
    question.refresh_from_db()
    assert question.state == "pending"


@pytest.mark.parametrize(
    ("role", "name", "status"),
    [
        ("reviewer", "Rina", 200), ("operator", "Omar", 200), ("owner", "Olga", 200),
        ("builder", "Ben", 404), ("member", "Eve", 404), ("member", "Dana", 403),
    ],
)  # fmt: skip
def test_who_decides_what_is_the_reviewers(asked, member_client, role, name, status) -> None:
    assert decide(member_client(role, name), asked(decider="reviewers"), "approve").status_code == status


def test_a_reviewer_who_started_the_run_sees_it_wait_for_others(asked, member_client, user) -> None:
    rina = user("owner", "Rina")
    question = asked(who=rina, decider="reviewers", not_starter=True)
    client = member_client("owner", "Rina")
    assert inbox(client)["counts"] == {"mine": 0, "others": 1, "decided": 0}
    row = inbox(client, "others")["rows"][0]
    assert (row["question"], row["summary"]) == (str(question.id), "")
    assert decide(client, question, "approve").status_code == 403
    card = client.get(f"/api/questions/{question.id}").json()["card"]
    assert (card["type"], card["forWhom"], card["canWithdraw"]) == ("waiting", "a reviewer", True)
    assert decide(client, question, "withdraw").json() == {"state": "withdrawn"}
    assert Run.objects.get(id=question.run_id).status == "cancelled"


def test_the_inbox_is_of_one_workspace_and_holds_no_other_peoples_own_questions(asked, member_client, user) -> None:
    asked("ask")
    asked("approval")
    mine = asked("form", who=user("reviewer", "Rina"))
    unknown = asked("outcome", decider="reviewers")
    other = Workspace.objects.create(name="Other")
    with scope.workspace(other.id):
        person = User.objects.create_user("x@example.test", "x", name="X")
        Membership.objects.create(user=person, role="member")
        there = talk.ask(talk.run(talk.conversation(talk.agent("there"), person)), decider="reviewers")
    rina = member_client("reviewer", "Rina")
    rows = inbox(rina)["rows"]
    assert [row["question"] for row in rows] == [str(mine.id), str(unknown.id)]
    assert [row["kind"] for row in rows] == ["form", "outcome"]
    for reply in (rina.get(f"/api/questions/{there.id}"), decide(rina, there, "approve")):
        assert reply.status_code == 404


@pytest.mark.parametrize("role", ["member", "builder", None])
def test_the_inbox_is_for_those_who_decide(workspace, member_client, role) -> None:
    client = member_client(role) if role else Client()
    assert client.get("/api/inbox").status_code == (403 if role else 401)
    assert client.get("/inbox").status_code == (403 if role else 302)


def test_the_decision_page_shows_the_card_and_what_happened_so_far(asked, member_client) -> None:
    question, rina = asked(decider="reviewers"), member_client("reviewer", "Rina")
    detail = rina.get(f"/api/questions/{question.id}").json()
    card = detail["card"]
    assert (card["type"], card["ask"], card["why"]) == (
        "approval", "Place this order for ALFKI?", "Asked for chai twice this year.",
    )  # fmt: skip
    assert card["does"] == {
        "kind": "tool",
        "tool": "placeOrder",
        "args": [{"label": "Customer", "value": "ALFKI"}, {"label": "Quantity", "value": 2}],
    }
    assert set(card["edit"]["fields"]) == {"order.customerId", "order.quantity"}
    assert detail["row"]["summary"] == "ALFKI · 2"
    assert detail["conversation"] is None
    # The words of somebody else's conversation are not the reviewer's to read.
    assert [fact["text"] for fact in detail["soFar"]] == ["Dana asked", "Approval was asked for"]
    assert "What did ALFKI order" not in json.dumps(detail)


def test_the_decision_page_carries_everything_and_nothing_may_frame_it(asked, member_client) -> None:
    question, rina = asked(decider="reviewers"), member_client("reviewer", "Rina")
    for path in (f"/decide/{question.id}", "/inbox", f"/inbox?q={question.id}"):
        page = rina.get(path)
        assert page.status_code == 200
        assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
        assert page["X-Frame-Options"] == "DENY"
    boot = boot_of(rina.get(f"/decide/{question.id}"))
    assert boot["detail"]["card"]["digest"] == question.digest
    listed = boot_of(rina.get(f"/inbox?tab=mine&q={question.id}"))
    assert (listed["question"], listed["page"]["counts"]["mine"]) == (str(question.id), 1)
    assert boot_of(rina.get("/inbox?tab=nonsense&q=zz"))["question"] is None


def boot_of(page: Any) -> dict[str, Any]:
    return json.loads(page.content.decode().split('type="application/json">', 1)[1].split("</script>", 1)[0])


def test_who_is_signed_out_signs_in_and_comes_back(asked) -> None:
    question = asked(decider="reviewers")
    assert Client().get(f"/decide/{question.id}")["Location"] == f"/sign-in?next=/decide/{question.id}"
    assert decide(Client(), question, "approve").status_code == 401
    assert Client().get(f"/decide/{uuid.uuid4()}").status_code == 302


def test_a_visitor_decides_its_own_and_no_others(workspace) -> None:
    from tests.studio.chat.test_talking import say, visitor

    agent = talk.agent("open-desk", access="link", link_token="t" * 32)
    one, two = visitor(agent), visitor(agent)
    run = Run.objects.get(id=say(one, agent).json()["run"])
    Run.objects.filter(id=run.id).update(status="waiting")
    question = talk.ask(run)
    assert one.get(f"/api/questions/{question.id}").json()["card"]["canDecide"] is True
    assert two.get(f"/api/questions/{question.id}").status_code == 404
    assert decide(two, question, "approve").status_code == 404
    assert decide(one, question, "approve").json() == {"state": "approved"}


def test_a_card_of_an_unknown_outcome_asks_what_became_of_it(asked, member_client) -> None:
    question = asked("outcome", decider="reviewers")
    dana = member_client("member", "Dana")
    waiting = dana.get(f"/api/questions/{question.id}").json()["card"]
    assert (waiting["type"], waiting["ask"]) == ("waiting", "We are checking whether this went through.")
    rina = member_client("reviewer", "Rina")
    assert decide(rina, question, "skip", reason="Not needed any more").json() == {"state": "answered"}
    card = rina.get(f"/api/questions/{question.id}").json()["card"]
    assert (card["answer"], card["decidedBy"], card["reason"]) == ("skip", "Rina", "Not needed any more")
