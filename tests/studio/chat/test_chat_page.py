"""The chat page's first paint, and the pages in words where there is no chat."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from runtime.models import Deployment
from studio.api.wire import ChatBoot
from tests.studio.chat.test_deciding import boot_of
from tests.support import talk


def test_the_page_carries_what_it_draws(workspace, user, member_client) -> None:
    desk = talk.agent("desk")
    run = talk.run(talk.conversation(desk, user("member", "Dana")))
    question = talk.ask(run)
    page = member_client("member", "Dana").get(f"/a/desk?c={run.conversation_id}")
    assert page.status_code == 200
    boot = boot_of(page)
    ChatBoot.model_validate(boot)
    assert boot["agent"] == {
        "slug": "desk",
        "name": "Order desk",
        "description": "Looks up, orders, and asks before it writes.",
        "suggestions": ["Where is ALFKI based?"],
        "textInput": "question",
        "inputs": {},
        "opensByItself": False,
        "welcome": "",
        "paused": None,
    }
    dana = {"name": "Dana", "key": user("member", "Dana").pk.hex, "signedIn": True}
    assert (boot["person"], boot["inboxUrl"], boot["lock"]) == (dana, None, None)
    assert (boot["conversation"], boot["title"]) == (str(run.conversation_id), "What did ALFKI order?")
    items = {frame["id"]: frame["item"] for frame in boot["frames"]}
    assert items[f"q:{question.id}"]["digest"] == question.digest
    assert (items["status"]["state"], boot["seq"]) == ("waiting_you", 2)
    assert "csrftoken" in page.cookies
    assert '<h1 class="chat-name">Order desk</h1>' in page.content.decode()


def test_the_header_says_the_first_sentence_of_what_the_flow_does(workspace, member_client) -> None:
    talk.agent("long", {**talk.DOCUMENT, "description": "Takes orders at 9.40 EUR. Then it asks, and places them."})
    assert boot_of(member_client("member").get("/a/long"))["agent"]["description"] == "Takes orders at 9.40 EUR."


def test_nothing_in_the_first_paint_ends_its_script(workspace, user, member_client) -> None:
    hostile = "</script><script>alert(1)</script><!--\u2028x"
    document = {**talk.DOCUMENT, "description": hostile, "suggestions": [hostile]}
    talk.agent("hostile", document, name=hostile[:120])
    page = member_client("member").get("/a/hostile")
    text = page.content.decode()
    assert "<script>alert" not in text
    assert boot_of(page)["agent"]["suggestions"] == [hostile]


def test_a_conversation_of_somebody_else_opens_as_a_new_chat(workspace, user, member_client) -> None:
    desk = talk.agent("desk")
    theirs = talk.run(talk.conversation(desk, user("member", "Eve"))).conversation_id
    for asked in (str(theirs), "nonsense", ""):
        boot = boot_of(member_client("member", "Dana").get(f"/a/desk?c={asked}"))
        assert (boot["conversation"], boot["frames"]) == (None, [])


def closed(client: Client, path: str) -> tuple[int, str]:
    page = client.get(path)
    text = page.content.decode()
    return page.status_code, text.split('data-closed="')[1].split('"')[0] if "data-closed" in text else ""


def test_where_there_is_no_chat_a_page_says_why(workspace, user, member_client) -> None:
    talk.agent("empty", version=None)
    talk.agent("listed", access="listed")
    talk.agent("paused", paused=True, paused_words="Back on Monday.")
    client = member_client("member", "Dana")
    assert closed(client, "/a/nowhere") == (404, "no_agent")
    assert closed(client, "/a/empty") == (409, "not_published")
    assert closed(client, "/a/listed") == (403, "no_access")
    assert closed(client, "/a/paused") == (503, "paused")
    assert "Back on Monday." in client.get("/a/paused").content.decode()


def test_a_paused_agent_still_shows_a_conversation(workspace, user, member_client) -> None:
    desk = talk.agent("desk")
    run = talk.run(talk.conversation(desk, user("member", "Dana")))
    Deployment.objects.filter(id=desk.id).update(paused=True, paused_words="Back on Monday.")
    page = member_client("member", "Dana").get(f"/a/desk?c={run.conversation_id}")
    assert (page.status_code, boot_of(page)["agent"]["paused"]) == (200, "Back on Monday.")


def test_who_is_signed_out_is_led_to_the_sign_in_page_and_back(workspace) -> None:
    talk.agent("desk")
    reply = Client().get("/a/desk?c=1")
    assert (reply.status_code, reply["Location"]) == (302, "/sign-in?next=%2Fa%2Fdesk%3Fc%3D1")


def test_an_open_link_leaves_the_address_and_a_cookie_of_its_own(workspace) -> None:
    desk = talk.agent("open-desk", access="link", link_token="t" * 32)
    client = Client()
    reply: Any = client.get(f"/a/open-desk?c=x&k={'t' * 32}")
    assert reply["Location"] == "/a/open-desk?c=x"
    cookie = reply.cookies[f"visitor_{desk.id.hex[:16]}"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    page = client.get("/a/open-desk")
    person = boot_of(page)["person"]
    assert (person["name"], person["signedIn"]) == ("Visitor", False)
    assert "t" * 32 not in page.content.decode() + json.dumps(page.headers["Content-Security-Policy"])
    assert closed(Client(), "/a/open-desk?k=wrong") == (410, "link_renewed")
