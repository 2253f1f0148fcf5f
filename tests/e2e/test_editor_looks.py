"""The editor in every state that a person meets, at two widths in both themes. `SCREENSHOTS=folder` keeps pictures."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.company import ECHO, Company
from tests.e2e.conftest import Pages
from tests.e2e.drawing import Board
from tests.e2e.looks import looks

Json = Any
CANVAS = ".react-flow"
WIDTHS = (1440, 1024)
ORDER = "Order 12 jars of heather honey for Meridian Foods"
KINDS = {
    "llm": "understand",
    "handler": "prepare_order",
    "ask": "ask_customer",
    "form": "complete_order",
    "tool": "place_order",
}


def seen(page: Page, name: str) -> None:
    looks(page, f"editor-{name}", widths=WIDTHS, whole=False, but=CANVAS)


@pytest.fixture
def desk(company: Company) -> Board:
    made = company.deploy("order-desk", deciders="starter")
    company.stack.demo.set(speed=20)
    return Board.open(company, "owner", made["flow"], reduced_motion="reduce")


def test_new_empty_and_text(company: Company) -> None:
    board = Board.new(company, "owner", "Front desk", reduced_motion="reduce")
    expect(board.card("reply")).to_be_visible()
    seen(board.page, "new")
    board.page.get_by_role("button", name="JSON", exact=True).click()
    expect(board.page.locator(".cm-content")).to_be_visible()
    seen(board.page, "json")
    board.page.get_by_role("button", name="Canvas", exact=True).click()
    board.clear()
    expect(board.page.get_by_role("heading", name="Nothing happens here yet")).to_be_visible()
    seen(board.page, "empty")


def test_the_order_desk_and_its_panels(desk: Board) -> None:
    page = desk.page
    page.get_by_role("button", name="Show everything").click()
    expect(desk.card("report")).to_be_in_viewport()
    seen(page, "order-desk")
    for kind, id in KINDS.items():
        desk.choose(id)
        seen(page, f"panel-{kind}")
    desk.tab("Approval")
    seen(page, "panel-approval")
    desk.tab("Errors")
    seen(page, "panel-errors")
    desk.choose("understand")
    desk.pane.get_by_role("button", name="Details of intent").click()
    seen(page, "panel-shape")
    for tab in ("Flow", "In and out", "Channels", "Tools", "Needs"):
        desk.flow(tab)
        seen(page, f"panel-flow-{tab.split()[0].lower()}")
    desk.flow("Channels")
    desk.pane.locator(".ed-item").first.click()
    seen(page, "panel-channel")
    desk.flow("Tools")
    desk.pane.locator(".ed-item").first.click()
    seen(page, "panel-tool-declared")
    desk.pane.get_by_role("button", name="Edit", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    seen(page, "code")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show everything").click()
    expect(desk.card("report")).to_be_in_viewport()
    desk.press("route price_order place")
    expect(desk.route("place")).to_be_visible()
    seen(page, "panel-routes")
    desk.press("plain complete_order")
    expect(desk.pane.get_by_text("Always goes on")).to_be_visible()
    seen(page, "panel-edge")


def test_problems_and_a_conflict(company: Company, pages: Pages) -> None:
    broken = copy.deepcopy(ECHO)
    broken["nodes"][0]["promt"] = "Answer."
    broken["nodes"][0]["output"] = "anser"
    broken["nodes"].append({"id": "lost", "type": "ask", "ask": "Well?", "output": "reply"})
    text = json.dumps(broken, indent=2)
    flow = company.stack.call("tests.e2e.inside:draft", workspace=company.workspace, text=text)
    bea = Board.open(company, "builder", flow, reduced_motion="reduce")
    olga = Board.open(company, "owner", flow)
    bea.choose("reply")
    seen(bea.page, "problems-panel")
    bea.page.locator(".ed-problems").click()
    expect(bea.page.locator("[data-flow-problems]")).to_be_visible()
    seen(bea.page, "problems")
    bea.page.keyboard.press("Escape")
    pages.expect("ERR_INTERNET_DISCONNECTED|WebSocket connection")
    bea.page.context.set_offline(True)
    prompt = '.ed-field[data-path$=".prompt"] textarea'
    bea.type(bea.pane.locator(prompt), "Answer as Bea says: {{question}} {{history}}")
    expect(bea.page.locator(".ed-saved")).to_have_attribute("data-saving", "offline")
    seen(bea.page, "offline")
    olga.choose("reply")
    olga.type(olga.pane.locator(prompt), "Answer as Olga says: {{question}} {{history}}")
    olga.saved()
    bea.page.context.set_offline(False)
    expect(bea.page.get_by_role("region", name="Changes that met somebody else's")).to_be_visible()
    seen(bea.page, "conflict")


def test_a_proposal(company: Company) -> None:
    flow = company.stack.call("tests.e2e.asked:draft", workspace=company.workspace, document=None)
    board = Board.open(company, "builder", flow, reduced_motion="reduce")
    bar = board.page.get_by_role("textbox", name="Ask for a change, or a question about this flow")
    bar.fill("Build the order desk from nothing")
    bar.press("Enter")
    expect(board.page.get_by_role("button", name="Accept", exact=True)).to_be_visible()
    seen(board.page, "proposal")


def test_running(desk: Board) -> None:
    page = desk.page
    page.get_by_role("button", name="Show everything").click()
    page.get_by_role("button", name="Run", exact=True).click()
    chat = page.frame_locator(".ed-pane iframe")
    chat.get_by_role("textbox", name="Message", exact=True).fill(ORDER)
    chat.get_by_role("button", name="Send", exact=True).click()
    expect(chat.get_by_role("group", name="Place this order?")).to_be_visible()
    desk.ran("place_order", "waiting")
    seen(page, "running")
    desk.tab("Steps")
    seen(page, "run-steps")
    desk.pane.locator('.ed-run-row[data-address="understand#1"]').click()
    expect(desk.pane.locator('.ed-trace[data-address="understand#1"]')).to_be_visible()
    seen(page, "run-step")


def test_versions(desk: Board) -> None:
    desk.page.get_by_role("button", name="Show everything").click()
    expect(desk.card("report")).to_be_in_viewport()
    desk.choose("report")
    desk.type(desk.pane.locator('.ed-field[data-path$=".description"] textarea'), "Tells what became of it.")
    desk.saved()
    desk.page.get_by_role("button", name="Versions", exact=True).click()
    expect(desk.page.locator(".ed-versions").get_by_text("1 change since version 1")).to_be_visible()
    seen(desk.page, "versions")
    desk.page.goto(f"/flows/{desk.id}/publish")
    looks(desk.page, "editor-publish", widths=WIDTHS)
