"""Signing in through a provider, in a browser: from a chat and back to it, by an invite, and every page on the way.

`SCREENSHOTS=folder` keeps pictures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.company import ECHO, Company, box, send, settled
from tests.e2e.conftest import Pages
from tests.e2e.looks import looks
from tests.support import provider as providers
from tests.support.provider import Provider
from tests.support.stack import Stack, running

LONG = "Maximiliane Freifrau von und zu Hohenstein-Oberkirchen أحمد بن عبد الرحمن"


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Stack, Provider]]:
    """A product that knows a provider."""
    with (
        providers.serve(email="nobody@example.test") as provider,
        running(env={**provider.settings(), "OIDC_NAME": "Acme ID"}) as stack,
    ):
        yield stack, provider


@pytest.fixture
def provider(served: tuple[Stack, Provider]) -> Provider:
    return served[1]


@pytest.fixture
def place(served: tuple[Stack, Provider], pages: Pages) -> Iterator[Company]:
    """A company on that product."""
    stack = served[0]
    stack.open = pages.open
    yield Company(stack, stack.call("tests.e2e.inside:company"))
    stack.open = None
    pages.leave()


def says(page: Page, who: str = "Ada") -> None:
    """At the provider: this is who I am."""
    expect(page.get_by_role("heading", name="Who are you?")).to_be_visible()
    page.get_by_role("button", name=f"I am {who}").click()


def test_from_a_chat_to_the_provider_and_back(place: Company, provider: Provider) -> None:
    # LG-contract-19
    agent = place.deploy(document={**ECHO, "requires": {"users": True}})
    known = place.stack.call("tests.e2e.inside:address", who=place.people["member"]["id"])
    provider.person |= {"email": known, "name": "Mina"}
    place.says("are you there", "I am here.")

    page = place.visitor(agent["path"])
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    looks(page, "sign-in-provider")
    page.get_by_role("link", name="Sign in with Acme ID").click()
    page.get_by_role("button", name="No").click()
    expect(page.get_by_role("heading", name="You are not signed in")).to_be_visible()
    looks(page, "provider-denied")
    page.get_by_role("link", name="Try again with Acme ID").click()
    says(page, "Mina")
    page.wait_for_url(f"**{agent['path']}")
    send(page, "are you there")
    expect(page.get_by_text("I am here.", exact=True)).to_be_visible()
    settled(page)
    here = page.url
    assert "?c=" in here

    # Nobody was there for too long: the lock's button comes back to this conversation, and asks anew.
    page.get_by_role("textbox", name="Message", exact=True).fill("half a sen")
    place.stack.call("tests.e2e.inside:fall_silent", who=place.people["member"]["id"])
    lock = page.get_by_role("link", name="Acme ID")
    expect(lock).to_be_visible()
    expect(page.get_by_text("I am here.", exact=True)).to_have_count(0)
    looks(page, "lock-provider")
    lock.click()
    asked = parse_qs(urlsplit(page.url).query)
    assert (asked["prompt"], asked["login_hint"]) == (["login"], [known])
    says(page, "Mina")
    expect(page.get_by_text("I am here.", exact=True)).to_be_visible()
    assert page.url == here
    expect(box(page)).to_have_value("half a sen")

    # And so does the sign-in page, after signing out.
    page.goto("/account")
    page.context.request.post(f"{place.stack.url}/sign-out", headers=_token(page))
    page.goto(here)
    page.get_by_role("link", name="Sign in with Acme ID").click()
    assert "prompt=login" in page.url
    says(page, "Mina")
    expect(page.get_by_text("I am here.", exact=True)).to_be_visible()
    assert page.url == here


def _token(page: Page) -> dict[str, str]:
    found = page.locator('meta[name="csrf-token"]').get_attribute("content")
    return {"X-CSRFToken": found or "", "Referer": page.url}


def test_by_an_invite(place: Company, provider: Provider) -> None:
    # LG-contract-19
    provider.person |= {"name": LONG, "email": "m." + "hohenstein-oberkirchen." * 2 + "long@example.test", "sub": "m"}
    owner = place.page("owner", "/settings/people")
    owner.get_by_role("button", name="Invite somebody").click()
    owner.get_by_role("button", name="Make the link").click()
    link = owner.locator("#invite-link").input_value()

    page = place.visitor("/sign-in")
    page.get_by_role("link", name="Sign in with Acme ID").click()
    page.locator('button[value="yes"]').click()
    expect(page.get_by_role("heading", name="Nobody has invited you")).to_be_visible()
    looks(page, "provider-not-invited")

    page.goto(link)
    looks(page, "join-provider")
    page.get_by_role("link", name="Go on with Acme ID").click()
    page.locator('button[value="yes"]').click()
    expect(page.get_by_text("Acme ID says that you are")).to_be_visible()
    expect(page.get_by_role("textbox", name="Your name")).to_have_value(LONG)
    looks(page, "join-through-provider")
    page.evaluate("document.documentElement.dir = 'rtl'")
    looks(page, "join-through-provider-rtl")
    page.get_by_role("button", name="Join with Acme ID").click()
    expect(page).to_have_url(re.compile("/flows$"))
    page.goto("/account")
    expect(page.get_by_text("This account has no password")).to_be_visible()
    looks(page, "account-without-password")
    owner.goto("/settings/people")
    expect(owner.get_by_text("Signs in through Acme ID")).to_be_visible()
    looks(owner, "people-provider")
