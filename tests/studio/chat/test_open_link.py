"""An open link: who somebody is who comes by it, signed in or not, and how much it may be used."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from runtime import budget
from runtime.models import Conversation, Deployment, ModelCall, Question, Run
from studio import allowance
from tests.studio.chat.test_chat_page import boot_of
from tests.studio.chat.test_deciding import decide
from tests.studio.chat.test_talking import say, visitor
from tests.support import talk


@pytest.fixture
def open_desk(workspace) -> Deployment:
    return talk.agent("open-desk", access="link", link_token="t" * 32)


def waits(sent: Any, kind: str = "form", **terms: Any) -> Question:
    """The run of a message comes to a question."""
    run = Run.objects.get(id=sent.json()["run"])
    Run.objects.filter(id=run.id).update(status="waiting")
    return talk.ask(run, kind, **terms)


VALUES = {"customerId": "ALFKI", "since": "2026-01-31"}


@pytest.mark.parametrize("role", ["owner", "operator", "builder", "reviewer", "member"])
def test_a_person_of_the_workspace_comes_by_the_link_as_themselves(open_desk, member_client, user, role) -> None:
    client = member_client(role, "Rina")
    assert client.get(f"/a/open-desk?k={'t' * 32}").status_code == 302
    assert boot_of(client.get("/a/open-desk"))["person"] == {
        "name": "Rina", "key": user(role, "Rina").pk.hex, "signedIn": True,
    }  # fmt: skip
    question = waits(say(client, open_desk))
    assert Conversation.objects.get().user_id == user(role, "Rina").pk
    assert client.get(f"/api/questions/{question.id}").json()["card"]["type"] == "form"
    assert decide(client, question, "answer", values=VALUES).json() == {"state": "answered"}


def test_a_reviewer_who_came_by_the_link_does_not_approve_their_own_card(open_desk, member_client) -> None:
    rina = member_client("reviewer", "Rina")
    question = waits(say(rina, open_desk), "approval", decider="reviewers", not_starter=True)
    assert decide(rina, question, "approve").status_code == 403
    assert decide(member_client("reviewer", "Ruth"), question, "approve").json() == {"state": "approved"}


def signed_in_meanwhile(browser: Client, member_client: Any, role: str, name: str) -> Client:
    """The same browser, in which somebody signed in in another tab."""
    browser.cookies["sessionid"] = member_client(role, name).cookies["sessionid"].value
    return browser


@pytest.mark.parametrize("role", ["reviewer", "member", "owner"])
def test_a_visitor_who_signs_in_elsewhere_goes_on_as_that_visitor(open_desk, member_client, role) -> None:
    browser = visitor(open_desk)
    sent = say(browser, open_desk)
    question, place = waits(sent), sent.json()["conversation"]
    signed_in_meanwhile(browser, member_client, role, "Rina")
    boot = boot_of(browser.get(f"/a/open-desk?c={place}"))
    assert (boot["conversation"], boot["person"]["signedIn"]) == (place, False)
    drawn = browser.get(f"/api/conversations/{place}/frames").json()["frames"]
    assert [one["item"]["type"] for one in drawn if one["id"] == f"q:{question.id}"] == ["form"]
    assert browser.get(f"/api/questions/{question.id}").json()["card"]["type"] == "form"
    assert decide(browser, question, "answer", values=VALUES).json() == {"state": "answered"}
    assert say(browser, open_desk, "More", conversation=place, key="k-2").status_code == 202
    question.refresh_from_db()
    assert (question.decided_by, question.decided_name) == (None, "Visitor")
    assert set(Run.objects.values_list("started_by", flat=True)) == {None}


def test_a_reviewer_does_not_approve_what_they_asked_as_a_visitor(open_desk, member_client) -> None:
    browser = visitor(open_desk)
    strict = waits(say(browser, open_desk), "approval", decider="reviewers", not_starter=True)
    lax = waits(say(browser, open_desk, key="k-2"), "approval", decider="reviewers")
    signed_in_meanwhile(browser, member_client, "reviewer", "Rina")
    assert decide(browser, strict, "approve").status_code == 403
    assert decide(browser, lax, "approve").json() == {"state": "approved"}
    lax.refresh_from_db()
    assert lax.decided_name == "Rina"


def test_a_visitors_conversation_closes_with_the_link(open_desk, member_client) -> None:
    browser = visitor(open_desk)
    sent = say(browser, open_desk)
    question = waits(sent)
    Deployment.objects.filter(id=open_desk.id).update(access="workspace")
    frames = f"/api/conversations/{sent.json()['conversation']}/frames"
    assert browser.get(frames).status_code == 401
    signed_in_meanwhile(browser, member_client, "member", "Dana")
    assert browser.get(frames).status_code == 403
    assert decide(browser, question, "answer", values=VALUES).status_code == 403


def test_the_key_of_a_link_is_for_its_page_alone(open_desk) -> None:
    body = '{"text": "Hello", "key": "k"}'
    for path in ("messages", "conversations"):
        reply = Client().post(f"/api/a/open-desk/{path}?k={'t' * 32}", body, content_type="application/json")
        assert reply.status_code == 401
    assert not Conversation.objects.exists()


def test_answers_count_among_the_days_messages_and_wait_until_tomorrow(open_desk) -> None:
    Deployment.objects.filter(id=open_desk.id).update(visitor_limit=3)
    browser = visitor(open_desk)
    first, second = waits(say(browser, open_desk)), waits(say(browser, open_desk, key="k-2"))
    assert decide(browser, first, "answer", values=VALUES).status_code == 200
    refused = decide(browser, second, "answer", values=VALUES)
    assert (refused.status_code, refused.json()["code"]) == (429, "VISITOR_LIMIT")
    second.refresh_from_db()
    assert second.state == "pending"
    assert decide(browser, second, "close").json() == {"state": "closed"}


def test_an_open_agent_works_for_so_many_at_once(open_desk, member_client, monkeypatch) -> None:
    monkeypatch.setattr(allowance, "MOST_UNFINISHED", 2)
    sent = [say(visitor(open_desk), open_desk) for _ in range(3)]
    assert [one.status_code for one in sent] == [202, 202, 429]
    assert (sent[2].json()["code"], "Try again" in sent[2].json()["message"]) == ("AGENT_BUSY", True)
    assert say(member_client("member"), open_desk).status_code == 202
    Run.objects.filter(id=sent[0].json()["run"]).update(status="waiting")
    assert say(visitor(open_desk), open_desk).status_code == 202


@pytest.mark.parametrize("ceiling", [{"cost_ceiling": Decimal("0.05")}, {"token_ceiling": 100}])
def test_a_day_used_up_is_over_with_the_day(workspace, ceiling, monkeypatch) -> None:
    agent = talk.agent("ceiling", access="link", link_token="t" * 32, **ceiling)
    run = talk.run(talk.conversation(agent), "done")
    ModelCall.objects.create(
        run=run, key="k", address="a", fence=1, prompt_sha="", messages=[], entry="e", model="m",
        input_tokens=60, output_tokens=40, cost=Decimal("0.05"),
    )  # fmt: skip
    assert budget.used_up(agent)
    tomorrow: datetime = budget.today() + timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: tomorrow)
    assert not budget.used_up(agent)
