"""The page of a run that goes on: whoever looks at it sees it go on, and keeps what they have opened."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.company import Company, send, settled
from tests.e2e.looks import looks


def test_the_page_of_a_run_shows_it_go_on_and_end(company: Company) -> None:
    company.says("story", "Once upon a time there was a crate. " * 4, hold_after=30)
    chat = company.page("member", company.echo()["path"])
    send(chat, "Tell me a story")
    expect(chat.locator(".answer.streaming")).to_contain_text("Once upon")
    page = company.page("owner", "/runs")
    page.get_by_role("main").locator('a[href^="/runs/"]').first.click()
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}"))
    state = page.get_by_role("heading", level=1)
    expect(state).to_contain_text("running")
    expect(page.locator(".run-step")).to_contain_text("Reply")
    page.evaluate("window.stayed = true")
    page.locator(".run-step").focus()
    looks(page, "run-live", whole=False)
    company.stack.demo.release()
    settled(chat)
    expect(state).to_contain_text("done")
    expect(page.locator(".run-detail")).to_contain_text("there was a crate")
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    assert page.evaluate("window.stayed && document.activeElement.matches('.run-step')")
