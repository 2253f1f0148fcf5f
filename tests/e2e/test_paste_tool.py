"""A tool from a curl command: pasted, looked at, added with its code, and called in a run of the draft."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.canvas import Open
from tests.e2e.company import ECHO, Company

SECRET = "s3cret-from-the-paste"


@pytest.fixture
def dialog(opened: Open) -> Page:
    page = opened(ECHO, who="owner")
    page.get_by_role("button", name="Settings of the flow").click()
    page.get_by_role("tab", name="Tools").click()
    page.get_by_role("button", name="From curl or OpenAPI").click()
    return page


def paste(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Command or description").fill(text)
    page.get_by_role("button", name="Read it").click()


def test_a_command_becomes_a_tool_with_code_and_its_secret_stays_out_of_the_flow(
    company: Company, dialog: Page
) -> None:
    command = (
        f"curl {company.stack.demo.office_url}/orders/42 -H 'X-Api-Key: {SECRET}' --data-raw '{{\"note\": \"hi\"}}'"
    )
    paste(dialog, command)
    tool = dialog.get_by_role("region", name="createOrders")
    for words in ("order_id", "note", "A value was pasted.", "async def createOrders"):
        expect(tool.get_by_text(words).first).to_be_visible()
    expect(tool).not_to_contain_text(SECRET)
    dialog.get_by_role("button", name="Add the tool").click()
    expect(dialog.get_by_role("dialog")).to_have_count(0)
    # The panel shows the tool with code that a person may change, and nothing is left to write.
    expect(dialog.get_by_role("textbox", name="Name", exact=True)).to_have_value("createOrders")
    id = dialog.url.rpartition("/flows/")[2].partition("?")[0]
    draft = dialog.request.get(f"/api/flows/{id}/editor").json()
    flow = json.loads(draft["text"])
    (env,) = flow["requires"]["env"]
    assert env.endswith("_API_KEY")
    assert [tool["name"] for tool in flow["tools"]] == ["createOrders"]
    # No step calls it yet, so nothing waits for its code; it is there all the same.
    assert draft["units"] == []
    assert dialog.request.get(f"/api/flows/{id}/units/tool/createOrders").json()["unit"]["state"] == "current"
    assert SECRET not in json.dumps(draft)
    kept = dialog.request.get(f"/api/flows/{id}/try/settings").json()["secrets"]
    assert [(one["name"], one["stored"]) for one in kept] == [(env, True)]
    assert SECRET not in json.dumps(kept)


def test_of_an_api_one_operation_is_chosen_and_what_cannot_be_read_is_said(dialog: Page) -> None:
    paste(dialog, "wget https://host.example/x")
    expect(dialog.get_by_role("alert").filter(has_text="neither a curl command nor an OpenAPI")).to_be_visible()
    expect(dialog.get_by_role("button", name="Add the tool")).to_be_disabled()
    paste(
        dialog,
        "openapi: 3.1.0\nservers: [{url: 'https://shop.example'}]\npaths:\n"
        "  /orders: {get: {summary: List orders}, post: {summary: Place an order}}\n",
    )
    expect(dialog.get_by_role("button", name="Add the tool")).to_be_disabled()
    dialog.get_by_role("combobox", name="Operation").select_option("POST /orders")
    expect(dialog.get_by_role("region", name="createOrders")).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    dialog.get_by_role("button", name="Close without it").click()
    expect(dialog.get_by_role("dialog")).to_have_count(0)
