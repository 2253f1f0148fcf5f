"""A newcomer's way: first account, first model, first flow, first agent, first colleague, and what goes wrong on it."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from runtime.processes import ROOT
from tests.e2e.canvas import no_problems, problems, show_text
from tests.e2e.company import ECHO, Company, send, settled
from tests.e2e.conftest import Pages
from tests.e2e.looks import looks
from tests.support.stack import Stack, running


@pytest.fixture
def empty(pages: Pages) -> Iterator[Stack]:
    """A product in which nobody has an account."""
    with running(people=False) as stack:
        stack.open = pages.open
        yield stack
        pages.leave()


def toast(page: Page) -> Locator:
    return page.locator("#toasts")


def editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="The flow as JSON")


def write_over(page: Page, text: str) -> None:
    """Put this text in the editor's place."""
    editor(page).click()
    page.keyboard.press("ControlOrMeta+a")
    # What is typed over several lines is for the browser to merge, which tries to set styles of its own.
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)


def broken() -> str:
    """A flow.json with a fault in its contract, in a node, in an edge and in its state."""
    flow = copy.deepcopy(ECHO)
    flow["outputs"] = ["reply"]
    flow["nodes"][0]["promt"] = flow["nodes"][0].pop("prompt")
    flow["edges"][0]["to"] = "nowhere"
    flow["state"]["answer"]["type"] = "strng"
    return json.dumps(flow, indent=2)


def test_from_the_first_sign_in_to_a_first_answer(empty: Stack) -> None:
    command = [sys.executable, "manage.py", "first_sign_in"]
    printed = subprocess.run(command, cwd=ROOT, env=empty.env, check=True, capture_output=True, text=True).stdout
    address = printed.strip()
    assert address.startswith(f"{empty.url}/start/")
    page = empty.visitor_page(address.removeprefix(empty.url))
    looks(page, "first-sign-in")

    page.get_by_label("Workspace").fill("Oakbarrow")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("E-mail address").fill("ada@example.test")
    page.get_by_label("Password").fill("short")
    page.get_by_role("button", name="Create the workspace").click()
    expect(page.get_by_label("Password")).to_have_accessible_description(re.compile("At least 10 characters"))
    expect(page.get_by_label("Your name")).to_have_value("Ada")
    page.get_by_label("Password").fill("a long enough secret")
    page.get_by_role("button", name="Create the workspace").click()

    # The first account owns the workspace and is led to what is missing: a model.
    expect(page.get_by_role("heading", name="First, say which model answers")).to_be_visible()
    expect(page.locator("[data-found-list]")).not_to_have_attribute("aria-busy", "true")
    looks(page, "models-empty")
    page.get_by_role("button", name="Try the demo model").click()
    expect(toast(page)).to_contain_text("The demo model is ready")

    page.get_by_role("navigation", name="Places").get_by_role("link", name="Flows").click()
    expect(page.get_by_role("heading", name="No flows yet")).to_be_visible()
    looks(page, "flows-empty")
    page.get_by_role("button", name=re.compile("Use this example.*Order desk")).click()
    expect(toast(page)).to_contain_text("Order desk is ready")
    no_problems(page)

    page.get_by_role("link", name="Publish").click()
    page.get_by_role("button", name="Make it live").click()
    expect(page.get_by_role("heading", name="Order desk is live")).to_be_visible()
    page.get_by_role("link", name="Open as a customer").click()
    expect(page.get_by_role("heading", name="How can Order desk help?")).to_be_visible()
    send(page, "How fast do you deliver?")
    expect(page.locator(".answer")).to_contain_text("three working days")
    settled(page)
    expect(page.get_by_text("Demo answer")).to_be_visible()


def bring(page: Page, name: str, content: bytes) -> None:
    """Give the list of flows a file to import: a flow by itself opens at once."""
    page.get_by_role("button", name="Import").first.click()
    files = page.get_by_role("dialog", name="Import flows").locator("input[name=file]")
    files.set_input_files({"name": name, "mimeType": "application/json", "buffer": content})


# LG-export-01
def test_a_broken_flow_is_kept_with_all_its_problems_mended_in_the_editor_and_published(company: Company) -> None:
    page = company.page("builder", "/flows")
    bring(page, "flow.json", broken().encode())

    # Everything is said at once, and every problem leads to its place.
    expect(toast(page)).to_contain_text(re.compile(r"Imported with \d problems"))
    for words in ("promt", "nowhere", "strng", "reply"):
        expect(problems(page).filter(has_text=words).first).to_be_visible()
    page.keyboard.press("Escape")
    show_text(page)
    problems(page).filter(has_text="nowhere").first.click()
    expect(editor(page)).to_be_focused()
    expect(page.locator(".ed-json-path")).to_have_text("edges[0].to")

    # It cannot go live, and says why.
    flow = page.url
    page.get_by_role("link", name="Publish").click()
    expect(page.get_by_role("heading", name="This cannot go live yet")).to_be_visible()
    expect(page.get_by_role("button", name="Make it live")).to_be_disabled()
    page.get_by_role("link", name="Open the flow").click()
    expect(page).to_have_url(flow)
    show_text(page)
    expect(editor(page)).to_contain_text('"promt"')

    # Half mended, it is kept half mended; even what is no JSON is.
    write_over(page, '{"version": "0.33", ')
    expect(problems(page)).to_have_count(1)
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    expect(editor(page)).to_contain_text('{"version": "0.33", ')
    write_over(page, json.dumps(ECHO, indent=2))
    no_problems(page)
    expect(page.locator("[data-saved]")).to_have_text("Saved")

    company.says("mended", "Mended indeed.")
    page.get_by_role("link", name="Publish").click()
    page.get_by_role("button", name="Make it live").click()
    page.get_by_role("link", name="Open as a customer").click()
    send(page, "Is it mended?")
    expect(page.locator(".answer")).to_contain_text("Mended indeed.")
    settled(page)


def test_a_file_that_is_no_flow_is_kept_or_refused_in_words(company: Company) -> None:
    page = company.page("builder", "/flows")
    for name, content, words in (
        ("picture.json", b"\x89PNG\r\n\xff\xfe", "This file is no text"),
        ("twice.json", b'{"version": "0.33", "version": "0.33"}', "Imported with 1 problem"),
    ):
        page.goto("/flows")
        bring(page, name, content)
        expect(toast(page)).to_contain_text(words)
    expect(problems(page)).to_contain_text(["version"])


def test_without_a_model_the_chat_says_what_to_set_and_where(company: Company) -> None:
    bare = Company(company.stack, company.stack.call("tests.e2e.inside:company", model=False))
    agent = bare.echo()
    page = bare.page("owner", agent["path"])
    send(page, "Anybody there?")
    card = page.locator(".end-card")
    expect(card).to_contain_text("This did not work")
    expect(card).to_contain_text("Settings → Models")
    settled(page)

    flows = bare.page("owner", "/flows")
    expect(flows.get_by_text("No model is set, so flows cannot answer yet.")).to_be_visible()
    flows.get_by_role("link", name="Add a model").click()
    flows.get_by_role("button", name="Try the demo model").click()
    expect(toast(flows)).to_contain_text("The demo model is ready")

    bare.says("anybody", "Now there is.")
    card.get_by_role("button", name="Try again").click()
    expect(page.locator(".answer")).to_contain_text("Now there is.")
    settled(page)


def test_an_invited_colleague_joins_as_a_reviewer_and_sees_the_inbox(company: Company, pages: Pages) -> None:
    owner = company.page("owner", "/settings/people")
    owner.get_by_role("button", name="Invite somebody").click()
    dialog = owner.get_by_role("dialog", name="Invite somebody")
    dialog.get_by_role("radio", name="Reviewer").check()
    dialog.get_by_role("button", name="Make the link").click()
    expect(owner.get_by_text("Copy it now")).to_be_visible()
    link = owner.locator("#invite-link").input_value()
    assert link.startswith(f"{company.stack.url}/join/")

    guest = company.visitor(link.removeprefix(company.stack.url))
    expect(guest.get_by_role("heading", name="Join Oakbarrow")).to_be_visible()
    expect(guest.get_by_text("Olga invites you as Reviewer.")).to_be_visible()
    guest.get_by_label("Your name").fill("Gus Grey")
    guest.get_by_label("E-mail address").fill(f"gus.{company.workspace}@example.test")
    guest.get_by_label("Password").fill("a long enough secret")
    guest.get_by_role("button", name="Create the account and join").click()
    expect(guest).to_have_url(re.compile("/inbox"))
    expect(guest.get_by_text("Nothing waits for you")).to_be_visible()
    expect(guest.get_by_role("navigation", name="Places").get_by_role("link")).to_have_count(1)

    owner.goto("/settings/people")
    expect(owner.get_by_role("combobox", name="Role of Gus Grey")).to_have_value("reviewer")
    # The link worked once.
    late = company.visitor("")
    answer = late.goto(link)
    assert answer and answer.status == 410
    expect(late.get_by_role("heading", level=1)).to_be_visible()


# LG-conversation-03
def test_a_deleted_flow_is_back_with_one_press(company: Company) -> None:
    stack, workspace = company.stack, company.workspace
    stack.call("tests.e2e.inside:draft", workspace=workspace, text=json.dumps(ECHO))
    page = company.page("builder", "/flows")
    page.locator('summary[aria-label="More for Echo"]').click()
    page.get_by_role("button", name="Delete").click()
    expect(toast(page)).to_contain_text("Echo is deleted.")
    expect(page.get_by_role("heading", name="No flows yet")).to_be_visible()
    assert stack.call("tests.e2e.inside:live_flows", workspace=workspace) == []
    toast(page).get_by_role("button", name="Undo").click()
    expect(toast(page)).to_contain_text("Echo is back.")
    expect(page.get_by_role("link", name="Echo")).to_be_visible()
    assert stack.call("tests.e2e.inside:live_flows", workspace=workspace) == ["Echo"]
