"""The order desk from a person's message to an approved order, in several browsers at once."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.company import Company, box, conversation, question_of, same_everywhere, send, settled
from tests.e2e.conftest import Pages

COMPLETE = "Order 12 jars of heather honey for Meridian Foods"
INCOMPLETE = "Place an order for Nordhavn Deli"
CARD = "Place this order?"


def card_of(page: Page) -> Locator:
    """The card about the order in a conversation."""
    return page.get_by_role("group", name=CARD)


def placed(company: Company) -> int:
    """How many orders the back office has taken, once it is sure that none was taken twice."""
    books = company.stack.demo.writes()
    assert not books["placed_twice"]
    return books["placed"]


def ask_for_order(company: Company, **fields: str) -> Page:
    """A member orders what needs no form. Returns their page, at the waiting card."""
    agent = company.deploy("order-desk", **{"deciders": "reviewers", **fields})
    company.stack.demo.set(speed=20)
    page = company.page("member", agent["path"])
    send(page, COMPLETE)
    expect(card_of(page)).to_be_visible()
    return page


def decision_page(company: Company, who: str) -> Page:
    """The decision page of the only card that waits, reached by that person through the inbox."""
    page = company.page(who, "/inbox")
    page.get_by_role("list", name="Questions").get_by_role("button", name=CARD).click()
    page.goto(f"/decide/{question_of(page)}")
    expect(page.get_by_role("heading", name=CARD, level=2)).to_be_visible()
    return page


# LG-conversation-10, LG-conversation-11, LG-forms-10, LG-forms-11
# LG-approval-01, LG-approval-03, LG-approval-04, LG-approval-22, LG-approval-27
@pytest.mark.parametrize("who", [pytest.param("a member", marks=pytest.mark.at_once), "a visitor with an open link"])
def test_an_order_goes_from_a_message_over_a_form_and_an_approval_to_a_streamed_answer(
    company: Company, who: str
) -> None:
    demo = company.stack.demo
    agent = company.deploy("order-desk", deciders="reviewers", access="link" if "link" in who else "workspace")
    page = company.visitor(agent["link"]) if "link" in who else company.page("member", agent["path"])
    assert "k=" not in page.url

    # The empty page says what can be asked, and a suggestion fills the box without sending anything.
    expect(page.get_by_role("heading", name="How can Order desk help?")).to_be_visible()
    page.get_by_role("list", name="Suggestions").get_by_role("button", name=INCOMPLETE).click()
    expect(box(page)).to_have_value(INCOMPLETE)
    expect(box(page)).to_be_focused()
    assert demo.requests() == []
    page.get_by_role("button", name="Send", exact=True).click()

    # What is missing is asked for in a form that knows what is known.
    form = page.get_by_role("form", name="Complete the order for Nordhavn Deli")
    expect(form).to_be_visible()
    expect(form.get_by_label("Ship to")).to_have_value(re.compile("Sandkaj 31"))
    form.get_by_label("Product").select_option("Heather honey")
    form.get_by_label("Quantity").fill("a few")
    form.get_by_label("Note for the back office").fill("Ring at the yard gate.")
    form.get_by_role("button", name="Submit").click()

    # Refused: what was typed stays, and the words stand beside the field they are about.
    quantity = form.get_by_label("Quantity")
    expect(quantity).to_have_attribute("aria-invalid", "true")
    expect(quantity).to_be_focused()
    expect(form.locator('[data-path="quantity"] .error')).to_have_text(re.compile("number"))
    expect(quantity).to_have_accessible_description(re.compile("number"))
    expect(form.locator(".error")).to_have_count(1)
    expect(quantity).to_have_value("a few")
    expect(form.get_by_label("Note for the back office")).to_have_value("Ring at the yard gate.")

    # A refresh while the form waits: what was typed is still there.
    form.get_by_label("Note for the back office").fill("Ring twice at the yard gate.")
    page.reload()
    expect(form.get_by_label("Note for the back office")).to_have_value("Ring twice at the yard gate.")
    expect(form.get_by_label("Product")).to_have_value(re.compile("Heather honey"))
    expect(form.get_by_label("Quantity")).to_have_value("a few")
    form.get_by_label("Quantity").fill("6")
    form.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Submitted", exact=True)).to_be_visible()

    # Others decide: the person sees what waits and for whom, and has nothing to press.
    card = card_of(page)
    expect(card).to_contain_text("Waiting for a reviewer")
    for name in ("Approve", "Decline", "Edit"):
        expect(card.get_by_role("button", name=name)).to_have_count(0)
    expect(card).not_to_contain_text("56.40")
    expect(box(page)).to_have_count(0)
    before = conversation(page)
    page.reload()
    expect(card).to_contain_text("Waiting for a reviewer")
    assert conversation(page) == before
    assert placed(company) == 0

    # Somebody else, in another browser, finds it and sees figures and the agent's account apart.
    reviewer = decision_page(company, "reviewer")
    figures = reviewer.locator("section", has=reviewer.get_by_role("heading", name="What will happen"))
    account = reviewer.locator("section", has=reviewer.get_by_role("heading", name="The agent's account")).last
    expect(figures.last).to_contain_text("56.40 EUR")
    expect(figures.last).to_contain_text("Ring twice at the yard gate.")
    expect(figures.last).not_to_contain_text("has been a customer since")
    expect(account).to_contain_text("Nordhavn Deli has been a customer since 2020-01-20")

    # The answer is held in its middle, so that refreshes meet it there.
    demo.behave(when={"contains": "what became of the order they asked for"}, hold_after=24)
    reviewer.get_by_role("button", name="Approve", exact=True).click()
    expect(reviewer.get_by_text("Approved by Rita")).to_be_visible()
    answer = page.locator(".answer")
    expect(answer).to_contain_text("is placed:")
    expect(page.locator(".answer.streaming")).to_be_visible()
    expect(answer).not_to_contain_text("56.40 EUR")
    half = conversation(page)
    page.reload()
    expect(answer).to_contain_text("is placed:")
    expect(page.locator(".answer.streaming")).to_be_visible()
    assert conversation(page) == half
    second = page.context.new_page()
    second.goto(page.url)
    expect(second.locator(".answer")).to_contain_text("is placed:")
    assert conversation(second) == half

    # Released, it streams on in both, and a page opened fresh shows the same.
    demo.release()
    for each in (page, second):
        expect(each.locator(".answer")).to_contain_text("56.40 EUR in all")
        settled(each)
    fresh = page.context.new_page()
    fresh.goto(page.url)
    settled(fresh)
    lines = same_everywhere([page, second, fresh])
    assert INCOMPLETE in lines
    assert "Approved by Rita" in lines
    assert "Demo answer" in lines
    assert placed(company) == 1
    assert len(demo.writes()["writes"]) == 1


# LG-approval-09, LG-approval-10, LG-approval-11
def test_a_declined_order_is_not_placed_and_the_chat_says_so(company: Company) -> None:
    page = ask_for_order(company)
    reviewer = decision_page(company, "reviewer")
    reviewer.get_by_role("button", name="Decline").click()
    reviewer.get_by_label("Why?").fill("The customer has two open bills.")

    # A sign-in that ended meanwhile costs nobody what they typed.
    cookies, address = reviewer.context.cookies(), reviewer.url
    reviewer.context.clear_cookies(name="sessionid")
    reviewer.get_by_role("button", name="Decline").click()
    expect(reviewer).to_have_url(re.compile("/sign-in"))
    reviewer.context.add_cookies(cookies)  # type: ignore[arg-type]
    reviewer.goto(address)
    expect(reviewer.get_by_label("Why?")).to_have_value("The customer has two open bills.")
    reviewer.get_by_role("button", name="Decline").click()
    expect(reviewer.get_by_text("Declined by Rita")).to_be_visible()

    expect(page.locator(".answer")).to_contain_text("was declined, so nothing was ordered")
    settled(page)
    expect(card_of(page)).to_contain_text("Declined by Rita")
    assert company.stack.demo.writes()["writes"] == []


# LG-approval-15
@pytest.mark.at_once
def test_the_second_of_two_reviewers_gets_a_card_that_says_who_was_first(company: Company, pages: Pages) -> None:
    page = ask_for_order(company)
    first, late = decision_page(company, "reviewer"), decision_page(company, "second")
    # The late one's page hears of nothing until it asks.
    late.route("**/ws/**", lambda route: route.abort())
    first.get_by_role("button", name="Approve", exact=True).click()
    expect(first.get_by_text("Approved by Rita")).to_be_visible()

    late.get_by_role("button", name="Approve", exact=True).click()
    expect(late.get_by_text("Approved by Rita")).to_be_visible()
    expect(late.get_by_role("button", name="Approve")).to_have_count(0)
    expect(late.get_by_role("button", name="Decline")).to_have_count(0)

    expect(page.locator(".answer")).to_contain_text("is placed")
    settled(page)
    assert placed(company) == 1
    # In the inbox it is decided, and nothing waits.
    late.goto("/inbox")
    expect(late.get_by_text("Nothing waits for you")).to_be_visible()
    late.get_by_role("tab", name="Decided").click()
    expect(late.get_by_role("list", name="Questions")).to_contain_text("approved")


@pytest.mark.at_once
def test_whoever_asked_withdraws_and_nothing_is_ordered(company: Company) -> None:
    page = ask_for_order(company)
    reviewer = company.page("reviewer", "/inbox")
    expect(reviewer.get_by_role("list", name="Questions").get_by_role("button", name=CARD)).to_be_visible()
    card = card_of(page)
    card.get_by_role("button", name="Withdraw").click()
    card.get_by_role("button", name="Keep waiting").click()
    expect(card).to_contain_text("Waiting for a reviewer")
    card.get_by_role("button", name="Withdraw").click()
    card.get_by_role("button", name="Withdraw").click()
    expect(card).to_contain_text("Withdrawn. Nothing was done.")
    settled(page)
    # The reviewer's list empties by itself.
    expect(reviewer.get_by_text("Nothing waits for you")).to_be_visible()
    assert company.stack.demo.writes()["writes"] == []
    before = conversation(page)
    page.reload()
    settled(page)
    assert conversation(page) == before


# LG-approval-08
def test_the_chatting_person_decides_by_card_or_by_saying_yes(company: Company) -> None:
    page = ask_for_order(company, deciders="starter")
    send(page, "not like this")
    dialog = page.get_by_role("alertdialog", name="Decline with these words?")
    dialog.get_by_role("button", name="Keep waiting").click()
    expect(card_of(page).get_by_role("button", name="Approve", exact=True)).to_be_enabled()
    assert company.stack.demo.writes()["writes"] == []
    send(page, "yes")
    expect(card_of(page)).to_contain_text("Approved")
    expect(page.locator(".answer")).to_contain_text("is placed")
    settled(page)
    assert placed(company) == 1


# LG-approval-05
def test_a_corrected_value_is_what_is_sent(company: Company) -> None:
    page = ask_for_order(company)
    reviewer = decision_page(company, "reviewer")
    reviewer.get_by_role("button", name="Edit", exact=True).click()
    reviewer.get_by_role("textbox", name=re.compile("Note", re.I)).fill("Call before delivery.")
    reviewer.get_by_role("button", name="Approve as edited").click()
    expect(reviewer.get_by_text("Approved by Rita")).to_be_visible()
    expect(page.locator(".answer")).to_contain_text("is placed")
    [write] = company.stack.demo.writes()["writes"]
    assert write["body"]["note"] == "Call before delivery."


def test_no_script_of_the_page_reaches_into_a_deciding_card(company: Company) -> None:
    agent = company.deploy("order-desk", deciders="starter")
    page = company.page("member", agent["path"], sealed=True)
    send(page, COMPLETE)
    expect(card_of(page)).to_be_visible()
    assert page.locator(".sealed-host").evaluate("(host) => host.shadowRoot === null && host.childElementCount === 0")
