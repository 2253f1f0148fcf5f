"""The order desk: drawn on an empty canvas with the pointer, run beside it, published, used and approved by others."""

from __future__ import annotations

import copy
import json
import re
import uuid
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import FrameLocator, Page, expect

from runtime.processes import ROOT
from tests.e2e.company import Company, send
from tests.e2e.drawing import Board

Json = Any
DESK: dict[str, Json] = json.loads((ROOT / "flows/examples/order-desk/flow.json").read_text(encoding="utf-8"))
ORDER = "Order 12 jars of heather honey for Meridian Foods"
CARD = "Place this order?"
# A step stands every so far; between them is room for a line.
COLUMNS, COLUMN, ROW = 6, 125, 118


def drawn(desk: dict[str, Json], office: str) -> dict[str, Json]:
    """What is to stand in the flow in the end: the example, in the newest version, for this office."""
    wanted = copy.deepcopy(desk)
    wanted["requires"]["settings"]["officeUrl"]["default"] = office
    for key in ("id", "name", "version"):
        del wanted[key]
    for node in wanted["nodes"]:
        if not node.get("args", True):
            # A map without entries is left out.
            del node["args"]
    return wanted


def by_name(document: Mapping[str, Json]) -> dict[str, Json]:
    """A flow in which the order of steps, edges and tools does not count, and that of sentences does."""
    told = {key: value for key, value in document.items() if key not in ("id", "name", "version")}
    told["nodes"] = {node["id"]: node for node in document["nodes"]}
    told["tools"] = {tool["name"]: tool for tool in document["tools"]}
    told["edges"] = {edge["from"]: {**edge, "when": list(edge.get("when", {}).items())} for edge in document["edges"]}
    return told


def build(board: Board, desk: dict[str, Json]) -> None:
    """Draw the whole flow: steps, channels, tools, edges, and what the flow says of itself."""
    for number, node in enumerate(desk["nodes"]):
        place = (90 + COLUMN * (number % COLUMNS), 90 + ROW * (number // COLUMNS))
        made = board.drop(node.get("type", "handler"), *place)
        board.rename(made, node["id"])
        later = {"id", "type", "onError"}
        said = {key: copy.deepcopy(value) for key, value in node.items() if key not in later}
        said.get("approval", {}).pop("onReject", None)
        board.say(node["id"], said)
    for name, channel in desk["state"].items():
        board.channel(name, channel)
    for tool in desk["tools"]:
        board.tool(tool["name"], {key: value for key, value in tool.items() if key != "name"})
    # The first step led to the end by itself.
    board.cut(f"plain {desk['start']}")
    for edge in desk["edges"]:
        if "routes" in edge:
            board.decide(edge["from"], edge)
        else:
            board.join(edge["from"], edge["to"])
            expect(board.line(f"plain {edge['from']}")).to_have_count(1)
    for node in desk["nodes"]:
        if "onError" in node:
            board.say(node["id"], {"onError": node["onError"]})
        if node.get("approval", {}).get("onReject"):
            board.say(node["id"], {"approval": {"onReject": node["approval"]["onReject"]}})
    board.say_of_flow({key: desk[key] for key in ("description", "suggestions", "requires")})


def hosts(board: Board, office: str) -> None:
    """Let tries call the office, whose address is private."""
    board.pane.get_by_role("button", name="What the draft runs with").click()
    board.pane.get_by_label("Private addresses it may call").fill(office)
    board.pane.get_by_role("button", name="Save").click()
    expect(board.pane.get_by_text("Saved")).to_be_visible()
    board.pane.get_by_role("button", name="Chat", exact=True).click()


def run_of(board: Board) -> FrameLocator:
    return board.page.frame_locator(".ed-pane iframe")


def publish(page: Page, flow: str, office: str) -> str:
    """Publish for anyone with the link, with reviewers who decide. Returns the address."""
    page.goto(f"/flows/{flow}/publish")
    page.get_by_text("Anyone with the link").click()
    page.get_by_text("Reviewers of this workspace").click()
    slug = f"desk-{uuid.uuid4().hex[:8]}"
    page.locator("[name=slug]").fill(slug)
    page.locator("[name=allowed_hosts]").fill(office)
    page.get_by_role("button", name="Make it live").click()
    expect(page).to_have_url(re.compile(f"/agents/{slug}/published"))
    return page.locator("input[readonly], [data-copy-value]").first.input_value()


# LG-overview-01, LG-overview-02, LG-edges-04, LG-approval-01, LG-approval-04
def test_the_order_desk_is_built_by_pointer_run_published_used_and_approved(company: Company) -> None:
    demo = company.stack.demo
    demo.set(speed=20)
    host = f"127.0.0.1:{company.stack.place.demo_port}"
    office = f"http://{host}/office"
    wanted = drawn(DESK, office)

    board = Board.new(company, "owner", "Order desk")
    page = board.page
    board.clear()
    expect(page.get_by_role("heading", name="Nothing happens here yet")).to_be_visible()
    board.far()
    build(board, wanted)
    board.saved()
    expect(page.locator(".ed-problems")).to_have_attribute("data-problem-count", "0")
    built = board.document()
    assert by_name(built) == by_name({**wanted, "version": built["version"]})
    assert [each for each in board.boot()["problems"] if each["level"] == "error"] == []

    # It is run beside the canvas: code first, then a message; steps light up, and one shows what it did.
    page.get_by_role("button", name="Run", exact=True).click()
    expect(board.pane.get_by_text("The draft cannot run yet")).to_be_visible()
    board.pane.get_by_role("button", name="Write the code").click()
    hosts(board, host)
    chat = run_of(board)
    chat.get_by_role("textbox", name="Message", exact=True).fill(ORDER)
    chat.get_by_role("button", name="Send", exact=True).click()
    card = chat.get_by_role("group", name=CARD)
    expect(card).to_be_visible()
    board.ran("place_order", "waiting")
    board.ran("price_order", "done")
    card.get_by_role("button", name="Decline").click()
    card.get_by_role("button", name="Decline").last.click()
    expect(chat.locator(".answer").last).to_contain_text("declined")
    assert demo.writes()["placed"] == 0

    # Published; a visitor orders, a reviewer approves, and the office has one order.
    link = publish(page, board.id, host)
    visitor = company.visitor(link)
    send(visitor, ORDER)
    waiting = visitor.get_by_role("group", name=CARD)
    expect(waiting).to_contain_text("Waiting for a reviewer")
    reviewer = company.page("reviewer", "/inbox")
    reviewer.get_by_role("list", name="Questions").get_by_role("button", name=CARD).click()
    expect(reviewer.get_by_role("heading", name="What will happen")).to_be_visible()
    expect(reviewer.get_by_text("112.80 EUR").first).to_be_visible()
    reviewer.get_by_role("button", name="Approve", exact=True).click()
    expect(visitor.locator(".answer").last).to_contain_text("112.80 EUR")
    books = demo.writes()
    assert books["placed"] == 1 and not books["placed_twice"]
