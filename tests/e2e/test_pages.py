"""Every page at three widths in both themes: nothing scrolls sideways, everything has a name, and no console speaks.

`SCREENSHOTS=folder` keeps a picture of each, named <page>-<width>-<theme>.png.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.canvas import cards, no_problems, problems
from tests.e2e.company import ECHO, Company, box, question_of, send, settled
from tests.e2e.conftest import DESKTOP, PHONE, Pages
from tests.e2e.looks import looks
from tests.support.stack import Stack

ORDER = "Order 12 jars of heather honey for Meridian Foods"
CARD = "Place this order?"
LONG = "Night shift of the warehouse, both halls, and whoever stands in for them when the harbour is closed by storms"
TABLE = """Here is what **Meridian Foods** (MERID) has ordered lately:

| Order | Placed | Items | Total | Status |
| --- | --- | --- | ---: | --- |
| 10410 | 2026-11-19 | 24 × Heather honey, 36 × Breakfast tea | 448.80 EUR | on its way |
| 10405 | 2026-10-01 | 20 × Mountain coffee | 378.00 EUR | delivered |
| 10401 | 2026-09-11 | 48 × Heather honey, 30 × Highland shortbread | 676.20 EUR | delivered |

1. The newest order is **on its way**.
2. The contact there is `Ines Calder`.

```json
{ "customer": "MERID", "orders": 3 }
```
"""


def still(company: Company, who: str, path: str) -> Page:
    """A page that moves nothing, so that pictures of it are alike."""
    return company.page(who, path, reduced_motion="reduce")


@pytest.fixture(scope="module")
def settled_company(product: Stack) -> dict[str, Any]:
    """A company in which something has happened: two agents, one of them paused."""
    shown = product.call("tests.e2e.inside:company", second="reviewer")
    company = Company(product, shown)
    desk = company.deploy("order-desk", deciders="reviewers", access="link")
    quiz = company.deploy("word-quiz")
    product.call("tests.e2e.inside:pause", slug=quiz["slug"], words="We are counting stock until noon.")
    broken = copy.deepcopy(ECHO)
    broken["edges"][0]["to"] = "nowhere"
    broken["nodes"][0]["promt"] = "Answer."
    draft = product.call("tests.e2e.inside:draft", workspace=company.workspace, text=json.dumps(broken, indent=2))
    return {**shown, "desk": desk, "quiz": quiz, "draft": draft}


@pytest.fixture
def place(stack: Stack, settled_company: dict[str, Any]) -> Iterator[Company]:
    """That company, with the pages of this test watched."""
    yield Company(stack, settled_company)
    stack.demo.reset()


def test_signing_in_and_joining(place: Company) -> None:
    page = place.visitor("/sign-in")
    looks(page, "sign-in")
    page.get_by_label("E-mail address").fill("nobody@example.test")
    page.get_by_label("Password").fill("nobody's password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    looks(page, "sign-in-refused")
    page.goto("/join/not-a-link")
    looks(page, "link-ended")
    page.goto("/a/there-is-none")
    looks(page, "no-agent")


def test_flows_and_what_a_flow_is_made_of(place: Company, settled_company: dict[str, Any]) -> None:
    page = still(place, "owner", "/flows")
    expect(page.get_by_role("link", name="Order desk")).to_be_visible()
    looks(page, "flows")
    page.goto(f"/flows/{settled_company['desk']['flow']}")
    expect(cards(page).first).to_be_visible()
    no_problems(page)
    looks(page, "flow-ok")
    page.goto(f"/flows/{settled_company['draft']}")
    expect(problems(page).first).to_be_visible()
    looks(page, "flow-problems")
    page.goto(f"/flows/{settled_company['draft']}/publish")
    looks(page, "publish-blocked")
    page.goto(f"/flows/{settled_company['desk']['flow']}/publish?to=new")
    looks(page, "publish")
    page.goto(f"/agents/{settled_company['desk']['slug']}/published")
    looks(page, "published")
    page.goto(f"/flows/{settled_company['desk']['flow']}/units/handler/prepareOrder")
    expect(page.get_by_role("heading", name="prepareOrder")).to_be_visible()
    looks(page, "unit")


def test_agents_and_their_settings(place: Company, pages: Pages, settled_company: dict[str, Any]) -> None:
    # A paused agent's page is a 503, so that nobody keeps it.
    pages.expect(f"503.*/a/{settled_company['quiz']['slug']}")
    page = still(place, "owner", "/agents")
    expect(page.get_by_role("heading", name="Order desk")).to_be_visible()
    looks(page, "agents")
    page.goto(f"/agents/{settled_company['desk']['slug']}/settings")
    looks(page, "agent-settings")
    page.goto(f"/agents/{settled_company['quiz']['slug']}/settings")
    looks(page, "agent-settings-paused")
    # A name as long as names may be stays in its place, and pushes nothing out of it.
    long = place.deploy(document={**ECHO, "name": LONG})
    page.goto(f"/agents/{long['slug']}/settings")
    heading = page.get_by_role("heading", name="What was live").bounding_box()
    assert heading and heading["height"] < 48
    page.goto(f"/flows/{long['flow']}/publish")
    looks(page, "publish-long", widths=(390,))
    member = still(place, "member", f"/a/{settled_company['quiz']['slug']}")
    looks(member, "chat-paused")
    member.goto("/agents")
    looks(member, "agents-member")


def test_models_people_and_the_account(place: Company) -> None:
    page = still(place, "owner", "/settings/models")
    expect(page.locator("[data-found-list]")).not_to_have_attribute("aria-busy", "true")
    looks(page, "models")
    page.goto("/settings/models/new")
    looks(page, "model-new")
    page.goto("/settings/people")
    looks(page, "people")
    page.get_by_role("button", name="Invite somebody").click()
    looks(page, "people-invite")
    page.goto("/account")
    looks(page, "account")


def test_tool_servers_and_their_switches(place: Company) -> None:
    made = place.stack.call("tests.e2e.inside_servers:agent", workspace=place.workspace)
    page = still(place, "operator", "/settings/servers")
    expect(page.get_by_role("link", name="CRM of the north", exact=True)).to_be_visible()
    looks(page, "servers")
    page.goto("/settings/servers/new")
    looks(page, "server-new")
    page.goto(f"/settings/servers/{made['server']}")
    expect(page.get_by_text("Stored: Authorization.")).to_be_visible()
    page.goto(f"/agents/{made['slug']}/servers")
    changed = page.get_by_text("describes this tool otherwise")
    expect(changed).to_be_visible()
    looks(page, "agent-servers")
    page.get_by_label("I looked at it").check()
    page.get_by_label("May be called: find_customer").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved")).to_be_visible()
    expect(changed).to_have_count(0)
    expect(page.get_by_label("May be called: find_customer")).not_to_be_checked()
    # Where the flow's steps choose among such tools, the way leads to the same switches for its draft.
    page.goto(f"/flows/{made['flow']}")
    page.get_by_role("button", name="Settings of the flow").click()
    page.get_by_role("tab", name="Tools").click()
    of_servers = page.get_by_role("region", name="Tools of servers")
    expect(of_servers).to_contain_text("find_customer, add_order, openTicket, archive")
    of_servers.get_by_role("link", name="Connect and switch").click()
    expect(page).to_have_url(re.compile(f"/flows/{made['flow']}/servers$"))


def test_the_reference(place: Company) -> None:
    page = still(place, "builder", "/reference")
    for topic in ("overview", "forms", "checks"):
        page.goto(f"/reference/{topic}")
        expect(page.get_by_role("article").get_by_role("heading", level=1)).to_be_visible()
        looks(page, f"reference-{topic}", whole=topic == "overview")
    page.get_by_role("searchbox", name="Search the reference").fill("closes form")
    page.keyboard.press("Enter")
    expect(page.get_by_text("places with")).to_be_visible()
    looks(page, "reference-found", whole=False)
    page.get_by_role("link", name="Tool · Arguments").click()
    expect(page.get_by_role("heading", name="Arguments")).to_be_in_viewport()


def test_the_chat_while_it_streams_answers_fails_and_waits(company: Company) -> None:
    agent = company.deploy(document={**ECHO, "name": "Order desk", "suggestions": ["Where is Meridian Foods based?"]})
    company.says("ordered", TABLE, hold_after=TABLE.index("| 10401"))
    page = still(company, "member", agent["path"])
    expect(page.get_by_role("heading", name="How can Order desk help?")).to_be_visible()
    looks(page, "chat-empty", whole=False)
    send(page, "What have they ordered?")
    expect(page.locator(".answer.streaming")).to_contain_text("378.00 EUR")
    expect(page.get_by_role("button", name="Copy the answer")).to_have_count(0)
    looks(page, "chat-streaming", whole=False)
    send(page, "And what does a jar of heather honey cost?")
    expect(page.locator(".queued")).to_be_visible()
    looks(page, "chat-queued", whole=False)
    page.get_by_role("button", name="Remove this queued message").click()
    expect(page.locator(".queued")).to_have_count(0)
    company.stack.demo.release()
    settled(page)
    looks(page, "chat-answer", whole=False)
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("dialog", name="History").get_by_role("listitem")).to_have_count(1)
    looks(page, "chat-history", whole=False)
    page.keyboard.press("Escape")
    company.stack.demo.behave(fail={"status": 401, "message": "Incorrect API key provided."}, times=1)
    page.get_by_role("button", name="New chat", exact=True).click()
    send(page, "Place an order")
    expect(page.locator(".end-card")).to_be_visible()
    settled(page)
    looks(page, "chat-error", whole=False)


def test_forms_cards_and_the_inbox(company: Company) -> None:
    demo = company.stack.demo
    demo.set(speed=20)
    inbox = still(company, "reviewer", "/inbox")
    expect(inbox.get_by_text("Nothing waits for you")).to_be_visible()
    looks(inbox, "inbox-empty", whole=False)

    own = company.deploy("order-desk", deciders="starter")
    page = still(company, "member", own["path"])
    send(page, "Place an order for Nordhavn Deli")
    form = page.get_by_role("form", name="Complete the order")
    expect(form).to_be_visible()
    looks(page, "chat-form", whole=False)
    form.get_by_label("Quantity").fill("a few")
    form.get_by_label("Ship to").fill("")
    form.get_by_role("button", name="Submit").click()
    expect(form.locator(".error")).to_have_count(3)
    looks(page, "chat-form-refused", whole=False)
    form.get_by_role("button", name="Close").click()
    expect(page.locator(".answer")).to_contain_text("nothing was ordered")
    settled(page)
    send(page, ORDER)
    card = page.get_by_role("group", name=CARD)
    expect(card.get_by_role("button", name="Approve", exact=True)).to_be_enabled()
    looks(page, "chat-approval", whole=False)
    card.get_by_role("button", name="Decline").click()
    looks(page, "chat-approval-declining", whole=False)
    card.get_by_role("button", name="Cancel").click()
    card.get_by_role("button", name="Edit").click()
    looks(page, "chat-approval-editing", whole=False)

    desk = company.deploy("order-desk", deciders="reviewers")
    waiting = still(company, "member", desk["path"])
    send(waiting, ORDER)
    expect(waiting.get_by_role("group", name=CARD)).to_contain_text("Waiting for a reviewer")
    looks(waiting, "chat-waiting", whole=False)
    other = still(company, "builder", desk["path"])
    send(other, "Order 3 tins of highland shortbread for Castellan Hotels")
    expect(other.get_by_role("group", name=CARD)).to_be_visible()

    rows = inbox.get_by_role("list", name="Questions").get_by_role("button")
    expect(rows).to_have_count(2)
    expect(inbox.get_by_role("heading", name="The agent's account")).to_be_visible()
    looks(inbox, "inbox", whole=False, widths=(1440, 1024))
    # On a phone the list comes first, and the question covers it.
    inbox.set_viewport_size(PHONE)
    inbox.goto("/inbox")
    expect(rows).to_have_count(2)
    looks(inbox, "inbox", whole=False, widths=(390,))
    rows.first.click()
    expect(inbox.get_by_role("heading", name="What will happen")).to_be_visible()
    looks(inbox, "inbox-question", whole=False, widths=(390,))
    question = question_of(inbox)
    inbox.set_viewport_size(DESKTOP)
    decision = still(company, "second", f"/decide/{question}")
    expect(decision.get_by_role("button", name="Approve", exact=True)).to_be_enabled()
    looks(decision, "decision")
    decision.get_by_role("button", name="Approve", exact=True).click()
    expect(decision.get_by_text("Approved by Sven")).to_be_visible()
    looks(decision, "decision-approved")

    inbox.goto("/inbox?tab=decided")
    expect(inbox.get_by_role("list", name="Questions").get_by_role("button")).to_have_count(1)
    expect(inbox.get_by_text("Approved by Sven")).to_be_visible()
    looks(inbox, "inbox-decided", whole=False)
    expect(box(page)).to_be_visible()


def test_a_chosen_theme_outlives_the_page(place: Company) -> None:
    page = place.page("owner", "/agents", color_scheme="light")
    page.locator("summary[aria-label='Account and appearance']").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto("/inbox")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground != "rgb(255, 255, 255)"


def test_the_reference_answers_while_one_types(stack: Stack) -> None:
    page = stack.signed_in_page("builder", "/reference/edges")
    page.keyboard.press("/")
    page.keyboard.type("maxChars")
    expect(page.locator(".reference-found a").first).to_have_text("Read · Fields")
    expect(page).to_have_url(re.compile(r"/reference\?q=maxChars$"))
    page.locator("#reference-query").fill("")
    expect(page.locator("h1")).to_have_text("Edges: what runs next")
    expect(page).to_have_url(re.compile(r"/reference/edges$"))
