"""Accounts: the first one, signing in, invites, roles, passwords."""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client, RequestFactory
from django.utils import timezone

from flows.models import Workspace
from studio import accounts
from studio.models import Invite, Membership, User
from tests.studio.pages.conftest import Clients
from tests.support.people import PASSWORD

GOOD = {"workspace": "Acme", "name": "Ada", "email": "Ada@Example.test", "password": "a long enough phrase"}


def first_address() -> str:
    out = io.StringIO()
    call_command("first_sign_in", stdout=out)
    return "/" + out.getvalue().strip().split("/", 3)[3]


def test_the_first_account_owns_the_workspace_and_comes_to_the_models(db: None) -> None:
    client, address = Client(), first_address()
    assert client.get(address).status_code == 200
    reply = client.post(address, GOOD)
    assert (reply.status_code, reply["Location"]) == (302, "/settings/models")
    page = client.get("/settings/models").content.decode()
    assert "Try the demo model" in page
    assert "First, say which model answers" in page
    owner = Membership.everywhere.get()
    assert (owner.role, owner.user.email, owner.workspace.name) == ("owner", "ada@example.test", "Acme")


def test_the_first_address_works_once_and_the_newest_only(db: None) -> None:
    old, new = first_address(), first_address()
    assert Client().get(old).status_code == 410
    assert Client().post(new, GOOD).status_code == 302
    assert Client().get(new).status_code == 410
    assert first_address() == "/sign-in"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"email": "nobody"}, "Write an e-mail address"),
        ({"name": " "}, "Write your name"),
        ({"workspace": ""}, "Give the workspace a name"),
        ({"password": "short"}, "At least 10 characters"),
        ({"password": "1234567890"}, "common passwords"),
    ],
)
def test_a_wrong_field_says_so_beside_it_and_keeps_the_rest(db: None, wrong: dict, words: str) -> None:
    reply = Client().post(first_address(), {**GOOD, **wrong})
    page = reply.content.decode()
    assert reply.status_code == 422
    assert words in page
    assert 'aria-invalid="true"' in page
    if "name" not in wrong:
        assert 'value="Ada"' in page
    assert not User.objects.exists()
    assert "a long enough phrase" not in page


def test_signing_in_and_out(user: Callable[..., User]) -> None:
    person, client = user("reviewer"), Client()
    reply = client.post("/sign-in", {"email": person.email.upper(), "password": PASSWORD, "next": "/inbox"})
    assert (reply.status_code, reply["Location"]) == (302, "/inbox")
    assert client.session.get_expiry_age() == 30 * 24 * 3600
    client.post("/sign-out")
    assert client.get("/account")["Location"].startswith("/sign-in")


@pytest.mark.parametrize("away", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil.example"])
def test_sign_in_leads_nowhere_else(user: Callable[..., User], away: str) -> None:
    reply = Client().post("/sign-in", {"email": user("owner").email, "password": PASSWORD, "next": away})
    assert reply["Location"] == "/"


def test_guessing_is_slowed_down(user: Callable[..., User]) -> None:
    person = user("owner")
    guesses = [Client().post("/sign-in", {"email": person.email, "password": f"no {n}"}) for n in range(10)]
    assert guesses[0].status_code == 422
    assert guesses[-1].status_code == 429
    assert "Too many tries" in guesses[-1].content.decode()
    # The right password does not help while the door is shut, and a stranger learns nothing from the wait.
    assert Client().post("/sign-in", {"email": person.email, "password": PASSWORD}).status_code == 429
    other = Client().post("/sign-in", {"email": user("member").email, "password": PASSWORD})
    assert other.status_code == 302


def test_signing_in_uses_up_no_try(user: Callable[..., User]) -> None:
    person = user("owner")
    right, wrong = ({"email": person.email, "password": word} for word in (PASSWORD, "no"))
    for _ in range(accounts.TRIES_PER_ADDRESS + 5):
        assert Client().post("/sign-in", right).status_code == 302
    # And the right password clears the wrong ones before it.
    for _ in range(3):
        for _ in range(accounts.TRIES_PER_ACCOUNT - 1):
            assert Client().post("/sign-in", wrong).status_code == 422
        assert Client().post("/sign-in", right).status_code == 302


def test_one_address_has_so_many_failures_whoever_it_asks_for(db: None) -> None:
    codes = [
        Client().post("/sign-in", {"email": f"n{n}@example.test", "password": "x"}).status_code
        for n in range(accounts.TRIES_PER_ADDRESS + 1)
    ]
    assert codes == [422] * accounts.TRIES_PER_ADDRESS + [429]


def test_tries_at_once_are_all_counted(transactional_db: None) -> None:
    def one(_: int) -> str:
        try:
            accounts.count_try("192.0.2.1", "a@example.test")
        except accounts.TooManyTries:
            return "refused"
        finally:
            connection.close()
        return "let"

    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(one, range(24)))
    assert outcomes.count("let") == accounts.TRIES_PER_ACCOUNT


@pytest.mark.parametrize(
    ("behind", "forwarded", "address", "found"),
    [
        (False, "203.0.113.9", "192.0.2.1", "192.0.2.1"),
        (True, "203.0.113.9", "192.0.2.1", "203.0.113.9"),
        (True, "198.51.100.1, 203.0.113.9", "192.0.2.1", "203.0.113.9"),
        (True, "", "192.0.2.1", "192.0.2.1"),
        (True, "nonsense", "192.0.2.1", ""),
        (True, "2001:db8:1:2:3:4:5:6", "192.0.2.1", "2001:db8:1:2::/64"),
        (False, "", "::ffff:192.0.2.1", "192.0.2.1"),
    ],
)
def test_a_clients_address_is_the_proxys_word_only_behind_one(
    settings, behind: bool, forwarded: str, address: str, found: str
) -> None:
    settings.BEHIND_PROXY = behind
    request = RequestFactory().get("/", REMOTE_ADDR=address, HTTP_X_FORWARDED_FOR=forwarded)
    assert accounts.address_of(request) == found


def test_unknown_addresses_and_wrong_passwords_get_the_same_words(user: Callable[..., User]) -> None:
    pages = [
        Client().post("/sign-in", {"email": email, "password": "wrong wrong wrong"}).content.decode()
        for email in (user("owner").email, "nobody@example.test")
    ]
    assert all("do not belong together" in page for page in pages)


def invite(client: Client, **body: str) -> str:
    """Makes an invite link over the page; its path."""
    reply = client.post("/settings/people/invites", {"role": "builder", "days": "7", **body})
    assert reply.status_code == 302
    page = client.get("/settings/people").content.decode()
    return "/join/" + page.split("/join/")[1].split('"')[0]


def test_an_invite_lets_one_person_in_with_its_role(workspace: Workspace, member_client: Clients) -> None:
    owner = member_client("owner")
    link = invite(owner)
    assert link not in owner.get("/settings/people").content.decode()
    assert "Builder" in Client().get(link).content.decode()
    newcomer = Client()
    body = {"name": "Bo", "email": "bo@example.test", "password": "a long enough phrase"}
    assert newcomer.post(link, body)["Location"] == "/"
    assert Membership.objects.get(user__email="bo@example.test").role == "builder"
    assert newcomer.get("/flows").status_code == 200
    assert Client().get(link).status_code == 410
    assert Client().post(link, {**body, "email": "late@example.test"}).status_code == 410
    assert not User.objects.filter(email="late@example.test").exists()


def test_an_invite_ends_by_revoking_and_by_time(workspace: Workspace, member_client: Clients) -> None:
    owner = member_client("owner")
    link = invite(owner)
    row = Invite.objects.get()
    owner.post(f"/settings/people/invites/{row.pk}/revoke")
    assert Client().get(link).status_code == 410
    assert owner.post(f"/settings/people/invites/{row.pk}/revoke").status_code == 404
    late = invite(owner)
    Invite.objects.filter(revoked_at=None).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(late).status_code == 410


def test_an_invite_for_an_address_is_for_that_address(workspace: Workspace, member_client: Clients) -> None:
    link = invite(member_client("owner"), email="bo@example.test")
    body = {"name": "Eve", "email": "eve@example.test", "password": "a long enough phrase"}
    assert Client().post(link, body).status_code == 422
    eve = Client()
    eve.force_login(User.objects.create_user("eve@example.test", "x", name="Eve"))
    assert eve.post(link).status_code == 403
    assert Client().post(link, {**body, "email": "BO@example.test"}).status_code == 302


def test_an_account_joins_a_second_workspace_and_switches(workspace: Workspace, member_client: Clients) -> None:
    link = invite(member_client("owner"), role="member")
    other = Workspace.objects.create(name="Elsewhere")
    person = User.objects.create_user("two@example.test", "x", name="Two")
    Membership.everywhere.create(workspace=other, user=person, role="owner")
    client = Client()
    client.force_login(person)
    client.post(link)
    assert client.get("/flows").status_code == 403
    client.post("/workspace", {"workspace": str(other.pk)})
    assert client.get("/flows").status_code == 200
    third = Workspace.objects.create(name="Third")
    assert client.post("/workspace", {"workspace": str(third.pk)}).status_code == 404
    assert client.post("/workspace", {"workspace": "nonsense"}).status_code == 404


def test_the_last_owner_stays(workspace: Workspace, user: Callable[..., User], member_client: Clients) -> None:
    owner = member_client("owner")
    mine = Membership.objects.get(user=user("owner"))
    assert owner.post(f"/settings/people/{mine.pk}/remove").status_code == 409
    assert owner.post(f"/settings/people/{mine.pk}/role", {"role": "member"}).status_code == 409
    second = Membership.objects.get(user=user("owner", "Second"))
    assert owner.post(f"/settings/people/{second.pk}/role", {"role": "builder"}).status_code == 302
    assert Membership.objects.get(pk=second.pk).role == "builder"


def test_only_owners_make_owners(workspace: Workspace, user: Callable[..., User], member_client: Clients) -> None:
    operator = member_client("operator")
    owner, member = (Membership.objects.get(user=user(role)) for role in ("owner", "member"))
    assert operator.post("/settings/people/invites", {"role": "owner", "days": "7"}).status_code == 403
    assert operator.post(f"/settings/people/{member.pk}/role", {"role": "owner"}).status_code == 403
    assert operator.post(f"/settings/people/{owner.pk}/remove").status_code == 403
    assert operator.post(f"/settings/people/{member.pk}/role", {"role": "reviewer"}).status_code == 302
    assert operator.post(f"/settings/people/{member.pk}/role", {"role": "king"}).status_code == 404
    assert operator.post(f"/settings/people/{member.pk}/remove").status_code == 302
    assert operator.post(f"/settings/people/{member.pk}/remove").status_code == 404


def opens(path: str) -> bool:
    return Client().get(path).status_code == 200


def test_the_links_of_who_was_removed_end_with_them(
    workspace: Workspace, user: Callable[..., User], member_client: Clients
) -> None:
    operator, owner = member_client("operator"), member_client("owner")
    theirs, kept = invite(operator), invite(owner)
    for_them = invite(owner, email=user("operator").email)
    accounts.remove(Membership.objects.get(user=user("operator")), by="owner")
    assert [opens(path) for path in (theirs, for_them, kept)] == [False, False, True]


def test_the_links_that_a_role_no_longer_allows_end_with_it(
    workspace: Workspace, user: Callable[..., User], member_client: Clients
) -> None:
    second = member_client("owner", "Second")
    plain, mighty = invite(second), invite(second, role="owner")
    membership = Membership.objects.get(user=user("owner", "Second"))
    user("owner")
    accounts.change_role(membership, "operator", by="owner")
    assert [opens(path) for path in (plain, mighty)] == [True, False]
    accounts.change_role(membership, "builder", by="owner")
    assert not opens(plain)


def test_a_removed_person_is_out_at_once(user: Callable[..., User], member_client: Clients) -> None:
    builder = member_client("builder")
    assert builder.get("/flows").status_code == 200
    accounts.remove(Membership.objects.get(user=user("builder")), by="owner")
    assert builder.get("/flows").status_code == 403


def test_a_new_password_ends_every_other_session(user: Callable[..., User], member_client: Clients) -> None:
    here, there = member_client("builder"), member_client("builder")
    wrong = here.post("/account/password", {"current_password": "guess", "new_password": "another long phrase"})
    assert wrong.status_code == 422
    assert there.get("/account").status_code == 200
    reply = here.post("/account/password", {"current_password": PASSWORD, "new_password": "another long phrase"})
    assert reply.status_code == 302
    assert here.get("/account").status_code == 200
    assert there.get("/account").status_code == 302


def test_a_deactivated_account_is_signed_out(user: Callable[..., User], member_client: Clients) -> None:
    client = member_client("builder")
    User.objects.filter(pk=user("builder").pk).update(is_active=False)
    assert client.get("/account").status_code == 302
