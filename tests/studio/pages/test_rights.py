"""Every address × every role, anonymous people and strangers: nothing opens by accident, and nothing breaks."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver

from flows.models import Workspace
from runtime.models import Deployment
from studio.access import RIGHTS, may
from tests.studio.pages.conftest import Clients

METHODS = ("GET", "POST", "PUT", "DELETE")


def routes() -> Iterator[tuple[str, URLPattern]]:
    """Every pattern, by its address as it is written."""

    def walk(patterns: list, before: str) -> Iterator[tuple[str, URLPattern]]:
        for one in patterns:
            here = before + str(one.pattern)
            if isinstance(one, URLPattern):
                yield here, one
            else:
                yield from walk(one.url_patterns, here)

    return walk(get_resolver().url_patterns, "")


def declared(pattern: URLPattern, method: str) -> str | None:
    """The right that this view declares for the method; None when it takes no such request."""
    view = getattr(pattern.callback, "view_class", None)
    if view is None:
        rights = getattr(pattern.callback, "rights", None)
        assert rights, f"{pattern.callback} declares no right"
        return rights.get(method, rights["*"])
    if not hasattr(view, method.lower()):
        return None
    right = view.right
    return right.get(method, right.get("*")) if isinstance(right, dict) else right


ROUTES = dict(routes())


def test_every_view_declares_a_right_that_exists() -> None:
    known = {right for rights in RIGHTS.values() for right in rights} | {"public", "account"}
    for address, pattern in ROUTES.items():
        rights = {declared(pattern, method) for method in METHODS} - {None}
        assert rights, address
        assert rights <= known, address


def test_what_roles_are_for() -> None:
    # A reviewer sees only the inbox; a member only chats; a builder sets no secrets; an operator edits no flows.
    assert RIGHTS["reviewer"] == {"inbox"}
    assert RIGHTS["member"] == {"chat"}
    assert not may("builder", "operate")
    assert not may("builder", "people")
    assert not may("operator", "flows.edit")
    assert not may(None, "chat")


def address_of(route: str, filled: dict[str, Callable[[], object]]) -> str:
    parts = []
    for part in route.split("/"):
        if not part.startswith("<"):
            parts.append(part)
            continue
        name = part.strip("<>").partition(":")[2]
        before = [one for one in parts if one in filled]
        value = filled[name]() if name in filled else filled[before[-1]]() if before else uuid.uuid4()
        parts.append(str(value))
    return "/" + "/".join(parts)


def ask(client: Client, method: str, address: str):
    api = "/api/" in address or method in ("PUT", "DELETE")
    return client.generic(method, address, "{}" if api else "", "application/json")


# Looks for servers on this machine's ports for a second, or asks a model: its own tests do that.
SLOW = ("api/models/found",)


def at_each_route(check: Callable[[str], None]) -> None:
    """Check every address, each on the same rows: what was done at one is undone before the next."""
    faults: list[str] = []
    for route in ROUTES:
        if route not in SLOW:
            with transaction.atomic():
                try:
                    check(route)
                except AssertionError as fault:
                    faults.append(f"{route}: {fault}")
                finally:
                    transaction.set_rollback(True)
    assert not faults, "\n".join(faults)


@pytest.mark.any_database
def test_each_role_opens_what_it_may_and_nothing_else(filled: dict, member_client: Clients, stranger: Client) -> None:
    at_each_route(lambda route: _opens_what_it_may(route, filled, member_client, stranger))


def _opens_what_it_may(route: str, filled: dict, member_client: Clients, stranger: Client) -> None:
    pattern = ROUTES[route]
    address = address_of(route, filled)
    for method in METHODS:
        right = declared(pattern, method)
        if right is None:
            continue
        anonymous = ask(Client(), method, address)
        assert anonymous.status_code < 500, (method, address)
        if right != "public":
            sent_away = anonymous.status_code == 302 and anonymous["Location"].startswith("/sign-in")
            assert anonymous.status_code == 401 or sent_away, (method, address, anonymous.status_code)
        for role in RIGHTS:
            if may(role, right):
                continue
            reply = ask(member_client(role), method, address)
            assert reply.status_code == 403, (role, method, address, reply.status_code)
        # Another workspace's owner has every right at home and finds nothing here, with any method.
        if "<" in route and right != "public":
            away = ask(stranger, method, address)
            assert away.status_code in (404, 405, 400, 415), (method, address, away.status_code)
    # Those who may: never an error of ours. Deleting comes last, so it is left to its own tests.
    for method in METHODS:
        right = declared(pattern, method)
        for role in RIGHTS if right else ():
            if may(role, right or "") and not address.endswith(("/remove", "/delete")):
                assert ask(member_client(role), method, address).status_code < 500, (role, method, address)


def test_nothing_of_another_workspace_is_listed(agent: Deployment, stranger: Client, workspace: Workspace) -> None:
    # R21: every list is scoped to one workspace.
    for address in ("/flows", "/agents", "/settings/models", "/settings/people"):
        page = stranger.get(address).content.decode()
        assert "Order desk</a>" not in page
        assert "/flows/" + str(agent.flow_id) not in page
        assert workspace.name not in page


def test_a_person_without_a_workspace_sees_that_and_no_more(db: None) -> None:
    from studio.models import User

    client = Client()
    client.force_login(User.objects.create_user("lone@example.test", "x", name="Lone"))
    assert client.get("/")["Location"] == "/account"
    assert "in no workspace" in client.get("/account").content.decode()
    assert client.get("/flows").status_code == 403
