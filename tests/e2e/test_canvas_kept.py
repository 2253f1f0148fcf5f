"""What the editor never loses: edits without a connection, the edits of two people, texts that are no flow."""

from __future__ import annotations

import copy
import json
import re

import pytest
from playwright.sync_api import expect

from tests.e2e.canvas import (
    Open,
    card,
    cards,
    document_of,
    drag,
    drop,
    flow_of,
    ground,
    layout_of,
    middle,
    saved,
)
from tests.e2e.company import ECHO, Company
from tests.e2e.conftest import PHONE, Pages
from tests.e2e.drawing import Board
from tests.e2e.looks import looks


@pytest.mark.at_once
def test_nothing_is_lost_while_the_connection_is(opened: Open, pages: Pages) -> None:
    pages.expect("net::ERR_FAILED.*/edits")
    page = opened()
    drop(page, "llm", 400, 560)
    expect(cards(page)).to_have_count(2)
    saved(page)
    x, y = middle(card(page, "model"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y, steps=4)
    # It goes in the middle of a drag, and takes every edit with it; the page itself can still be read.
    page.route("**/api/flows/*/edits", lambda route: route.abort())
    page.mouse.move(x + 150, y + 40, steps=6)
    page.mouse.up()
    expect(page.locator('.ed-saved[data-saving="offline"]')).to_contain_text("No connection")
    assert middle(card(page, "model"))[0] > x + 100
    card(page, "reply").click()
    page.keyboard.press("Control+d")
    page.reload()
    expect(page.locator('.ed-saved[data-saving="offline"]')).to_be_visible()
    moved = middle(card(page, "model"))[0] - middle(card(page, "reply"))[0]
    page.unroute("**/api/flows/*/edits")
    page.get_by_role("button", name="Try again").click()
    expect(cards(page)).to_have_count(3)
    saved(page)
    page.reload()
    expect(cards(page)).to_have_count(3)
    assert middle(card(page, "model"))[0] - middle(card(page, "reply"))[0] == pytest.approx(moved, abs=2)


@pytest.mark.at_once
def test_two_people_at_one_place_both_keep_what_they_wrote(company: Company, opened: Open, pages: Pages) -> None:
    pages.expect("net::ERR_FAILED.*/edits")
    mine = opened()
    other = company.page("owner", f"/flows/{flow_of(mine)}", reduced_motion="reduce")
    expect(cards(other)).to_have_count(1)
    # Mine does not reach the server until theirs was there.
    mine.route("**/api/flows/*/edits", lambda route: route.abort())
    card(mine, "reply").click()
    prompt = mine.locator('[data-path="nodes[0].prompt"]').get_by_role("textbox").first
    prompt.fill("Mine: {{question}}")
    prompt.blur()
    expect(mine.locator('.ed-saved[data-saving="offline"]')).to_be_visible()
    card(other, "reply").click()
    theirs = other.locator('[data-path="nodes[0].prompt"]').get_by_role("textbox").first
    theirs.fill("Theirs: {{question}}")
    theirs.blur()
    saved(other)
    mine.unroute("**/api/flows/*/edits")
    mine.get_by_role("button", name="Try again").click()
    aside = mine.get_by_role("region", name="Changes that met somebody else's")
    expect(aside).to_contain_text("Mine: {{question}}")
    expect(aside).to_contain_text("Theirs: {{question}}")
    assert document_of(mine)["nodes"][0]["prompt"] == "Theirs: {{question}}"
    aside.get_by_role("button", name="Use mine").click()
    expect(aside).to_have_count(0)
    assert document_of(mine)["nodes"][0]["prompt"] == "Mine: {{question}}"
    # The other page follows by itself.
    expect(card(other, "reply").locator(".ed-card-says")).to_contain_text("Answers")
    expect(theirs).to_contain_text("Mine")


def test_who_may_only_look_sees_everything_and_changes_nothing(opened: Open) -> None:
    page = opened(who="operator")
    expect(cards(page)).to_have_count(1)
    expect(page.get_by_text("Only to look at")).to_be_visible()
    expect(page.locator(".ed-palette")).to_have_count(0)
    before = card(page, "reply").evaluate("each => each.style.transform")
    x, y = middle(card(page, "reply"))
    drag(page, (x, y), (x + 200, y))
    assert card(page, "reply").evaluate("each => each.style.transform") == before
    card(page, "reply").click()
    page.keyboard.press("Delete")
    expect(cards(page)).to_have_count(1)
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)


def test_text_that_is_no_json_is_mended_where_it_stands(opened: Open) -> None:
    page = opened('{ "version": "0.33", "name": "Half", ')
    expect(page.get_by_role("alert")).to_contain_text("no readable JSON")
    expect(page.get_by_role("button", name="Canvas", exact=True)).to_be_disabled()
    editor = page.locator(".cm-content")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(json.dumps(ECHO))
    expect(page.get_by_role("button", name="Canvas", exact=True)).to_be_enabled()
    page.get_by_role("button", name="Canvas", exact=True).click()
    expect(cards(page)).to_have_count(1)
    # The text was one edit, and is taken back like any other.
    ground(page)
    page.keyboard.press("Control+z")
    expect(page.locator(".cm-editor")).to_be_visible()


def test_problems_stand_on_their_steps_and_lead_there(opened: Open) -> None:
    document = copy.deepcopy(ECHO)
    document["nodes"][0]["promt"] = "Answer."
    page = opened(document)
    expect(page.locator('.ed-badge[data-badge="problem"]')).to_have_text("1 problem")
    page.locator(".ed-problems").click()
    page.get_by_role("button", name=re.compile("^Error: .promt")).click()
    expect(card(page, "reply")).to_have_class(re.compile("selected"))
    expect(page.locator(".ed-pane")).to_be_visible()
    page.get_by_role("button", name="JSON", exact=True).click()
    expect(page.locator(".cm-lintRange-error")).to_have_count(1)


def test_comments_lie_on_the_canvas_and_never_in_the_flow(opened: Open) -> None:
    page = opened()
    before = document_of(page)
    page.get_by_role("button", name="Add a comment").click()
    page.keyboard.type("Ask the desk first.")
    page.keyboard.press("Escape")
    note = page.locator(".ed-note")
    expect(note).to_have_text("Ask the desk first.")
    box = note.bounding_box()
    assert box
    corner = (box["x"] + box["width"], box["y"] + box["height"])
    drag(page, corner, (corner[0] + 60, corner[1] + 40))
    [comment] = layout_of(page)["comments"]
    assert comment["width"] > box["width"] and comment["text"] == "Ask the desk first."
    assert document_of(page) == before
    note.click()
    page.keyboard.press("Delete")
    expect(note).to_have_count(0)
    assert layout_of(page)["comments"] == []


def test_search_goes_from_one_find_to_the_next(opened: Open) -> None:
    document = copy.deepcopy(ECHO)
    document["nodes"].append({**document["nodes"][0], "id": "again"})
    document["edges"] = [{"from": "reply", "to": "again"}, {"from": "again", "to": "END"}]
    page = opened(document)
    ground(page)
    page.keyboard.press("/")
    page.keyboard.type("history")
    expect(page.get_by_text("1 of 2")).to_be_visible()
    page.keyboard.press("Enter")
    expect(card(page, "reply")).to_have_class(re.compile("selected"))
    page.keyboard.press("Enter")
    expect(card(page, "again")).to_have_class(re.compile("selected"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("search")).to_have_count(0)


def test_a_phone_is_for_looking(opened: Open, pages: Pages) -> None:
    page = opened(viewport=PHONE)
    expect(page.get_by_text("Editing wants a wider screen")).to_be_visible()
    expect(cards(page)).to_have_count(1)
    page.locator(".ed-problems").click()
    expect(page.get_by_text("No problems. This draft can be published.")).to_be_visible()
    page.keyboard.press("Escape")
    looks(page, "canvas", whole=False)


# Each reply of the server comes this much later than it was sent.
SLOW = """(ms) => {
  const now = window.fetch;
  window.fetch = async (...asked) => {
    const reply = await now(...asked);
    await new Promise((done) => setTimeout(done, ms));
    return reply;
  };
}"""


def test_who_is_faster_than_the_line_loses_nothing(opened: Open) -> None:
    page = opened()
    board = Board(page)
    board.choose("reply")
    page.evaluate(SLOW, 900)
    # A channel is named twice before anybody knows that it was made.
    board.tab("Approval")
    board.add("Add approval")
    board.type(board.field("nodes[0].approval.ask").locator("textarea"), "Say it?")
    for field in ("show", "edit"):
        board.pick(board.field(f"nodes[0].approval.{field}").get_by_role("combobox"), "mood")
    # A step gets another name, and is written on before the name is there.
    board.tab("Step")
    name = board.field("nodes[0].id").locator("input")
    name.fill("answerer")
    name.press("Enter")
    board.type(board.field("nodes[0].description").locator("textarea"), "Answers kindly.")
    expect(board.card("answerer")).to_be_visible()
    board.saved()
    (node,) = board.document()["nodes"]
    assert (node["id"], node["description"]) == ("answerer", "Answers kindly.")
    assert node["approval"] == {"ask": "Say it?", "show": ["mood"], "edit": ["mood"]}
    assert "mood" in board.document()["state"]
    expect(page.locator(".toast-bad")).to_have_count(0)
