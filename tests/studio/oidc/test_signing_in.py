"""Signing in through a provider, over real HTTP: who is let in, where they come back to, and what is no answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from studio import accounts
from studio.models import Identity, User
from studio.oidc import attempt
from studio.pages.join import ANEW
from tests.studio.oidc.conftest import come_back, is_signed_in, leave, sign_in
from tests.support.people import PASSWORD
from tests.support.provider import Provider


@pytest.fixture
def ada(user: Callable[..., User], provider: Provider) -> User:
    """Somebody known here by the address that the provider vouches for."""
    found = user("builder", "Ada")
    provider.person["email"] = found.email
    return found


def refused(reply: Any, client: Client, *words: str) -> None:
    """Nobody is signed in, nothing was kept, and the page says why."""
    page = reply.content.decode()
    assert 400 <= reply.status_code < 500 or reply.status_code in (502, 503)
    for each in words:
        assert each in page
    assert not is_signed_in(client)
    assert not Identity.objects.exists()


def test_a_known_person_comes_back_to_where_they_were(ada: User, provider: Provider) -> None:
    # LG-contract-19
    client = Client()
    page = client.get("/sign-in?next=/a/desk%3Fc%3D1").content.decode()
    assert "Sign in with Acme ID" in page
    assert "/sign-in/provider?next=%2Fa%2Fdesk%3Fc%3D1" in page
    reply = sign_in(client, provider, "/a/desk?c=1")
    assert (reply.status_code, reply["Location"]) == (302, "/a/desk?c=1")
    assert client.session["_auth_user_id"] == str(ada.pk)
    bound = Identity.objects.get()
    assert (bound.user, bound.issuer, bound.sub) == (ada, provider.issuer, "ada-1")


def test_the_button_stands_only_where_a_provider_is_set_up(db: None, settings: Any) -> None:
    assert "/sign-in/provider" not in Client().get("/sign-in").content.decode()
    for name in ("provider", "return"):
        reply = Client().get(f"/sign-in/{name}?code=1&state=2")
        assert reply.status_code == 404
        assert "not set up here" in reply.content.decode()


def test_what_the_provider_is_asked(ada: User, provider: Provider) -> None:
    sign_in(Client(), provider)
    asked = provider.seen
    assert asked["tenant"] == "one"
    assert (asked["response_type"], asked["client_id"]) == ("code", "lgstudio")
    assert asked["redirect_uri"] == "http://testserver/sign-in/return"
    assert asked["code_challenge_method"] == "S256"
    assert "openid" in asked["scope"].split()
    assert "prompt" not in asked
    numbers = {asked["state"], asked["nonce"], asked["code_challenge"]}
    sign_in(Client(), provider)
    assert not numbers & {provider.seen["state"], provider.seen["nonce"], provider.seen["code_challenge"]}


def test_later_the_identity_counts_and_no_address(ada: User, user: Callable[..., User], provider: Provider) -> None:
    sign_in(Client(), provider)
    provider.person |= {"email": user("owner").email, "email_verified": False}
    client = Client()
    sign_in(client, provider)
    assert client.session["_auth_user_id"] == str(ada.pk)
    # Another identity with the address of somebody who is bound is somebody else.
    provider.person |= {"sub": "mallory", "email": ada.email, "email_verified": True}
    client = Client()
    reply = sign_in(client, provider)
    assert reply.status_code == 403
    assert "forget_identity" in reply.content.decode()
    assert not is_signed_in(client)


def test_a_closed_account_stays_closed(ada: User, provider: Provider) -> None:
    User.objects.filter(pk=ada.pk).update(is_active=False)
    client = Client()
    refused(sign_in(client, provider), client, "This account is closed")
    User.objects.filter(pk=ada.pk).update(is_active=True)
    assert is_signed_in_after(provider)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert not is_signed_in_after(provider)


def is_signed_in_after(provider: Provider) -> bool:
    client = Client()
    sign_in(client, provider)
    return is_signed_in(client)


def test_whom_nobody_invited_is_told_so_and_nothing_is_made(db: None, provider: Provider) -> None:
    client, before = Client(), User.objects.count()
    refused(sign_in(client, provider), client, "Nobody has invited you", "invite link")
    assert User.objects.count() == before
    assert not client.session.keys()


# Addresses


@pytest.mark.parametrize("said", [False, None, "true", 1, "yes", [True]])
def test_an_address_counts_only_when_the_provider_vouches_for_it(ada: User, provider: Provider, said: object) -> None:
    provider.person["email_verified"] = said
    client = Client()
    refused(sign_in(client, provider), client, "does not vouch that your e-mail address is yours")


def test_no_other_letters_are_somebodys(ada: User, provider: Provider) -> None:
    # The sign for kelvin is a small k when it is made small.
    User.objects.filter(pk=ada.pk).update(email="kim@example.test")
    provider.person["email"] = "\u212aim@example.test"
    client = Client()
    refused(sign_in(client, provider), client, "does not vouch")
    provider.person["email"] = "KIM@Example.test"
    assert is_signed_in_after(provider)


def test_a_name_to_sign_in_with_is_no_address(ada: User, provider: Provider) -> None:
    provider.person |= {"email": None, "preferred_username": ada.email, "upn": ada.email}
    client = Client()
    refused(sign_in(client, provider), client, "does not vouch")


def test_some_providers_tell_the_address_only_when_asked(ada: User, provider: Provider) -> None:
    provider.metadata["userinfo_endpoint"] = f"{provider.issuer}/about"
    provider.person |= {"email": None, "email_verified": None}
    provider.about = {"sub": "somebody else", "email": ada.email, "email_verified": True}
    client = Client()
    refused(sign_in(client, provider), client, "does not hold")
    provider.about["sub"] = "ada-1"
    assert is_signed_in_after(provider)


# Passwords


def test_a_password_that_was_chosen_for_a_claimed_address_ends(
    ada: User, user: Callable[..., User], provider: Provider
) -> None:
    # Whoever came by an open invite could write any address. The person whose it is must not share an account.
    User.objects.filter(pk=user("owner").pk).update(created_at="2000-01-01T00:00Z")
    other, client = Client(), Client()
    other.post("/sign-in", {"email": ada.email, "password": PASSWORD})
    assert is_signed_in(other)
    sign_in(client, provider)
    assert other.get("/account").status_code == 302
    assert "The password of this account ended" in client.get("/account").content.decode()
    assert Client().post("/sign-in", {"email": ada.email, "password": PASSWORD}).status_code == 422


def test_a_password_stays_where_the_address_is_known_to_be_theirs(
    ada: User, user: Callable[..., User], workspace: Any, provider: Provider
) -> None:
    User.objects.filter(pk=user("owner").pk).update(created_at="2000-01-01T00:00Z")
    token = accounts.make_invite(workspace, "member", by=user("owner"), email=ada.email)
    invite = accounts.find_invite(token)
    assert invite is not None
    accounts.accept(invite, ada)
    assert is_signed_in_after(provider)
    assert Client().post("/sign-in", {"email": ada.email, "password": PASSWORD}).status_code == 302


def test_whoever_is_signed_in_already_keeps_the_password(
    ada: User, user: Callable[..., User], provider: Provider
) -> None:
    User.objects.filter(pk=user("owner").pk).update(created_at="2000-01-01T00:00Z")
    client = Client()
    client.post("/sign-in", {"email": ada.email, "password": PASSWORD})
    sign_in(client, provider)
    assert Identity.objects.get().user == ada
    assert Client().post("/sign-in", {"email": ada.email, "password": PASSWORD}).status_code == 302


# Asked anew


def test_a_browser_that_was_signed_in_is_asked_anew(ada: User, provider: Provider) -> None:
    client = Client()
    sign_in(client, provider)
    address = leave(client, "/a/desk")
    asked = parse_qs(urlsplit(address).query)
    assert (asked["prompt"], asked["max_age"], asked["login_hint"]) == (["login"], ["0"], [ada.email])
    for said in (int(time.time()) - 3600, None, "now", True):
        provider.claims["auth_time"] = said
        reply = come_back(client, provider.lets_in(leave(client, "/a/desk")))
        assert reply.status_code == 403
        assert "did not ask anew" in reply.content.decode()
    provider.claims.clear()
    assert come_back(client, provider.lets_in(leave(client, "/a/desk")))["Location"] == "/a/desk"


def test_after_signing_out_too(ada: User, provider: Provider) -> None:
    client = Client()
    sign_in(client, provider)
    client.post("/sign-out")
    assert "prompt=login" in leave(client)
    provider.claims["auth_time"] = 1
    assert sign_in(client, provider).status_code == 403
    provider.claims.clear()
    sign_in(client, provider)
    assert not client.cookies[ANEW].value
    assert not is_signed_in(Client())


def test_somebody_else_may_sign_in_instead(ada: User, user: Callable[..., User], provider: Provider) -> None:
    client = Client()
    sign_in(client, provider)
    client.get("/flows")
    client.session["workspace"] = "kept"
    provider.person |= {"sub": "bob-1", "email": user("member", "Bob").email}
    sign_in(client, provider)
    assert client.session["_auth_user_id"] == str(user("member", "Bob").pk)
    assert "workspace" not in client.session


# What is no answer to a sign-in of this browser


def test_only_the_browser_that_left_comes_back(ada: User, provider: Provider) -> None:
    # Else somebody could sign another person in as themselves, and read what they write there.
    mallory, victim = Client(), Client()
    address = provider.lets_in(leave(mallory))
    refused(come_back(victim, address), victim, "another browser")
    leave(victim)
    refused(come_back(victim, address), victim, "another browser")
    assert "/token" not in provider.asked


@pytest.mark.parametrize(
    "changed",
    [
        {"state": None}, {"state": ""}, {"state": "x" * 40}, {"state": "é"}, {"code": None}, {"code": ""},
        {"code": "x" * 9000}, {"code": "a\nb"}, {"code": ["one", "two"]},
    ],
    ids=lambda changed: str(changed)[:24],
)  # fmt: skip
def test_an_answer_in_pieces_is_none(ada: User, provider: Provider, changed: dict[str, Any]) -> None:
    client = Client()
    address = provider.lets_in(leave(client))
    query = {**parse_qs(urlsplit(address).query), **changed}
    reply = client.get("/sign-in/return", {name: value for name, value in query.items() if value is not None})
    refused(reply, client, "belongs to no sign-in")
    assert "/token" not in provider.asked


def test_an_answer_comes_back_once(ada: User, provider: Provider) -> None:
    client, copy = Client(), Client()
    address = provider.lets_in(leave(client))
    for name, cookie in client.cookies.items():
        copy.cookies[name] = cookie.value
    come_back(client, address)
    assert is_signed_in(client)
    client.post("/sign-out")
    assert come_back(client, address).status_code == 400
    assert not is_signed_in(client)
    # Not even with a copy of the cookie, and with a code that the provider would still take.
    state = parse_qs(urlsplit(address).query)["state"][0]
    provider.codes["fresh"] = provider.seen
    before = provider.asked.count("/token")
    reply = copy.get("/sign-in/return", {"code": "fresh", "state": state})
    assert (reply.status_code, provider.asked.count("/token")) == (400, before)
    assert not is_signed_in(copy)


def test_an_answer_comes_within_ten_minutes(ada: User, provider: Provider, monkeypatch: Any) -> None:
    client = Client()
    address, now = provider.lets_in(leave(client)), time.time()
    monkeypatch.setattr(attempt.time, "time", lambda: now + attempt.LASTS + 1)
    refused(come_back(client, address), client, "ten minutes")


def test_another_tab_makes_none_of_them_younger(ada: User, provider: Provider, monkeypatch: Any) -> None:
    client, now = Client(), time.time()
    address = provider.lets_in(leave(client))
    monkeypatch.setattr(attempt.time, "time", lambda: now + attempt.LASTS - 10)
    leave(client)
    monkeypatch.setattr(attempt.time, "time", lambda: now + attempt.LASTS + 10)
    refused(come_back(client, address), client, "ten minutes")


def test_each_tab_comes_back_to_its_own_place(ada: User, provider: Provider) -> None:
    client = Client()
    addresses = [leave(client, f"/a/desk?c={number}") for number in range(attempt.MOST + 1)]
    assert come_back(client, provider.lets_in(addresses[-1]))["Location"].endswith(f"c={attempt.MOST}")
    assert come_back(client, provider.lets_in(addresses[1]))["Location"].endswith("c=1")
    assert come_back(client, provider.lets_in(addresses[0])).status_code == 400


def test_a_cookie_of_somebodys_own_making_is_none(ada: User, provider: Provider) -> None:
    client = Client()
    address = provider.lets_in(leave(client))
    name, value = next((name, one.value) for name, one in client.cookies.items() if "sign-in" in name)
    client.cookies[name] = value[:-2] + ("aa" if value[-2:] != "aa" else "bb")
    refused(come_back(client, address), client, "another browser")
    client.cookies[name] = "nothing"
    refused(come_back(client, address), client, "another browser")


def test_the_cookie_is_of_this_host_alone(ada: User, provider: Provider, settings: Any) -> None:
    settings.SESSION_COOKIE_SECURE = True
    client = Client()
    leave(client)
    cookie = client.cookies["__Host-sign-in"]
    assert (cookie["secure"], cookie["httponly"], cookie["path"], cookie["domain"]) == (True, True, "/", "")
    assert cookie["samesite"] == "Lax"


def test_another_providers_answer_is_none(ada: User, provider: Provider) -> None:
    client = Client()
    refused(sign_in(client, provider, iss="https://other.example"), client, "did not come from")
    provider.metadata["authorization_response_iss_parameter_supported"] = True
    from studio.oidc import remote

    remote.forget()
    client = Client()
    refused(sign_in(client, provider), client, "did not come from")
    assert "/token" not in provider.asked
    assert sign_in(client, provider, iss=provider.issuer).status_code == 302


def test_a_provider_that_was_set_up_meanwhile_is_another_one(ada: User, provider: Provider, settings: Any) -> None:
    client = Client()
    address = provider.lets_in(leave(client))
    settings.OIDC_ISSUER = provider.issuer.replace("127.0.0.1", "localhost")
    refused(come_back(client, address), client, "belongs to no sign-in")


@pytest.mark.parametrize(("error", "words"), [("access_denied", "said no"), ("<b>x", "does not answer as it should")])
def test_a_no_of_the_provider_is_said_in_our_words(ada: User, provider: Provider, error: str, words: str) -> None:
    client = Client()
    reply = sign_in(client, provider, code=None, error=error, error_description="<b>call 555</b>")
    refused(reply, client, words, "Sign in with a password")
    assert "555" not in reply.content.decode()


@pytest.mark.parametrize(
    "away", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil.example", "/" + "x" * 400]
)
def test_it_leads_nowhere_else(ada: User, provider: Provider, away: str) -> None:
    assert sign_in(Client(), provider, away)["Location"] == "/"


def test_another_name_of_this_host_begins_at_the_address_that_comes_back(provider: Provider, settings: Any) -> None:
    settings.PUBLIC_URL = "http://127.0.0.1:8420"
    address = leave(Client(), "/a/desk")
    assert address == "http://127.0.0.1:8420/sign-in/provider?next=%2Fa%2Fdesk&here=1"
    # Where a proxy changes the name, once is enough.
    assert leave(Client(), "/a/desk", here="1").startswith(provider.issuer)


def test_failures_are_counted_and_slow_no_password_down(ada: User, provider: Provider, monkeypatch: Any) -> None:
    monkeypatch.setattr(accounts, "TRIES_PER_ADDRESS", 3)
    for _ in range(5):
        assert is_signed_in_after(provider)
    provider.claims["nonce"] = "another"
    replies = [sign_in(Client(), provider).status_code for _ in range(4)]
    assert replies == [400, 400, 400, 429]
    provider.claims.clear()
    asked = provider.asked.count("/token")
    assert not is_signed_in_after(provider)
    assert provider.asked.count("/token") == asked
    assert Client().post("/sign-in", {"email": ada.email, "password": PASSWORD}).status_code == 302


def test_reading_ahead_uses_nothing_up(ada: User, provider: Provider) -> None:
    client = Client()
    address = provider.lets_in(leave(client))
    assert client.head(address.removeprefix("http://testserver")).status_code == 405
    assert come_back(client, address).status_code == 302
