"""From a flow to an agent in a browser: import, repair, publish, copy the link, take a deletion back."""

from __future__ import annotations

import re
import uuid

from playwright.sync_api import expect

from tests.e2e.canvas import cards, no_problems, problems
from tests.e2e.conftest import PHONE
from tests.support.stack import Stack


def test_an_example_becomes_an_agent(stack: Stack) -> None:
    page = stack.signed_in_page("owner", "/flows", permissions=["clipboard-read", "clipboard-write"])
    page.locator("form", has=page.get_by_role("heading", name="Order desk")).get_by_role("button").click()
    expect(cards(page).first).to_be_visible()
    no_problems(page)
    page.get_by_role("link", name="Publish").click()
    page.get_by_text("Anyone with the link").click()
    expect(page.get_by_label("Messages a day for each visitor")).to_be_visible()
    slug = f"desk-{uuid.uuid4().hex[:8]}"
    page.locator("[name=slug]").fill(slug)
    # Visitors who would approve their own writes: said beside the field, with everything typed kept.
    page.get_by_role("button", name="Make it live").click()
    yes = page.get_by_label("Yes, visitors may approve their own writes")
    expect(yes).to_be_focused()
    expect(page.locator("[name=slug]")).to_have_value(slug)
    page.get_by_text("Reviewers of this workspace").click()
    expect(yes).to_be_hidden()
    page.get_by_role("button", name="Make it live").click()
    expect(page).to_have_url(re.compile(f"/agents/{slug}/published"))
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.search(rf"/a/{slug}\?k=[\w-]{{32,}}$", link)


def test_a_broken_file_is_kept_and_repaired(stack: Stack) -> None:
    page = stack.signed_in_page("builder", "/flows")
    if page.get_by_role("button", name="Import").count():
        page.get_by_role("button", name="Import").first.click()
    page.get_by_label("Or paste it").fill(
        '{"version": "0.33", "name": "Mended", "start": "reply", "nodes": [], "spells": 1}'
    )
    page.get_by_role("dialog").get_by_role("button", name="Import").click()
    expect(page.locator(".ed-problems")).to_have_text(re.compile(r"\d+ problems"))
    expect(problems(page).filter(has_text='"spells" is not a word of the flow.')).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Publish").click()
    expect(page.get_by_role("heading", name="This cannot go live yet")).to_be_visible()
    expect(page.get_by_role("button", name="Make it live")).to_be_disabled()


def test_a_deletion_is_taken_back(stack: Stack) -> None:
    page = stack.signed_in_page("builder", "/flows")
    page.get_by_role("button", name="New flow").first.click()
    name = f"Short-lived {uuid.uuid4().hex[:6]}"
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create").click()
    expect(cards(page)).to_have_count(1)
    page.goto("/flows")
    row = page.locator(".item", has_text=name)
    row.locator("summary").click()
    row.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text(f"{name} is deleted")
    expect(page.get_by_role("link", name=name)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name=name)).to_be_visible()


def test_the_places_open_on_a_phone_and_the_theme_stays(stack: Stack) -> None:
    page = stack.signed_in_page("owner", "/flows", viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.get_by_role("button", name="Open the menu").click()
    expect(page.get_by_role("link", name="Agents")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Agents")).to_be_hidden()
    page.get_by_label("Account and appearance").click()
    page.get_by_role("button", name="Dark").click()
    page.goto("/settings/models")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
