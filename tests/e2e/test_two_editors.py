"""Two people edit one flow at once: in different places, in the same place, and over a line that breaks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.e2e.company import ECHO, Company
from tests.e2e.conftest import Pages
from tests.e2e.drawing import Board

Json = Any
Both = Callable[[], tuple[Board, Board]]


@pytest.fixture
def both(company: Company) -> Both:
    """Bea's and Olga's boards, each in a browser of its own, on one new flow."""

    def open_both() -> tuple[Board, Board]:
        text = json.dumps(ECHO, indent=2)
        flow = company.stack.call("tests.e2e.inside:draft", workspace=company.workspace, text=text)
        return Board.open(company, "builder", flow), Board.open(company, "owner", flow)

    return open_both


def prompt(board: Board) -> Locator:
    return board.pane.locator('.ed-field[data-path$=".prompt"] textarea')


def description(board: Board) -> Locator:
    return board.pane.locator('.ed-field[data-path$="nodes[0].description"] textarea')


def asides(board: Board) -> Locator:
    return board.page.get_by_role("region", name="Changes that met somebody else's")


def node(board: Board, id: str = "reply") -> dict[str, Json]:
    return next(each for each in board.document()["nodes"] if each["id"] == id)


def off(board: Board, pages: Pages) -> BrowserContext:
    """Cut the browser's line."""
    pages.expect("ERR_INTERNET_DISCONNECTED|WebSocket connection")
    board.page.context.set_offline(True)
    return board.page.context


@pytest.mark.at_once
def test_both_see_what_either_does_and_each_undoes_their_own(both: Both) -> None:
    bea, olga = both()
    bea.choose("reply")
    bea.type(prompt(bea), "Answer in one word: {{question}} {{history}}")
    made = olga.drop("ask", 120, 420)
    olga.rename(made, "clarify")
    # Without a reload, each has what the other did.
    expect(bea.card("clarify")).to_be_visible()
    olga.choose("reply")
    expect(prompt(olga)).to_have_value(re.compile("in one word"))
    bea.saved()
    olga.saved()
    assert node(bea)["prompt"].startswith("Answer in one word")
    assert node(bea, "clarify")["type"] == "ask"
    # Bea takes back her own edit, not Olga's later ones.
    bea.page.get_by_role("button", name="Undo").click()
    expect(prompt(olga)).to_have_value(re.compile("Answer this"))
    assert [each["id"] for each in bea.document()["nodes"]] == ["reply", "clarify"]
    bea.page.get_by_role("button", name="Redo").click()
    expect(prompt(olga)).to_have_value(re.compile("in one word"))


def test_two_fields_of_one_step_do_not_meet(both: Both) -> None:
    bea, olga = both()
    bea.choose("reply")
    olga.choose("reply")
    prompt(bea).fill("Answer as Bea says: {{question}} {{history}}")
    description(olga).fill("Answers as Olga says.")
    prompt(bea).blur()
    description(olga).blur()
    bea.saved()
    olga.saved()
    expect(description(bea)).to_have_value("Answers as Olga says.")
    expect(prompt(olga)).to_have_value(re.compile("as Bea says"))
    assert (node(bea)["prompt"][:18], node(bea)["description"]) == ("Answer as Bea says", "Answers as Olga says.")
    expect(asides(bea)).to_have_count(0)
    expect(asides(olga)).to_have_count(0)


@pytest.mark.parametrize("choice", [pytest.param("Use mine", marks=pytest.mark.at_once), "Keep theirs"])
def test_one_field_changed_by_both_is_kept_from_both_and_shown(both: Both, pages: Pages, choice: str) -> None:
    bea, olga = both()
    bea.choose("reply")
    olga.choose("reply")
    line = off(bea, pages)
    bea.type(prompt(bea), "Answer as Bea says: {{question}} {{history}}")
    expect(bea.page.locator(".ed-saved")).to_have_attribute("data-saving", "offline")
    olga.type(prompt(olga), "Answer as Olga says: {{question}} {{history}}")
    olga.saved()
    line.set_offline(False)
    # Nobody was overwritten, and both values stand side by side.
    expect(asides(bea)).to_be_visible()
    expect(asides(bea)).to_contain_text("Answer as Bea says")
    expect(asides(bea)).to_contain_text("Answer as Olga says")
    assert node(olga)["prompt"].startswith("Answer as Olga says")
    expect(asides(olga)).to_have_count(0)
    # It is still there after a reload: it is kept by the server, not by the page.
    bea.page.reload()
    expect(asides(bea)).to_contain_text("Answer as Bea says")
    asides(bea).get_by_role("button", name=choice).click()
    expect(asides(bea)).to_have_count(0)
    mine = choice == "Use mine"
    expect(prompt(olga)).to_have_value(re.compile("as Bea says" if mine else "as Olga says"))
    assert node(bea)["prompt"].startswith("Answer as Bea" if mine else "Answer as Olga")


def test_a_step_that_somebody_removed_meanwhile_is_said(both: Both, pages: Pages) -> None:
    bea, olga = both()
    made = olga.drop("ask", 120, 420)
    olga.rename(made, "clarify")
    olga.saved()
    bea.choose("clarify")
    line = off(bea, pages)
    bea.type(bea.pane.locator('.ed-field[data-path$=".ask"] textarea'), "Which one do you mean?")
    olga.card("clarify").locator(".ed-card-head").click()
    olga.page.keyboard.press("Escape")
    olga.card("clarify").locator(".ed-card-head").click()
    olga.page.keyboard.press("Delete")
    expect(olga.card("clarify")).to_have_count(0)
    olga.saved()
    line.set_offline(False)
    # What Bea typed is not thrown away because its place is gone.
    expect(asides(bea)).to_contain_text("Which one do you mean?")
    asides(bea).get_by_role("button", name="Keep theirs").click()
    expect(asides(bea)).to_have_count(0)
    expect(bea.card("clarify")).to_have_count(0)


def test_a_line_that_breaks_while_dragging_loses_nothing(both: Both, pages: Pages) -> None:
    bea, olga = both()
    bea.saved()
    before = bea.boot()["layout"]
    line = off(bea, pages)
    bea.drag("reply", (160, 130))
    bea.choose("reply")
    bea.type(prompt(bea), "Written without a line: {{question}} {{history}}")
    expect(bea.page.locator(".ed-saved")).to_have_attribute("data-saving", "offline")
    assert olga.boot()["layout"] == before
    made = olga.drop("ask", 120, 420)
    olga.saved()
    # The page is closed without a line and opened again with one: what was done is sent.
    address = bea.page.url
    bea.page.close()
    line.set_offline(False)
    again = Board(line.new_page())
    again.page.goto(address)
    again.ready()
    expect(again.card(made)).to_be_visible()
    again.saved()
    expect(asides(again)).to_have_count(0)
    after = again.boot()
    assert node(again)["prompt"].startswith("Written without a line")
    assert "reply" in after["layout"]["nodes"]
    olga.choose("reply")
    expect(prompt(olga)).to_have_value(re.compile("Written without a line"))


@pytest.mark.at_once
def test_a_server_that_goes_away_and_comes_back_finds_every_edit(both: Both, company: Company, pages: Pages) -> None:
    bea, _ = both()
    pages.expect("502|503|ERR_CONNECTION|WebSocket connection|Failed to load resource")
    bea.choose("reply")
    company.stack.kill("web")
    bea.type(prompt(bea), "Written while nobody listened: {{question}} {{history}}")
    bea.type(description(bea), "Kept in the browser.")
    expect(bea.page.locator(".ed-saved")).not_to_have_attribute("data-saving", "saved")
    company.stack.start_process("web")
    # By itself: nobody has to press anything.
    bea.saved()
    assert node(bea)["prompt"].startswith("Written while nobody listened")
    assert node(bea)["description"] == "Kept in the browser."
