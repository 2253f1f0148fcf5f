"""An operator says who is told when nobody watches, tries it, and says for how long things are kept."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.e2e.company import Company
from tests.e2e.looks import looks
from tests.support import listeners

LONG = "Night shift of the warehouse, both halls, and whoever stands in for them"
ARABIC = "فريق العمليات الليلي"


def test_a_place_is_added_tried_and_told(company: Company) -> None:
    page = company.page("operator", "/settings/notices")
    looks(page, "notices-empty")
    page.get_by_role("link", name="Add a place").click()
    page.get_by_label("Name").fill(LONG)
    page.get_by_role("textbox", name="Mail addresses").fill("nobody")
    for kind in ("Runs of an agent fail", "A model's key is refused", "A tool server does not answer"):
        expect(page.get_by_role("checkbox", name=kind)).to_be_checked()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("This is no mail address: nobody")).to_be_visible()
    looks(page, "notices-form-refused")
    page.get_by_role("textbox", name="Mail addresses").fill("ops@acme.example")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("No mail server is set for this installation")).to_be_visible()
    with listeners.requests() as server:
        page.get_by_role("link", name="Add a place").click()
        page.get_by_label("Name").fill(ARABIC)
        page.get_by_text("By a webhook").click()
        page.get_by_role("textbox", name="Address").fill(f"{server.url}/hook")
        page.get_by_label("It is inside our own network").check()
        looks(page, "notices-form-webhook")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Copy the signing secret now")).to_be_visible()
        assert page.locator("#notice-secret").input_value().startswith("whsec_")
        page.get_by_role("button", name=f"Send a test to {ARABIC}").click()
        expect(page.get_by_text("arrived")).to_be_visible()
    said = json.loads(server.heard[0].body)
    assert said["test"] is True and said["troubles"][0]["title"] == "This is a test"
    page.get_by_role("button", name=f"Send a test to {LONG}").click()
    expect(page.get_by_text("did not arrive")).to_be_visible()
    looks(page, "notices-list")
    page.get_by_role("button", name=f"Remove {ARABIC}?").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text(f"{ARABIC} is removed.")).to_be_visible()


def test_what_goes_is_said_before_it_goes(company: Company) -> None:
    agent = company.echo()
    company.stack.call("tests.e2e.inside:old_talk", slug=agent["slug"], days=40)
    page = company.page("operator", "/settings/retention")
    looks(page, "retention")
    page.get_by_label("Conversations with agents").select_option(label="30 days")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").get_by_text("1 conversation, with everything in it")).to_be_visible()
    looks(page, "retention-confirm")
    page.get_by_role("button", name="Save and delete").click()
    expect(page.get_by_text("Saved. What is older goes within the hour.")).to_be_visible()
    # The worker was told of it, and begins at once.
    for _ in range(40):
        if page.get_by_text("Gone since then: 1 conversation").count():
            break
        page.wait_for_timeout(250)
        page.reload()
    expect(page.get_by_text("Gone since then: 1 conversation, with everything in it.")).to_be_visible()
