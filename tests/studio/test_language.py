"""The language over HTTP: with a mark, so that a page that knows it gets nothing anew."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from flows import kinds
from flows.kinds import KINDS
from studio.language import language
from tests.flows.test_panels import Toy

Clients = Callable[..., Client]


def test_panels_are_told_the_language_once(member_client: Clients) -> None:
    client = member_client("builder")
    first = client.get("/api/language")
    assert first.status_code == 200
    said = first.json()
    assert [each["type"] for each in said["kinds"]] == [kind.type for kind in KINDS]
    assert {part["name"]: part["title"] for part in said["groups"]}["people"] == "People"
    assert {part["name"] for part in said["tabs"]} >= {"step", "approval", "errors", "flow", "contract", "needs"}
    again = client.get("/api/language", HTTP_IF_NONE_MATCH=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/api/language", HTTP_IF_NONE_MATCH='"other"').status_code == 200


def test_another_language_has_another_mark(member_client: Clients, monkeypatch) -> None:
    client = member_client("builder")
    first = client.get("/api/language")["ETag"]
    monkeypatch.setattr(kinds, "KINDS", (*KINDS, Toy()))
    reply = client.get("/api/language", HTTP_IF_NONE_MATCH=first)
    assert reply.status_code == 200
    assert "toy" in {each["type"] for each in reply.json()["kinds"]}


def test_each_part_of_a_panel_is_titled_in_words() -> None:
    from studio.strings import catalogue

    for what, parts in (("group", language().groups), ("tab", language().tabs)):
        for part in parts:
            assert catalogue()[f"panel.{what}.{part.name}"] == part.title


def test_who_may_see_no_flow_is_told_nothing(member_client: Clients) -> None:
    assert member_client("member").get("/api/language").status_code == 403
    assert Client().get("/api/language").status_code == 401
