"""Twenty minutes without a sign of life lock the chats of agents that know their people, until a password is given."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from runtime.models import Question, Run
from studio import accounts, presence
from studio.models import Presence
from tests.studio.chat.test_chat_page import boot_of
from tests.studio.chat.test_deciding import decide
from tests.studio.chat.test_talking import post, say
from tests.studio.known.conftest import knowing, silent
from tests.support import talk
from tests.support.people import PASSWORD

SAID = "What did ALFKI order?"


@pytest.fixture
def asked(workspace, user) -> Question:
    """A card in a conversation of Dana's with an agent that knows its people."""
    return talk.ask(talk.run(talk.conversation(knowing(), user("member", "Dana"))))


def refusals(client: Client, asked: Question) -> dict[str, tuple[int, str]]:
    """What every address of the conversation says."""
    place, run = asked.conversation_id, asked.run_id
    replies = {
        "frames": client.get(f"/api/conversations/{place}/frames"),
        "stream": client.get(f"/api/conversations/{place}/stream?item=x"),
        "list": client.get("/api/a/desk/conversations"),
        "open": post(client, "/api/a/desk/conversations"),
        "message": post(client, "/api/a/desk/messages", {"conversation": str(place), "text": "More", "key": "k-9"}),
        "fork": post(client, f"/api/conversations/{place}/fork", {"run": str(run)}),
        "cancel": post(client, f"/api/runs/{run}/cancel"),
        "remove": client.delete(f"/api/runs/{run}"),
        "question": client.get(f"/api/questions/{asked.id}"),
        "answer": decide(client, asked, "approve"),
        "file": client.post("/api/a/desk/files?input=paper"),
        "form file": client.post(f"/api/questions/{asked.id}/files?input=paper"),
    }
    return {name: (reply.status_code, reply.json()["code"]) for name, reply in replies.items()}


# LG-contract-21
def test_every_address_of_a_locked_chat_says_so_and_does_nothing(asked, member_client) -> None:
    client = member_client("member", "Dana")
    silent(client, 20)
    found = refusals(client, asked)
    assert set(found.values()) == {(401, "LOCKED")}, found
    asked.refresh_from_db()
    assert (asked.state, Run.objects.count()) == ("pending", 1)
    silent(client, 19.9)
    assert client.get(f"/api/conversations/{asked.conversation_id}/frames").status_code == 200
    assert decide(client, asked, "approve").status_code == 200


# LG-contract-21
def test_the_locked_page_carries_nothing_of_the_conversation(asked, member_client) -> None:
    client = member_client("member", "Dana")
    silent(client, 21)
    page = client.get(f"/a/desk?c={asked.conversation_id}")
    boot = boot_of(page)
    assert (page.status_code, boot["lock"]["seconds"], boot["person"]["name"]) == (401, 0, "Dana")
    assert (boot["frames"], boot["conversation"], boot["title"], boot["agent"]["suggestions"]) == ([], None, "", [])
    assert SAID not in page.content.decode() and "ALFKI" not in page.content.decode()
    # Opening it was no proof of anything.
    assert boot_of(client.get("/a/desk"))["lock"]["seconds"] == 0
    reply = client.get(f"/decide/{asked.id}")
    assert reply["Location"] == f"/unlock?next=%2Fdecide%2F{asked.id}"


def test_other_agents_and_the_studio_do_not_lock(workspace, user, member_client) -> None:
    client = member_client("builder", "Dana")
    knowing()
    plain = talk.agent("plain")
    silent(client, 500)
    assert say(client, plain).status_code == 202
    assert client.get("/flows").status_code == 200
    assert client.get("/a/desk").status_code == 401


# LG-contract-20, LG-contract-21: one sign-in opens every chat, and so does one password after the lock.
def test_one_sign_in_and_one_password_open_every_chat(workspace, user, member_client) -> None:
    desks = [knowing("one"), knowing("two")]
    client = Client()
    email = user("member", "Dana").email
    assert client.post("/sign-in", {"email": email, "password": PASSWORD}).status_code == 302
    assert [say(client, desk).status_code for desk in desks] == [202, 202]
    silent(client, 25)
    assert [say(client, desk, key="k-2").status_code for desk in desks] == [401, 401]
    wrong = post(client, "/api/unlock", {"password": "not it"})
    assert (wrong.status_code, list(wrong.json()["fields"])) == (422, ["password"])
    assert say(client, desks[0], key="k-2").status_code == 401
    opened = post(client, "/api/unlock", {"password": PASSWORD})
    assert (opened.status_code, opened.json()) == (200, {"seconds": opened.json()["seconds"]})
    assert opened.json()["seconds"] > 1_100
    assert [say(client, desk, key="k-3").status_code for desk in desks] == [202, 202]


def test_passwords_that_are_tried_at_the_lock_are_counted_with_those_at_the_sign_in(
    workspace, user, member_client
) -> None:
    client = member_client("member", "Dana")
    silent(client, 25)
    for _ in range(accounts.TRIES_PER_ACCOUNT - 1):
        assert post(client, "/api/unlock", {"password": "not it"}).status_code == 422
    email = user("member", "Dana").email
    assert Client().post("/sign-in", {"email": email, "password": "not it"}).status_code == 422
    refused = post(client, "/api/unlock", {"password": PASSWORD})
    assert (refused.status_code, refused.json()["code"]) == (429, "TOO_MANY_TRIES")
    assert client.get("/api/presence").json() == {"seconds": 0}


@pytest.mark.parametrize("body", [{}, {"password": 1}, {"password": "x" * 513}, {"user": "x", "password": "y"}, []])
def test_an_odd_body_unlocks_nothing(workspace, member_client, body) -> None:
    client = member_client("member", "Dana")
    silent(client, 25)
    assert post(client, "/api/unlock", body).status_code == 422
    assert client.get("/api/presence").json() == {"seconds": 0}


# As a browser asks for a page that somebody opens.
OPENED: dict[str, Any] = {"headers": {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}}


def left(client: Client) -> int:
    return client.get("/api/presence").json()["seconds"]


# LG-contract-21
def test_what_a_person_does_anywhere_is_a_sign_of_life_and_what_pages_do_is_none(workspace, member_client) -> None:
    plain = talk.agent("plain")
    client = member_client("builder", "Dana")
    place = say(client, plain).json()["conversation"]
    unloaded: dict[str, Any] = {"headers": {"Sec-Fetch-Dest": "empty", **OPENED["headers"]}}
    none = [
        lambda: client.get("/api/presence"),
        lambda: client.get("/api/inbox?tab=mine"),
        lambda: client.get(f"/api/conversations/{place}/frames"),
        lambda: client.get("/flows", **unloaded),
        lambda: client.get("/flows"),
        lambda: client.get("/flows", headers={"Accept": "*/*"}),
        lambda: client.head("/flows", **OPENED),
        lambda: client.get("/api/presence", headers={"Sec-Fetch-Dest": "document"}),
        lambda: client.get("/flows", headers={"Sec-Fetch-Dest": "document", "Sec-Purpose": "prefetch;prerender"}),
        lambda: client.get("/files/5b0c5c3e-6f0e-4a53-9d2b-8a4b7c1f2f10"),
    ]
    some = [
        lambda: client.get("/flows", **OPENED),
        lambda: client.get("/agents", headers={"Sec-Fetch-Dest": "document"}),
        lambda: client.post("/api/presence"),
        lambda: say(client, plain, key="k-2"),
        lambda: client.post("/workspace", {"workspace": "x"}),
    ]
    for act, counts in [*((each, False) for each in none), *((each, True) for each in some)]:
        silent(client, 10)
        presence._refreshed.clear()
        act()
        assert (left(client) > 1_100) is counts


def test_a_sign_of_life_is_written_once_a_minute(workspace, member_client) -> None:
    client = member_client("member", "Dana")
    client.get("/agents", **OPENED)
    silent(client, 10)
    client.get("/agents", **OPENED)
    assert left(client) < 610
    presence._refreshed.clear()
    client.get("/agents", **OPENED)
    assert left(client) > 1_100


def test_a_silent_session_is_not_woken_by_what_was_written_in_time(workspace, member_client) -> None:
    desk = knowing()
    client = member_client("member", "Dana")
    silent(client, 20)
    for _ in range(2):
        presence._refreshed.clear()
        client.get("/agents", **OPENED)
        client.post("/api/presence")
    assert say(client, desk).status_code == 401


def test_signing_out_ends_it_and_another_browser_has_its_own(workspace, user, member_client) -> None:
    desk = knowing()
    one, two = member_client("member", "Dana"), member_client("member", "Dana")
    silent(one, 25)
    assert [say(one, desk).status_code, say(two, desk).status_code] == [401, 202]
    key = presence.key_of(two.session.session_key or "")
    reply = two.post("/sign-out", {"next": "/a/desk?c=1"})
    assert reply["Location"] == "/sign-in?next=%2Fa%2Fdesk%3Fc%3D1"
    assert not Presence.objects.filter(session=key).exists()
    assert two.post("/sign-out", {"next": "https://evil.example/"})["Location"] == "/sign-in"


def test_a_new_password_leaves_its_own_session_open(workspace, member_client) -> None:
    desk = knowing()
    client = member_client("member", "Dana")
    silent(client, 15)
    new = "another battery staple"
    assert client.post("/account/password", {"current_password": PASSWORD, "new_password": new}).status_code == 302
    assert say(client, desk).status_code == 202


def test_a_session_that_began_before_there_was_a_lock_is_locked(workspace, member_client) -> None:
    desk = knowing()
    client = member_client("member", "Dana")
    Presence.objects.all().delete()
    assert say(client, desk).status_code == 401
    assert post(client, "/api/unlock", {"password": PASSWORD}).status_code == 200
    assert say(client, desk).status_code == 202


def test_one_persons_presence_is_nobody_elses(workspace, user, member_client) -> None:
    client = member_client("member", "Dana")
    session = client.session.session_key or ""
    assert presence.is_there(session, user("member", "Dana"))
    assert not presence.is_there(session, user("member", "Noa"))
    assert not presence.is_there("", user("member", "Dana"))
    assert not presence.is_there(session, None)
    assert presence.there([presence.key_of(session), "x"]) == {presence.key_of(session)}


def test_who_reviews_for_such_an_agent_has_to_be_there_too(asked, workspace, user, member_client) -> None:
    Question.objects.filter(pk=asked.pk).update(decider="reviewers")
    asked.refresh_from_db()
    rina = member_client("reviewer", "Rina")
    silent(rina, 25)
    assert (decide(rina, asked, "approve").json()["code"], rina.get("/inbox").status_code) == ("LOCKED", 200)
    # The page of the inbox leads to the sign-in; who is signed in already finds the lock there.
    assert rina.get("/sign-in?next=/inbox")["Location"] == "/unlock?next=%2Finbox"
    assert rina.post("/unlock", {"password": PASSWORD, "next": "/inbox"})["Location"] == "/inbox"
    assert decide(rina, asked, "approve").json() == {"state": "approved"}


def test_the_page_that_unlocks_works_without_scripts(workspace, member_client) -> None:
    client = member_client("member", "Dana")
    assert client.get("/unlock?next=/a/desk")["Location"] == "/a/desk"
    silent(client, 25)
    page = client.get("/unlock?next=/a/desk").content.decode()
    assert "Type your password to go on" in page and 'value="/a/desk"' in page
    wrong = client.post("/unlock", {"password": "no", "next": "/a/desk"})
    assert wrong.status_code == 422 and "not the password of this account" in wrong.content.decode()
    assert client.post("/unlock", {"password": "", "next": "/a/desk"}).status_code == 422
    right = client.post("/unlock", {"password": PASSWORD, "next": "//evil.example"})
    assert right["Location"] == "/"
    assert Client().get("/unlock")["Location"].startswith("/sign-in")


def test_who_has_no_way_to_go_on_is_told_whom_to_ask(workspace, user, member_client) -> None:
    client = member_client("member", "Dana")
    dana = user("member", "Dana")
    dana.set_unusable_password()
    dana.save()
    client.force_login(dana)
    silent(client, 25)
    page = client.get("/unlock?next=/a/desk").content.decode()
    assert "Ask whoever runs this workspace how to sign in." in page and 'type="password"' not in page


def test_unlocking_asks_for_the_token_of_the_page(workspace, member_client) -> None:
    client = member_client("member", "Dana", csrf=True)
    silent(client, 25)
    for path in ("/api/unlock", "/api/presence"):
        reply = client.post(path, json.dumps({"password": PASSWORD}), content_type="application/json")
        assert (reply.status_code, reply.json()["code"]) == (403, "CSRF_FAILED")
    assert left(client) == 0
