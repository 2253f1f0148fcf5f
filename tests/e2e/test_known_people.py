"""An agent that answers only known people, in a browser: who gets in, and what its page shows while locked.

`SCREENSHOTS=folder` keeps pictures.
"""

from __future__ import annotations

import re
import uuid
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.company import ECHO, Company, box, conversation, send, settled
from tests.e2e.looks import looks

KNOWS: dict[str, Any] = {**ECHO, "name": "Personnel desk", "requires": {"users": True}}
ASKS: dict[str, Any] = {
    **KNOWS,
    "name": "Leave desk",
    "state": {**ECHO["state"], "plan": {"type": "object", "description": "What is wanted."}},
    "nodes": [
        {
            "id": "complete", "type": "form", "title": "Your leave", "output": "plan",
            "fields": {"reason": {"type": "text", "label": "Reason"}, "days": {"type": "number", "label": "Days"}},
        },
        *ECHO["nodes"],
    ],
    "start": "complete",
    "edges": [{"from": "complete", "to": "reply"}, {"from": "reply", "to": "END"}],
}  # fmt: skip
LONG = "Maximiliane Freifrau von und zu Hohenstein-Oberkirchen أحمد بن عبد الرحمن"
SECRET = "Dana earns 61,250 euros and wants more."


def silence(company: Company, who: str) -> None:
    company.stack.call("tests.e2e.inside:fall_silent", who=company.people[who]["id"])


def locked(page: Page) -> None:
    expect(page.get_by_role("heading", name="Locked")).to_be_visible()


def password(company: Company, who: str, **known: str) -> dict[str, str]:
    return company.stack.call("tests.e2e.inside_known:give_password", who=company.people[who]["id"], **known)


def sign_in(page: Page, known: dict[str, str]) -> None:
    page.get_by_label("E-mail address").fill(known["email"])
    page.get_by_label("Password").fill(known["password"])
    page.get_by_role("button", name="Sign in", exact=True).click()


# LG-contract-13, LG-contract-20, LG-contract-21
def test_who_is_known_chats_and_silence_locks_what_they_said(company: Company) -> None:
    mina = password(company, "member", called=LONG, email=f"mina.{'hohenstein' * 4}.{uuid.uuid4().hex}@example.test")
    bea = password(company, "builder")
    desk, leave = company.deploy(document=KNOWS), company.deploy(document=ASKS)
    company.says("salary", SECRET, hold_after=20)

    # Nobody gets in without a name, and one sign-in opens every chat.
    page = company.visitor(desk["link"])
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    sign_in(page, mina)
    page.wait_for_url(f"**{desk['path']}")
    other = page.context.new_page()
    other.goto(leave["path"])
    send(other, "I want to go away")
    reason = other.get_by_label("Reason")
    reason.fill("My sister marries in Porto.")

    send(page, "What about the salary of Dana?")
    expect(page.get_by_text("Dana earns 61,250")).to_be_visible()
    box(page).fill("And what does Noa ea")

    # Both pages are emptied within seconds, while the run goes on.
    silence(company, "member")
    locked(page)
    locked(other)
    company.stack.demo.release()
    for each in (page, other):
        text = each.content() + each.title()
        for word in ("salary", "Dana", "61,250", "Noa", "Porto", "Suggestions"):
            assert word not in text, word
        assert each.evaluate("document.querySelectorAll('textarea, .chat').length") == 0
    expect(page.get_by_text(mina["email"])).to_be_visible()
    looks(page, "lock")
    page.evaluate("document.documentElement.dir = 'rtl'")
    looks(page, "lock-rtl")
    page.reload()
    locked(page)
    assert "salary" not in page.content()

    # Another password opens nothing; the right one brings everything back, on every page.
    field = page.get_by_label("Password")
    field.fill("guess")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not the password of this account")
    looks(page, "lock-wrong", widths=(390,))
    field.fill(mina["password"])
    field.press("Enter")
    expect(page.get_by_text(SECRET)).to_be_visible()
    settled(page)
    expect(box(page)).to_have_value("And what does Noa ea")
    assert company.stack.call("tests.e2e.inside_known:runs", slug=desk["slug"]) == [["done", mina["email"]]]
    other.bring_to_front()
    other.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(reason).to_have_value("My sister marries in Porto.")

    # Whoever signs in after her, in the same tab, finds a chat of their own.
    silence(company, "member")
    locked(page)
    page.get_by_role("button", name="Sign in as somebody else").click()
    sign_in(page, bea)
    page.wait_for_url(f"**{desk['path']}*")
    expect(page.get_by_role("heading", name="How can Personnel desk help?")).to_be_visible()
    expect(box(page)).to_have_value("")
    assert not any("salary" in line for line in conversation(page))


def test_terms_of_an_agent_that_knows_its_people(company: Company) -> None:
    desk = company.deploy(document=KNOWS)
    page = company.page("owner", f"/flows/{desk['flow']}/publish")
    expect(page.get_by_text("a visitor has no name")).to_be_visible()
    expect(page.get_by_role("radio", name=re.compile("Anyone with the link"))).to_have_count(0)
    looks(page, "publish-known")
    page.goto(f"/agents/{desk['slug']}/settings")
    page.get_by_role("radio", name=re.compile("Listed people")).check()
    expect(page.get_by_text("With nobody ticked it answers nobody.")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("It answers nobody: no one is ticked.")).to_be_visible()
    looks(page, "agent-known-nobody")
    for path, name in (("/agents", "agents-known"), (f"/agents/{desk['slug']}/published", "published-known")):
        page.goto(path)
        expect(page.get_by_text("It answers nobody: no one is ticked.")).to_be_visible()
        looks(page, name)
    member = company.page("member", desk["path"])
    expect(member.get_by_role("heading", name="This agent is not open to you")).to_be_visible()
