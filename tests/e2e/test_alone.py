"""One step tried by itself from its panel: with values typed, its real calls, what is wrong beside its field."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.e2e.canvas import card
from tests.e2e.company import Company


def open_alone(page: Page, id: str) -> None:
    """The step's panel, at the tab where it is tried by itself."""
    page.get_by_role("button", name="Show everything").click()
    card(page, id).click()
    page.get_by_role("tab", name="Try alone").click()


def test_a_step_runs_alone_with_what_is_typed_and_shows_what_it_did(company: Company) -> None:
    agent = company.deploy(example="order-desk")
    page = company.page("builder", f"/flows/{agent['flow']}", reduced_motion="reduce")
    open_alone(page, "find_customer")
    page.get_by_role("textbox", name="wanted").fill("Meridian")
    page.get_by_role("button", name="Run it").click()
    done = page.locator(".ed-alone .ed-trace")
    expect(done.get_by_text("done", exact=True)).to_be_visible()
    expect(done.get_by_text("findCustomers")).to_be_visible()
    expect(done.get_by_text("Meridian Foods").first).to_be_visible()
    # An object is written as JSON; what is none is said beside the box, and nothing runs.
    before = len(company.stack.demo.requests())
    open_alone(page, "list_orders")
    page.get_by_role("textbox", name="customer").fill("MERID")
    page.get_by_role("button", name="Run it").click()
    expect(page.get_by_role("alert").filter(has_text="This is no JSON.")).to_be_visible()
    assert len(company.stack.demo.requests()) == before
    # What the step asks is answered in its chat, which a link opens.
    open_alone(page, "ask_which")
    page.get_by_role("textbox", name="choices").fill("Nordhavn Deli or Nordhavn Bakery")
    page.get_by_role("button", name="Run it").click()
    answer = page.get_by_role("link", name="Answer it in its chat")
    expect(answer).to_have_attribute("href", re.compile(r"^/a/draft-[0-9a-f]+\?c="))
