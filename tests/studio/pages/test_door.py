"""What is refused before a view sees it: NUL, too much at once, methods nobody declared. In words, never a 500."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from flows.models import Flow, Workspace
from studio.access import may
from tests.studio.pages.conftest import Clients
from tests.studio.pages.test_rights import ROUTES, address_of, at_each_route, declared

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")


@pytest.mark.any_database
def test_no_method_breaks_an_address(filled: dict, member_client: Clients) -> None:
    at_each_route(lambda route: _breaks_nothing(route, filled, member_client))


def _breaks_nothing(route: str, filled: dict, member_client: Clients) -> None:
    address, pattern = address_of(route, filled), ROUTES[route]
    view = getattr(pattern.callback, "view_class", None)
    for method in METHODS:
        for client in (Client(), member_client("member")):
            reply = client.generic(method, address, "{}", "application/json")
            assert reply.status_code < 500, (method, address)
            known = view is None or hasattr(view, "get" if method == "HEAD" else method.lower())
            if not known or (view is not None and method == "OPTIONS"):
                assert reply.status_code == 405, (method, address, reply.status_code)


def test_head_needs_the_right_of_get(flow: Flow, member_client: Clients) -> None:
    address = f"/api/flows/{flow.pk}/draft"
    right = declared(ROUTES["api/flows/<uuid:id>/draft"], "GET")
    for role in ("owner", "builder", "member", "reviewer"):
        reply = member_client(role).head(address)
        assert reply.status_code == (200 if may(role, str(right)) else 403)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/sign-in", {"email": "a\0@example.test", "password": "x"}),
        ("/sign-in", {"em\0ail": "x"}),
        ("/sign-in?next=%00", {}),
        ("/flows/new", {"name": "A\0B"}),
        ("/settings/people/invites", {"role": "member", "days": "7", "email": "a\0@example.test"}),
        ("/account", {"name": "Ol\0ga"}),
        ("/settings/models/new", {"name": "M\0", "base_url": "http://127.0.0.1/v1", "model": "m\0"}),
    ],
)
def test_nul_in_a_form_is_refused_in_words(
    workspace: Workspace, member_client: Clients, path: str, body: dict[str, str]
) -> None:
    reply = member_client("owner").post(path, body)
    assert reply.status_code == 400
    assert "NUL" in reply.content.decode()
    assert "default-src 'none'" in reply["Content-Security-Policy"]


def test_nul_in_addresses_json_and_cookies_breaks_nothing(workspace: Workspace, member_client: Clients) -> None:
    client = member_client("owner")
    for path in ("/join/a%00b", "/flows?x=%00", "/a/x?k=%00", "/api/inbox?tab=%00"):
        assert client.get(path).status_code in (400, 404), path
    for raw in (b'{"text": "a\\u0000"}', b'{"a\\u0000": 1}', b'{"text": "a\x00"}'):
        reply = client.post("/api/flows/check", raw, content_type="application/json")
        assert reply.status_code == 400
        assert reply.json()["code"] in ("JSON_NUL", "JSON_INVALID")
    odd = Client(headers={"Cookie": 'sessionid="a\\000b"; csrftoken="\\000"; theme="\\000"'})
    assert odd.get("/sign-in").status_code == 200


def test_more_than_is_taken_at_once_is_refused_on_our_own_page(workspace: Workspace, member_client: Clients) -> None:
    client = member_client("owner")
    reply = client.post("/flows/import", {"text": "x" * 2_500_000})
    page = reply.content.decode()
    assert reply.status_code == 413
    assert "what you typed is still there" in page
    assert "larger than 2 MB" in page
    many = client.post("/flows/new", {f"f{n}": "1" for n in range(600)})
    assert (many.status_code, "could not be read" in many.content.decode()) == (400, True)
    assert "could not be read" in Client().get("/", headers={"Host": "evil.example"}).content.decode()


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({}, "text", "This is missing."),
        ({"text": 5}, "text", "Write text here."),
        ({"text": "", "spell": 1}, "spell", "There is no field of this name here."),
    ],
)
def test_a_body_of_another_shape_is_refused_in_our_words(
    workspace: Workspace, member_client: Clients, body: dict, field: str, words: str
) -> None:
    reply = member_client("builder").post("/api/flows/check", json.dumps(body), content_type="application/json")
    assert (reply.status_code, reply.json()["fields"][field]) == (422, words)


def test_a_text_too_long_says_how_long_it_may_be(workspace: Workspace, member_client: Clients) -> None:
    body = json.dumps({"base_url": "http://x", "model": "m" * 121})
    reply = member_client("owner").post("/api/models/test", body, content_type="application/json")
    assert reply.json()["fields"] == {"model": "At most 120 characters."}
