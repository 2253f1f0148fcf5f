"""The versions pane: what the draft changes, comparing, restoring, and making live again."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.company import ECHO, Company
from tests.e2e.drawing import Board
from tests.e2e.looks import looks

CANVAS = ".react-flow"


class Shelf:
    """The versions pane of one flow, in one browser."""

    def __init__(self, company: Company, flow: str, who: str = "owner") -> None:
        self.company, self.flow = company, flow
        self.board = Board.open(company, who, flow)
        self.page: Page = self.board.page
        self.pane = self.page.locator(".ed-versions")
        self.open()

    def open(self) -> None:
        self.page.get_by_role("button", name="Versions", exact=True).click()
        expect(self.pane.get_by_role("heading", name="Draft")).to_be_visible()

    def edit(self, *operations: Any) -> None:
        """Somebody else changes the draft meanwhile."""
        self.company.stack.call(
            "tests.e2e.asked:edit", workspace=self.company.workspace, flow=self.flow, operations=list(operations)
        )

    def version(self, number: int) -> Locator:
        return self.pane.locator(f'[data-version="{number}"]')

    def choose(self, number: int, act: str) -> None:
        self.pane.get_by_role("button", name=f"More for version {number}").click()
        self.page.get_by_role("menuitem", name=act).click()

    def publish(self, note: str) -> None:
        """By the button of the pane, over the publish page, and back."""
        self.pane.get_by_role("link", name="Publish…").click()
        self.page.get_by_label("What is new").fill(note)
        self.page.get_by_role("button", name="Make it live").click()
        expect(self.page.get_by_role("link", name="Open as a customer")).to_be_visible()
        self.page.get_by_role("link", name="Back to the flow").click()
        self.board.ready()
        self.open()


def prompt(words: str) -> dict[str, Any]:
    return {"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": f"{words}\n\n{{{{question}}}}"}


# LG-versions-03
def test_versions_are_compared_published_restored_and_made_live_again(company: Company) -> None:
    made = company.echo()
    shelf = Shelf(company, made["flow"])
    expect(shelf.pane.get_by_text("The draft is what is live.")).to_be_visible()
    expect(shelf.version(1)).to_contain_text("live at Echo")

    # What the draft changes, in words; a line shows its step.
    shelf.edit(prompt("Answer this in verse."), {"op": "setField", "on": {"flow": True}, "path": ["suggestions"]})
    expect(shelf.pane.get_by_text("2 changes since version 1")).to_be_visible()
    expect(shelf.pane.locator(".ed-line")).to_have_count(2)
    shelf.pane.locator("button.ed-line-text").first.click()
    expect(shelf.board.card("reply")).to_have_class(re.compile("selected"))
    looks(shelf.page, "versions-draft", widths=(1440, 1024), but=CANVAS)

    # The difference in words and in both texts.
    shelf.pane.get_by_role("button", name="Compare").first.click()
    sheet = shelf.page.get_by_role("dialog", name="Version 1 → Draft")
    expect(sheet.locator(".ed-line")).to_have_count(2)
    sheet.get_by_role("button", name="As JSON").click()
    expect(sheet.locator(".cm-merge-b")).to_contain_text("Answer this in verse.")
    expect(sheet.locator(".cm-merge-a")).not_to_contain_text("Answer this in verse.")
    looks(shelf.page, "versions-difference", widths=(1440, 1024), but=CANVAS, whole=False)
    sheet.get_by_role("button", name="Close").click()

    # Published, the draft is what is live again, and the first version is one of the history.
    shelf.publish("In verse")
    expect(shelf.pane.get_by_text("The draft is what is live.")).to_be_visible()
    expect(shelf.version(2)).to_contain_text("In verse")
    expect(shelf.version(2)).to_contain_text("live at Echo")

    # A version is read as it is kept.
    shelf.version(1).get_by_role("button").first.click()
    reading = shelf.page.get_by_role("dialog", name="Version 1")
    expect(reading.locator(".cm-content")).to_contain_text('"name": "Echo"')
    shelf.page.keyboard.press("Escape")

    # Restored into the draft: an edit like any other, which undo takes back.
    shelf.choose(1, "Restore into the draft")
    expect(shelf.page.get_by_text("Version 1 is in the draft. Undo takes it back.")).to_be_visible()
    shelf.board.saved()
    assert "in verse" not in shelf.board.boot()["text"]
    expect(shelf.pane.get_by_text("2 changes since version 2")).to_be_visible()
    shelf.page.get_by_role("button", name="Undo").click()
    expect(shelf.pane.get_by_text("The draft is what is live.")).to_be_visible()
    assert "in verse" in shelf.board.boot()["text"]

    # Live again is one act, said before and after; the history keeps all of it.
    shelf.choose(1, "Make live again")
    ask = shelf.page.get_by_role("dialog", name="Make version 1 live again?")
    expect(ask).to_contain_text("Runs that are not finished go on")
    looks(shelf.page, "versions-live-again", widths=(1440, 1024), but=CANVAS, whole=False)
    ask.get_by_role("button", name="Make it live").click()
    expect(shelf.page.get_by_text("Version 1 is live again at Echo.")).to_be_visible()
    expect(shelf.version(1)).to_contain_text("live at Echo")
    expect(shelf.pane.locator(".timeline > *")).to_have_count(3)
    expect(shelf.pane.locator(".timeline > *").first).to_contain_text("live now")


@pytest.mark.at_once
def test_what_waits_stays_on_its_version_and_is_shown(company: Company) -> None:
    made = company.deploy("order-desk", deciders="reviewers")
    company.stack.demo.set(speed=20)
    member = company.page("member", made["path"])
    member.get_by_role("textbox", name="Message", exact=True).fill("Order 12 jars of heather honey for Meridian Foods")
    member.get_by_role("button", name="Send", exact=True).click()
    expect(member.locator(".others-strip")).to_be_visible()
    shelf = Shelf(company, made["flow"])
    shelf.edit({"op": "setField", "on": {"flow": True}, "path": ["suggestions"], "value": ["What now?"]})
    shelf.pane.get_by_role("link", name="Publish…").click()
    waits = shelf.page.get_by_role("region", name="Runs that are not finished")
    expect(waits).to_contain_text("1 unfinished")
    expect(shelf.page.get_by_role("region", name="What changes")).to_contain_text("suggestions")
    looks(shelf.page, "publish-changes")
    shelf.page.get_by_role("button", name="Make it live").click()
    shelf.page.get_by_role("link", name="Back to the flow").click()
    shelf.board.ready()
    shelf.open()
    expect(shelf.pane.get_by_text("Order desk: version 1")).to_be_visible()
    expect(shelf.version(1)).to_contain_text("1 run unfinished")
    looks(shelf.page, "versions-waiting", widths=(1440, 1024), but=CANVAS)


@pytest.mark.parametrize("who", ["builder", "operator"])
def test_each_sees_what_they_may_do(company: Company, who: str) -> None:
    made = company.echo()
    shelf = Shelf(company, made["flow"], who)
    shelf.pane.get_by_role("button", name="More for version 1").click()
    expect(shelf.page.get_by_role("menuitem", name="View")).to_be_visible()
    expect(shelf.page.get_by_role("menuitem", name="Restore")).to_have_count(1 if who == "builder" else 0)


def test_visitors_who_would_approve_their_own_writes_need_a_yes(company: Company) -> None:
    document = {
        **ECHO,
        "nodes": [{**ECHO["nodes"][0], "approval": {"ask": "Answer this?"}}],
    }
    made = company.deploy(document=document)
    shelf = Shelf(company, made["flow"])
    shelf.edit({"op": "setField", "on": {"node": "reply"}, "path": ["approval"]})
    shelf.publish("Without asking")
    company.stack.call("tests.e2e.inside:open_link", slug=made["slug"])
    shelf.choose(1, "Make live again")
    ask = shelf.page.get_by_role("dialog", name="Make version 1 live again?")
    ask.get_by_role("button", name="Make it live").click()
    expect(ask.get_by_role("alert")).to_be_visible()
    ask.get_by_label("Yes, visitors may approve their own writes").check()
    ask.get_by_role("button", name="Make it live").click()
    expect(shelf.page.get_by_text("Version 1 is live again at Echo.")).to_be_visible()
