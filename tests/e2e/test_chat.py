"""The chat page: what an answer looks like while it comes, what a person may do meanwhile, and what breaks in between.

Every page's console is watched: a message in it fails the test that opened the page.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.company import Company, box, conversation, fits, same_everywhere, send, settled
from tests.e2e.conftest import PHONE, Pages

RICH = """## Three things

Prices are **net**, see [the list](https://example.test/prices?a=1&b=2).

| Product | Price |
| --- | ---: |
| Heather honey | 9.40 |
| Rye crispbread | 3.10 |

1. Choose
2. Order
   - by phone
   - here

```python
def total(price, count):
    return price * count  # <b>not bold</b>
```

That is all."""
HOSTILE = """Hello <script>window.stolen = 1</script> <img src=x onerror="window.stolen = 2"> \
[click](javascript:window.stolen=3) [data](data:text/html,<script>1</script>) ![picture](https://evil.test/pixel.png) \
<a href="https://evil.test" onclick="window.stolen = 4">go</a> <style>body { display: none }</style>

<iframe src="https://evil.test"></iframe>

The end."""
LONG = "Here is the story. " + " ".join(f"Sentence {number} says little." for number in range(1, 40)) + " The end."


def answers(page: Page) -> Locator:
    return page.locator(".answer")


def opened(company: Company, **options: object) -> Page:
    """The echo agent's page, with a member before it."""
    return company.page("member", company.echo()["path"], **options)


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until this has the focus."""
    expect(target).to_be_visible()
    for _ in range(60):
        if target.evaluate("(each) => each.getRootNode().activeElement === each"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {target}.")


def test_markdown_takes_shape_while_it_streams_and_stays_as_it_came(company: Company) -> None:
    company.says("everything", RICH, hold_after=RICH.index("| Rye"))
    page = opened(company)
    send(page, "Show me everything")
    table = answers(page).get_by_role("table")
    expect(table.get_by_role("cell", name="9.40")).to_be_visible()
    expect(page.locator(".answer.streaming")).to_be_visible()
    expect(answers(page)).not_to_contain_text("|")
    expect(answers(page)).not_to_contain_text("**")

    company.stack.demo.release()
    settled(page)
    expect(answers(page).get_by_role("heading", name="Three things")).to_be_visible()
    expect(table.get_by_role("columnheader")).to_have_text(["Product", "Price"])
    expect(table.get_by_role("row")).to_have_count(3)
    expect(answers(page).locator("ol > li")).to_have_count(2)
    expect(answers(page).locator("ol ul > li")).to_have_text(["by phone", "here"])
    expect(answers(page).locator("pre code")).to_have_text(re.compile(r"return price \* count  # <b>not bold</b>"))
    link = answers(page).get_by_role("link", name="the list")
    expect(link).to_have_attribute("href", "https://example.test/prices?a=1&b=2")
    expect(link).to_have_attribute("rel", re.compile("noopener"))
    expect(link).to_have_attribute("target", "_blank")
    expect(page.get_by_text("Demo answer")).to_be_visible()


def test_html_and_links_that_do_something_are_only_text(company: Company) -> None:
    company.says("greet", HOSTILE)
    page = opened(company)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    send(page, "greet <img src=x onerror='window.stolen = 5'> me")
    expect(answers(page)).to_contain_text("The end.")
    settled(page)
    expect(answers(page)).to_contain_text("<script>window.stolen = 1</script>")
    for selector in ("img", "script", "iframe", "style", "a[href^='javascript']", "a[href^='data']", "[onclick]"):
        expect(page.locator("main.chat-log").locator(selector)).to_have_count(0)
    assert page.evaluate("window.stolen") is None
    assert not [url for url in asked if "evil.test" in url]
    page.reload()
    expect(answers(page)).to_contain_text("The end.")
    assert page.evaluate("window.stolen") is None


def test_a_new_chat_begins_empty_and_the_history_leads_back(company: Company) -> None:
    company.says("pears", "Pears are in season.")
    company.says("plums", "Plums are gone.")
    page = opened(company)
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("dialog", name="History")).to_contain_text("No earlier conversations")
    page.keyboard.press("Escape")
    send(page, "Any pears?")
    expect(answers(page)).to_have_text(re.compile("Pears are in season"))
    settled(page)
    first = page.url

    page.get_by_role("button", name="New chat", exact=True).click()
    expect(page.get_by_role("heading", name="How can Echo help?")).to_be_visible()
    assert page.url != first
    send(page, "Any plums?")
    expect(answers(page)).to_have_text(re.compile("Plums are gone"))
    settled(page)

    page.get_by_role("button", name="History").click()
    rows = page.get_by_role("dialog", name="History").get_by_role("listitem").get_by_role("button")
    expect(rows).to_have_count(2)
    rows.filter(has_text="pears").click()
    expect(answers(page)).to_have_text(re.compile("Pears are in season"))
    assert page.url == first
    page.go_back()
    expect(answers(page)).to_have_text(re.compile("Plums are gone"))


@pytest.mark.at_once
def test_a_message_written_meanwhile_waits_for_its_turn_and_can_be_taken_back(company: Company) -> None:
    company.says("first", "The first answer is here.", hold_after=10)
    company.says("second", "The second answer.")
    company.says("third", "The third answer.")
    page = opened(company)
    send(page, "My first question")
    expect(answers(page)).to_contain_text("The first")
    for text in ("My second question", "My third question"):
        send(page, text)
    queued = page.locator(".queued")
    expect(queued).to_have_count(2)
    expect(queued.first).to_contain_text("Queued")
    page.reload()
    expect(queued).to_have_count(2)
    queued.filter(has_text="second").get_by_role("button", name="Remove this queued message").click()
    expect(queued).to_have_count(1)

    company.stack.demo.release()
    expect(answers(page)).to_have_count(2)
    settled(page)
    expect(answers(page).last).to_contain_text("The third answer.")
    expect(page.locator("main.chat-log")).not_to_contain_text("second")
    assert len(company.stack.demo.requests()) == 2


@pytest.mark.at_once
def test_stop_ends_the_run_and_keeps_the_page_usable(company: Company) -> None:
    company.says("story", LONG, hold_after=60)
    company.says("weather", "It is sunny.")
    page = opened(company)
    send(page, "Tell me a story")
    expect(answers(page)).to_contain_text("Here is the story.")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("main").get_by_text("Mina stopped this.")).to_be_visible()
    settled(page)
    expect(page.locator("main.chat-log")).not_to_contain_text("The end.")
    send(page, "And the weather?")
    expect(answers(page).last).to_contain_text("It is sunny.")
    settled(page)
    before = conversation(page)
    page.reload()
    settled(page)
    assert conversation(page) == before


def test_a_failure_is_said_in_words_and_can_be_tried_again(company: Company) -> None:
    company.says("figures", "The figures are fine.")
    company.stack.demo.behave(fail={"status": 401, "message": "Incorrect API key provided."}, times=1)
    page = opened(company)
    send(page, "Show the figures")
    card = page.locator(".end-card")
    expect(card).to_contain_text("This did not work")
    expect(card).to_contain_text(re.compile("key", re.I))
    settled(page)
    card.get_by_role("button", name="Try again").click()
    expect(answers(page)).to_contain_text("The figures are fine.")
    settled(page)


# LG-ask-01, LG-ask-02, LG-conversation-09
def test_the_quiz_asks_is_answered_by_typing_and_counts(company: Company) -> None:
    company.stack.demo.set(speed=20)
    page = company.page("member", company.deploy("word-quiz")["path"])
    send(page, "Two hard ones")
    asked = page.locator(".ask")
    expect(asked).to_have_count(1)
    expect(asked.last).to_contain_text("Word 1 of 2: A word that reads the same backwards.")
    expect(box(page)).to_have_attribute("placeholder", "Type your answer")
    send(page, "hint")
    expect(asked.last).to_contain_text("it has 10 letters and begins with P")
    # Half typed, a refresh, and the words are still in the box.
    box(page).fill("palin")
    page.reload()
    expect(box(page)).to_have_value("palin")
    send(page, "Palindrome!")
    expect(asked.last).to_contain_text("Right, palindrome.")
    expect(asked.last).to_contain_text("Word 2 of 2: A group of many islands.")
    box(page).fill("archipelago")
    box(page).press("Enter")
    expect(answers(page)).to_contain_text("2 of 2 right")
    settled(page)
    expect(answers(page).get_by_role("table").get_by_role("row")).to_have_count(3)
    expect(page.get_by_text("Demo answer")).to_be_visible()
    send(page, "How well have I done so far?")
    expect(answers(page).last).to_contain_text("2 of 2 right")
    settled(page)


@pytest.mark.parametrize("killed", ["web", pytest.param("valkey", marks=pytest.mark.at_once)])
def test_a_process_killed_in_mid_stream_costs_the_page_nothing(company: Company, pages: Pages, killed: str) -> None:
    pages.expect("WebSocket connection to|net::ERR_|server: 50[0-9] GET .*/(stream|frames)")
    company.says("story", LONG, hold_after=80)
    company.says("again", "Gladly.")
    page = opened(company)
    send(page, "Tell me a story")
    expect(answers(page)).to_contain_text("Sentence 2")
    page.evaluate("window.stayed = true")

    company.stack.kill(killed)
    if killed == "web":
        expect(page.get_by_text("Reconnecting…")).to_be_visible()
    # The worker goes on meanwhile; what it writes now reaches no page.
    company.stack.demo.release()
    company.stack.start_process(killed)

    expect(answers(page)).to_contain_text("Sentence 39 says little. The end.")
    settled(page)
    expect(page.get_by_text("Reconnecting…")).to_have_count(0)
    assert page.evaluate("window.stayed")
    fresh = page.context.new_page()
    fresh.goto(page.url)
    settled(fresh)
    assert LONG in same_everywhere([page, fresh])
    send(page, "Once again")
    expect(answers(page).last).to_contain_text("Gladly.")
    settled(page)


def test_right_to_left_text_runs_from_the_right(company: Company) -> None:
    company.says("السعر", "السعر **9.40** يورو.\n\n- عسل\n- خبز\n\nThe price is 9.40.")
    page = opened(company)
    box(page).fill("كم السعر؟")
    expect(box(page)).to_have_css("direction", "rtl")
    box(page).press("Enter")
    expect(answers(page)).to_contain_text("The price is 9.40.")
    settled(page)
    expect(page.locator(".bubble-text")).to_have_css("direction", "rtl")
    expect(answers(page).locator("p").first).to_have_css("direction", "rtl")
    expect(answers(page).locator("li").first).to_have_css("direction", "rtl")
    expect(answers(page).locator("p").last).to_have_css("direction", "ltr")


def test_on_a_phone_wide_things_scroll_inside_and_the_page_does_not(company: Company) -> None:
    wide = "| " + " | ".join(f"Column {n}" for n in range(12)) + " |\n|" + " --- |" * 12
    wide += "\n| " + " | ".join(f"a rather long value {n}" for n in range(12)) + " |"
    word = "x" * 300
    company.says("wide", f"{wide}\n\n```\n{word}\n```\n\n{word}\n\n[{word}](https://example.test/{word})\n\nThe end.")
    page = opened(company, viewport=PHONE, is_mobile=True, has_touch=True)
    fits(page)
    send(page, f"wide {word}")
    expect(answers(page)).to_contain_text("The end.")
    settled(page)
    fits(page)
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("dialog", name="History").get_by_role("listitem")).to_have_count(1)
    fits(page)


# LG-approval-08
def test_everything_can_be_done_with_the_keyboard(company: Company) -> None:
    company.stack.demo.set(speed=20)
    page = company.page("member", company.deploy("order-desk", deciders="starter")["path"])
    tab_to(page, page.get_by_role("button", name="Place an order for Nordhavn Deli"))
    page.keyboard.press("Enter")
    expect(box(page)).to_be_focused()
    page.keyboard.press("Enter")

    form = page.get_by_role("form", name="Complete the order")
    tab_to(page, form.get_by_label("Product"))
    page.keyboard.type("Rye")
    tab_to(page, form.get_by_label("Quantity"))
    page.keyboard.type("x")
    page.keyboard.press("Enter")
    expect(form.locator('[data-path="quantity"] .error')).to_be_visible()
    expect(form.get_by_label("Quantity")).to_be_focused()
    page.keyboard.press("Backspace")
    page.keyboard.type("20")
    page.keyboard.press("Enter")

    approve = page.get_by_role("group", name="Place this order?").get_by_role("button", name="Approve", exact=True)
    expect(approve).to_be_enabled()
    tab_to(page, approve)
    page.keyboard.press("Enter")
    expect(answers(page)).to_contain_text("is placed: 20 × Rye crispbread")
    settled(page)
    assert company.stack.demo.writes()["placed"] == 1

    tab_to(page, page.get_by_role("button", name="History"))
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="History")
    tab_to(page, dialog.get_by_role("listitem").get_by_role("button"))
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    # What happens is said to those who do not see it.
    expect(page.get_by_role("log")).to_contain_text("The agent answers: Order")
