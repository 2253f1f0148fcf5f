"""What a person sees of a kind that was added by one module. Run in a copy of the product, by test_new_kind.py."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.company import Company
from tests.e2e.drawing import Board


def test_it_is_dragged_from_the_palette_filled_in_run_and_explained(company: Company) -> None:
    board = Board.new(company, "owner", "Loud")
    page = board.page
    board.clear()
    expect(page.locator('.ed-palette [data-kind="shout"]')).to_have_attribute("title", "Says it loudly.")
    made = board.drop("shout", 320, 260)
    board.rename(made, "call")
    board.say("call", {"text": "hear {{question}}", "times": 2, "output": "answer"})
    board.saved()
    (node,) = board.document()["nodes"]
    assert node == {"id": "call", "type": "shout", "text": "hear {{question}}", "times": 2, "output": "answer"}
    expect(board.card("call")).to_contain_text("question")
    # Its help and its problems stand beside its fields, as those of any kind do.
    expect(board.field("nodes[0].text")).to_contain_text("What is shouted.")
    board.type(board.field("nodes[0].times").locator("input"), "12")
    expect(board.field("nodes[0].times")).to_contain_text("must be at most 9")
    board.type(board.field("nodes[0].times").locator("input"), "2")
    expect(page.locator(".ed-problems")).to_have_attribute("data-problem-count", "0")
    page.get_by_role("button", name="Run", exact=True).click()
    chat = page.frame_locator(".ed-pane iframe")
    chat.get_by_role("textbox", name="Message", exact=True).fill("me")
    chat.get_by_role("button", name="Send", exact=True).click()
    expect(chat.locator(".answer").last).to_contain_text("HEAR ME! HEAR ME!")
    board.ran("call", "done")
    page.goto("/reference/shout")
    expect(page.get_by_role("heading", name="Shout: the node kind shout")).to_be_visible()
