"""The run pane: the real chat on the draft beside the canvas, and everything that its steps did."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.e2e.company import ECHO, Company, fits
from tests.e2e.drawing import Board
from tests.e2e.looks import looks
from tests.support.stack import Stack

CANVAS = ".react-flow"
ORDER = "Order 12 jars of heather honey for Meridian Foods"
CODED: dict[str, Any] = {
    **ECHO,
    "name": "Loud echo",
    "start": "plan",
    "nodes": [
        {"id": "plan", "handler": "plan", "description": "Reads 'question', sets 'answer' to it in capital letters."},
        *ECHO["nodes"],
    ],
    "edges": [{"from": "plan", "to": "reply"}, *ECHO["edges"]],
}
WRITTEN = "async def plan(state, *, services, settings, env):\n    return {'answer': 'LOUD'}\n"


class Try:
    """The run pane of one flow, in one browser."""

    def __init__(self, company: Company, flow: str, who: str = "builder", **options: Any) -> None:
        self.company = company
        self.board = Board.open(company, who, flow, **options)
        self.page: Page = self.board.page
        self.pane = self.page.locator(".ed-run")

    @property
    def chat(self) -> FrameLocator:
        return self.page.frame_locator(".ed-run-frame")

    def open(self) -> Try:
        self.page.get_by_role("button", name="Run", exact=True).click()
        expect(self.pane).to_be_visible()
        return self

    def say(self, text: str) -> None:
        self.chat.get_by_role("textbox", name="Message", exact=True).fill(text)
        self.chat.get_by_role("button", name="Send", exact=True).click()

    def settled(self) -> None:
        expect(self.pane).to_have_attribute("data-status", "idle")
        expect(self.chat.locator('.chat[data-status="idle"]')).to_be_visible()

    def tab(self, name: str) -> None:
        self.pane.get_by_role("tab", name=re.compile(f"^{name}")).click()

    def step(self, address: str) -> Locator:
        """The details of a step, opened from the list."""
        self.tab("Steps")
        self.pane.locator(f'.ed-run-row[data-address="{address}"]').click()
        return self.details(address)

    def details(self, address: str) -> Locator:
        found = self.pane.locator(f'.ed-trace[data-address="{address}"]')
        expect(found.get_by_role("button", name="Output")).to_be_visible()
        return found

    def ran(self, node: str, state: str) -> None:
        """The card of a step on the canvas shows that state."""
        expect(self.board.card(node).locator(".ed-card")).to_have_attribute("data-run", state)


def draft(company: Company, document: Any) -> str:
    return company.stack.call("tests.e2e.inside:draft", workspace=company.workspace, text=json.dumps(document))


# LG-studio-09
def test_a_draft_is_tried_beside_the_canvas_and_its_steps_light_up(company: Company) -> None:
    made = company.deploy("order-desk")
    company.stack.demo.set(speed=20)
    desk = Try(company, made["flow"]).open()
    desk.say(ORDER)
    card = desk.chat.get_by_role("group", name="Place this order?")
    expect(card).to_be_visible()
    desk.ran("understand", "done")
    desk.ran("pick_customer", "done")
    # A step that waits for a person is lit before it ran.
    desk.ran("place_order", "waiting")

    # A step shows what it read, the prompt as sent, the reply, what it wrote, and where its router led.
    understood = desk.step("understand#1")
    expect(understood.locator(".ed-trace-value", has_text="question")).to_contain_text(ORDER)
    expect(understood.get_by_text("Read by the model").or_(understood.get_by_text("Prompt as sent"))).to_be_visible()
    expect(understood.locator(".ed-trace-text").first).to_contain_text(ORDER)
    expect(understood.locator(".ed-trace-text", has_text='"intent"').first).to_be_visible()
    expect(understood.locator(".ed-trace-route")).to_contain_text("customer")
    expect(understood).to_contain_text(re.compile(r"\d+ in · \d+ out"))

    # A step of the canvas opens its own details while the pane is open.
    desk.pane.get_by_role("button", name="All steps").click()
    # The view has followed the steps; from afar every step is in sight.
    desk.page.get_by_role("button", name="Show everything").click()
    desk.board.card("understand").locator(".ed-card-head").click()
    desk.details("understand#1")
    desk.pane.get_by_role("button", name="All steps").click()
    found = desk.step("find_customer#1")
    # And the other way round: what is opened from the list is chosen on the canvas, and in sight.
    expect(desk.board.card("find_customer")).to_have_class(re.compile("selected"))
    expect(desk.board.card("understand")).not_to_have_class(re.compile("selected"))
    expect(desk.board.card("find_customer")).to_be_in_viewport()
    expect(found.locator("summary")).to_contain_text("GET")
    expect(found.locator("summary")).to_contain_text("200")

    # The one who tries decides; afterwards the call is there with what was sent and answered.
    desk.tab("Chat")
    desk.company.stack.demo.set(speed=20)
    card.get_by_role("button", name=re.compile("Approve")).click()
    desk.settled()
    desk.ran("place_order", "done")
    placed = desk.step("place_order#1")
    expect(placed.locator("summary")).to_contain_text("POST")
    expect(placed).to_contain_text("approved by Bea")
    assert company.stack.demo.writes()["placed"] == 1
    looks(desk.page, "run-pane-step", widths=(1440, 1024), but=CANVAS)

    # A refresh shows the same conversation, and the canvas the same run.
    desk.page.reload()
    desk.open()
    expect(desk.chat.get_by_text(ORDER).first).to_be_visible()
    desk.ran("place_order", "done")
    # The step's own panel tells of its last run as well.
    desk.page.get_by_role("button", name="Run", exact=True).click()
    desk.page.get_by_role("button", name="Show everything").click()
    desk.board.choose("understand")
    desk.board.tab("Last run")
    expect(desk.board.pane.locator('.ed-trace[data-address="understand#1"]')).to_contain_text("Prompt as sent")


def test_each_message_uses_the_newest_draft(company: Company) -> None:
    company.says("Answer this", "The first answer.", "The second answer.")
    flow = draft(company, ECHO)
    desk = Try(company, flow).open()
    expect(desk.chat.get_by_role("button", name="Tell me something")).to_be_visible()
    desk.say("One")
    expect(desk.chat.get_by_text("The first answer.", exact=True)).to_be_visible()
    desk.settled()
    changes = [
        {
            "op": "setField",
            "on": {"node": "reply"},
            "path": ["prompt"],
            "value": "Answer this loudly.\n\n{{question}}",
        },
    ]
    company.stack.call("tests.e2e.asked:edit", workspace=company.workspace, flow=flow, operations=changes)
    expect(desk.pane.get_by_text("The draft changed – the next message uses it.")).to_be_visible()
    # The conversation stands, and goes on with the new draft.
    expect(desk.chat.get_by_text("The first answer.", exact=True)).to_be_visible()
    desk.say("Two")
    expect(desk.chat.get_by_text("The second answer.", exact=True)).to_be_visible()
    expect(desk.pane.get_by_text("The draft changed – the next message uses it.")).to_be_hidden()
    expect(desk.step("reply#1").locator(".ed-trace-text").first).to_contain_text("Answer this loudly.")
    # What the page shows before anybody speaks is drawn anew as well.
    desk.tab("Chat")
    desk.pane.get_by_role("button", name="New chat", exact=True).click()
    expect(desk.chat.get_by_role("heading", name="How can Echo help?")).to_be_visible()
    changes = [{"op": "setField", "on": {"flow": True}, "path": ["suggestions"], "value": ["Say it again"]}]
    company.stack.call("tests.e2e.asked:edit", workspace=company.workspace, flow=flow, operations=changes)
    expect(desk.chat.get_by_role("button", name="Say it again")).to_be_visible()


def test_what_stands_in_the_way_is_said_with_what_to_do(company: Company) -> None:
    company.says("capital letters", "import os\n", WRITTEN)
    company.says("This code is refused", "import os\n")
    flow = draft(company, {**CODED, "outputs": ["answer", "nothing"]})
    desk = Try(company, flow).open()
    blocked = desk.pane.get_by_role("region", name="The draft cannot run yet")
    expect(blocked).to_contain_text('The channel "nothing" is not declared')
    expect(blocked).to_contain_text('The handler "plan" has no code')
    looks(desk.page, "run-pane-blocked", widths=(1440, 1024), but=CANVAS)
    blocked.get_by_role("button", name="Show").first.click()
    expect(desk.page.locator('.ed-pane[data-pane="panel"]')).to_be_visible()
    mend = [{"op": "setField", "on": {"flow": True}, "path": ["outputs"], "value": ["answer"]}]
    company.stack.call("tests.e2e.asked:edit", workspace=company.workspace, flow=flow, operations=mend)
    desk.open()
    expect(blocked).not_to_contain_text("nothing")
    # Code that may not run is refused in words, and can be written again.
    write = blocked.get_by_role("button", name="Write the code")
    write.click()
    expect(blocked.get_by_role("listitem")).to_contain_text("is refused")
    write.click()
    expect(blocked).to_be_hidden()
    expect(desk.chat.get_by_role("textbox", name="Message", exact=True)).to_be_visible()


def test_a_failed_step_says_why(company: Company) -> None:
    made = company.deploy("order-desk")
    desk = Try(company, made["flow"], "owner").open()
    # What drafts run with is set beside the chat, by who may; what does not fit is said at its field.
    desk.pane.get_by_role("button", name="What the draft runs with").click()
    hosts = desk.pane.get_by_label("Private addresses it may call")
    kept = hosts.input_value()
    hosts.fill("no port")
    desk.pane.get_by_role("button", name="Save").click()
    expect(hosts).to_have_attribute("aria-invalid", "true")
    hosts.fill("")
    desk.pane.get_by_role("button", name="Save").click()
    expect(desk.pane.get_by_text("Saved. The next message uses it.")).to_be_visible()
    looks(desk.page, "run-pane-settings", widths=(1440, 1024), but=CANVAS)
    desk.tab("Chat")
    desk.say(ORDER)
    desk.settled()
    desk.ran("find_customer", "failed")
    # The canvas shows the attempts together; the details tell each.
    failed = desk.step("find_customer#1")
    expect(failed.locator(".notice-bad")).to_contain_text("The run went on at")
    expect(failed.locator(".notice-warn").first).to_contain_text("It was tried again.")
    desk.pane.get_by_role("button", name="What the draft runs with").click()
    desk.pane.get_by_label("Private addresses it may call").fill(kept)
    desk.pane.get_by_role("button", name="Save").click()
    expect(desk.pane.get_by_text("Saved. The next message uses it.")).to_be_visible()
    desk.pane.get_by_role("tab", name="Chat").click()
    desk.say(ORDER)
    expect(desk.chat.get_by_role("group", name="Place this order?").last).to_be_visible()
    desk.ran("find_customer", "done")


def test_without_a_model_it_says_what_to_set_and_offers_the_demo(stack: Stack) -> None:
    company = Company(stack, stack.call("tests.e2e.inside:company", model=False))
    flow = draft(company, ECHO)
    told = Try(company, flow).open()
    expect(told.pane.get_by_text("Ask an owner or operator")).to_be_visible()
    desk = Try(company, flow, "owner").open()
    expect(desk.pane.get_by_role("link", name="Set up a model")).to_have_attribute("href", "/settings/models")
    looks(desk.page, "run-pane-no-model", widths=(1440, 1024), but=CANVAS)
    desk.pane.get_by_role("button", name="Use the demo model").click()
    expect(desk.pane.get_by_text("Demo model", exact=True)).to_be_visible()
    company.says("Answer this", "From the script.")
    desk.say("Hello")
    expect(desk.chat.get_by_text("From the script.", exact=True)).to_be_visible()


@pytest.mark.parametrize("width", [1024, 800])
def test_the_pane_fits_narrow_windows(company: Company, width: int) -> None:
    company.says("Answer this", "A narrow answer.")
    desk = Try(company, draft(company, ECHO), viewport={"width": width, "height": 844}).open()
    desk.say("Hello")
    expect(desk.chat.get_by_text("A narrow answer.", exact=True)).to_be_visible()
    fits(desk.page)
    desk.step("reply#1")
    fits(desk.page)
