"""Joining by an invite link with the identity of a provider, and what pages then say of how somebody signs in."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from flows.models import Workspace
from studio import accounts
from studio.models import Identity, Membership, User
from studio.strings import t
from tests.studio.oidc.conftest import is_signed_in, sign_in
from tests.support.provider import Provider

Invited = Callable[..., str]


@pytest.fixture
def invited(workspace: Workspace, user: Callable[..., User]) -> Invited:
    """`invited(email="…")`: the path of a new invite link."""
    return lambda **given: f"/join/{accounts.make_invite(workspace, 'builder', by=user('owner'), **given)}"


def test_who_opens_an_invite_joins_by_a_button(invited: Invited, workspace: Workspace, provider: Provider) -> None:
    # LG-contract-19
    client, here = Client(), invited()
    assert "Go on with Acme ID" in client.get(here).content.decode()
    reply = sign_in(client, provider, here)
    # Nothing is made until they say so here: a link that somebody else made them press joins nobody.
    assert (reply.status_code, reply["Location"]) == (302, here)
    assert not User.objects.filter(email="ada@example.test").exists()
    assert not is_signed_in(client)
    page = client.get(here).content.decode()
    assert "Acme ID says that you are ada@example.test." in page
    assert 'value="Ada"' in page
    assert 'type="password"' not in page
    client.post(here, {"through": "1", "name": "Ada L."})
    ada = User.objects.get(email="ada@example.test")
    assert (ada.name, ada.has_usable_password()) == ("Ada L.", False)
    assert Identity.objects.get().user == ada
    assert Membership.everywhere.get(user=ada).role == "builder"
    assert client.session["_auth_user_id"] == str(ada.pk)
    assert "identity" not in client.session
    client.post("/sign-out")
    sign_in(client, provider)
    assert client.session["_auth_user_id"] == str(ada.pk)


def test_joining_needs_the_forms_token(invited: Invited, provider: Provider) -> None:
    client, here = Client(enforce_csrf_checks=True), invited()
    sign_in(client, provider, here)
    assert client.post(here, {"through": "1", "name": "Ada"}).status_code == 403
    assert not User.objects.filter(email="ada@example.test").exists()


def test_an_invite_for_another_address_is_not_theirs(invited: Invited, provider: Provider) -> None:
    client, here = Client(), invited(email="bob@example.test")
    reply = sign_in(client, provider, here)
    assert reply.status_code == 403
    assert "This invite is for bob@example.test" in reply.content.decode()
    assert "identity" not in client.session
    # Nor with the identity that another invite left in the session.
    sign_in(client, provider, invited())
    assert "Acme ID says" not in client.get(here).content.decode()
    reply = client.post(here, {"through": "1", "name": "Ada", "email": "bob@example.test", "password": ""})
    assert reply.status_code == 422
    assert not User.objects.filter(email__in=["ada@example.test", "bob@example.test"]).exists()


def test_an_invite_that_names_them_is(invited: Invited, provider: Provider) -> None:
    client, here = Client(), invited(email="ADA@example.test")
    sign_in(client, provider, here)
    assert client.post(here, {"through": "1", "name": "Ada"}).status_code == 302
    assert is_signed_in(client)


@pytest.mark.parametrize("said", [False, None])
def test_nobody_joins_with_an_address_that_nobody_vouches_for(
    invited: Invited, provider: Provider, said: object
) -> None:
    provider.person["email_verified"] = said
    client, here = Client(), invited()
    assert "does not vouch" in sign_in(client, provider, here).content.decode()
    client.post(here, {"through": "1", "name": "Ada"})
    assert not User.objects.filter(email="ada@example.test").exists()


@pytest.mark.parametrize("next", ["/join/unknown", "/join/", "/", "/a/desk?c=/join/x"])
def test_without_an_invite_nobody_joins(invited: Invited, provider: Provider, next: str) -> None:
    client = Client()
    reply = sign_in(client, provider, next)
    assert reply.status_code == 403
    assert "Nobody has invited you" in reply.content.decode()
    client.post(invited(), {"through": "1", "name": "Ada"})
    assert not User.objects.filter(email="ada@example.test").exists()


def test_what_the_provider_said_holds_for_ten_minutes(invited: Invited, provider: Provider) -> None:
    client, here = Client(), invited()
    sign_in(client, provider, here)
    session = client.session
    session["identity"] = {**session["identity"], "until": (timezone.now() - timedelta(seconds=1)).timestamp()}
    session.save()
    late = client.post(here, {"through": "1", "name": "Ada"})
    assert late.status_code == 422
    words = late.content.decode()
    assert "That took longer than ten minutes. Choose Acme ID once more." in words and 'value="Ada"' in words
    assert "aria-invalid" not in words and t("account.email_wrong") not in words
    assert not User.objects.filter(email="ada@example.test").exists()


# LG-contract-19
def test_nobody_joins_in_a_session_that_somebody_else_knew_before(invited: Invited, provider: Provider) -> None:
    client, other, here = Client(), Client(), invited()
    session = other.session
    session["planted"] = True
    session.save()
    known = session.session_key
    client.cookies["sessionid"] = other.cookies["sessionid"] = str(known)
    sign_in(client, provider, here)
    assert "Acme ID says that you are ada@example.test." in client.get(here).content.decode()
    assert client.session.session_key != known
    assert "ada@example.test" not in other.get(here).content.decode()
    other.post(here, {"through": "1", "name": "Ada"})
    assert not User.objects.filter(email="ada@example.test").exists()


# LG-contract-19
def test_an_identity_that_joined_elsewhere_meanwhile_is_told_so(invited: Invited, provider: Provider) -> None:
    client, other, here = Client(), Client(), invited()
    sign_in(client, provider, here)
    # Their address at the provider changed between the two.
    provider.person |= {"email": "countess@example.test"}
    there = invited()
    sign_in(other, provider, there)
    assert other.post(there, {"through": "1", "name": "Ada"}).status_code == 302
    reply = client.post(here, {"through": "1", "name": "Ada"})
    assert (reply.status_code, User.objects.filter(email="ada@example.test").exists()) == (422, False)
    assert "Acme ID" in reply.content.decode() and t("join.through_known", name="Acme ID") in reply.content.decode()
    assert accounts.find_invite(here.removeprefix("/join/"))


def test_an_invite_works_once(invited: Invited, provider: Provider) -> None:
    client, other, here = Client(), Client(), invited()
    sign_in(client, provider, here)
    provider.person |= {"sub": "bob-1", "email": "bob@example.test"}
    sign_in(other, provider, here)
    other.post(here, {"through": "1", "name": "Bob"})
    assert client.post(here, {"through": "1", "name": "Ada"}).status_code == 410
    assert not User.objects.filter(email="ada@example.test").exists()
    assert Identity.objects.count() == 1


def test_who_is_known_joins_as_themselves(invited: Invited, provider: Provider, db: None) -> None:
    elsewhere = Workspace.objects.create(name="Elsewhere")
    from tests.support.people import person

    ada = person(elsewhere, "member", "Ada")
    provider.person["email"] = ada.email
    client, here = Client(), invited()
    sign_in(client, provider, here)
    assert "Join as Ada" in client.get(here).content.decode()
    client.post(here)
    assert Membership.everywhere.filter(user=ada).count() == 2


def test_a_name_is_asked_for(invited: Invited, provider: Provider) -> None:
    provider.person["name"] = None
    client, here = Client(), invited()
    sign_in(client, provider, here)
    reply = client.post(here, {"through": "1", "name": " "})
    assert reply.status_code == 422
    assert "Write your name" in reply.content.decode()
    provider.person["name"] = "<b>x</b>" * 100
    sign_in(client, provider, here)
    assert "<b>x" not in client.get(here).content.decode()


# What pages say


def test_the_account_says_how_one_signs_in(invited: Invited, provider: Provider, user: Callable[..., User]) -> None:
    client, here = Client(), invited()
    sign_in(client, provider, here)
    client.post(here, {"through": "1", "name": "Ada"})
    page = client.get("/account").content.decode()
    assert "Signs in through Acme ID" in page
    assert "This account has no password" in page
    assert 'name="new_password"' not in page
    # Nobody sets one at a desk that was left, either.
    sent = {"current_password": "", "new_password": "a long enough phrase"}
    assert client.post("/account/password", sent).status_code == 403
    assert not User.objects.get(email="ada@example.test").has_usable_password()
    with_one = Client()
    with_one.force_login(user("owner"))
    page = with_one.get("/account").content.decode()
    assert "Signs in with a password" in page
    assert 'name="new_password"' in page


def test_an_account_without_a_password_is_signed_in_with_none(invited: Invited, provider: Provider) -> None:
    client, here = Client(), invited()
    sign_in(client, provider, here)
    client.post(here, {"through": "1", "name": "Ada"})
    stored = User.objects.get(email="ada@example.test").password
    for guess in ("", " ", "!", stored, stored[1:]):
        assert Client().post("/sign-in", {"email": "ada@example.test", "password": guess}).status_code == 422


def test_the_people_page_says_how_each_signs_in(
    invited: Invited, provider: Provider, user: Callable[..., User], settings: Any, django_assert_max_num_queries: Any
) -> None:
    provider.person["email"] = user("member", "Ada").email
    sign_in(Client(), provider)
    joined, here = Client(), invited()
    provider.person |= {"sub": "bob-1", "email": "bob@example.test", "name": "Bob"}
    sign_in(joined, provider, here)
    joined.post(here, {"through": "1", "name": "Bob"})
    owner = Client()
    owner.force_login(user("owner"))
    with django_assert_max_num_queries(16):
        page = owner.get("/settings/people").content.decode()
    assert "Signs in through Acme ID" in page
    assert "Signs in with a password" in page
    assert "http://testserver/sign-in/return" in page
    settings.OIDC_ISSUER = settings.OIDC_CLIENT_ID = settings.OIDC_CLIENT_SECRET = ""
    page = owner.get("/settings/people").content.decode()
    assert "Cannot sign in" in page
    assert "set OIDC_ISSUER" in page


def test_an_identity_is_forgotten_by_a_command(provider: Provider, user: Callable[..., User]) -> None:
    ada, out = user("member", "Ada"), io.StringIO()
    provider.person["email"] = ada.email
    sign_in(Client(), provider)
    provider.person["sub"] = "ada-2"
    assert sign_in(Client(), provider).status_code == 403
    call_command("forget_identity", ada.email.upper(), stdout=out)
    assert "Forgotten" in out.getvalue()
    client = Client()
    sign_in(client, provider)
    assert is_signed_in(client)
    with pytest.raises(CommandError, match="Nobody here"):
        call_command("forget_identity", "nobody@example.test")
    with pytest.raises(CommandError, match="has not signed in"):
        call_command("forget_identity", user("owner").email)
