"""The canvas with pointer and keyboard: adding, leading, moving, removing, copying, undoing."""

from __future__ import annotations

import copy
import re
from typing import Any

from playwright.sync_api import expect

from tests.e2e.canvas import Open, card, cards, document_of, drag, drop, flow_of, ground, layout_of, lead, lines, middle
from tests.e2e.company import ECHO
from tests.support.stack import Stack

EMPTY: dict[str, Any] = {
    **ECHO,
    "name": "From nothing",
    "inputs": [],
    "outputs": [],
    "start": "",
    "nodes": [],
    "edges": [],
}


def test_a_new_flow_is_question_model_answer(stack: Stack) -> None:
    page = stack.signed_in_page("builder", "/flows")
    page.get_by_role("button", name="New flow").first.click()
    page.get_by_label("Name").fill("Fresh")
    page.get_by_role("button", name="Create").click()
    expect(cards(page)).to_have_count(1)
    expect(page.locator(".ed-start")).to_contain_text("question")
    expect(page.locator(".ed-endmark")).to_contain_text("answer")
    expect(page.locator(".ed-card-traffic")).to_contain_text("question → answer")
    expect(page.locator(".ed-problems")).to_have_attribute("aria-label", "No problems")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()


def test_a_step_is_added_led_to_moved_and_removed(opened: Open) -> None:
    page = opened()
    drop(page, "llm", 400, 560)
    expect(cards(page)).to_have_count(2)
    lead(page, "reply", "model")
    # A second way on is a decision: both ways have a name.
    expect(page.locator(".ed-wire-name")).to_have_count(2)
    assert sorted(document_of(page)["edges"][0]["routes"].values()) == ["END", "model"]
    lead(page, "model", "END")
    expect(lines(page)).to_have_count(3)
    before = layout_of(page)["nodes"]["model"]
    x, y = middle(card(page, "model"))
    drag(page, (x, y), (x + 120, y - 60))
    after = layout_of(page)["nodes"]["model"]
    assert after["x"] > before["x"] and after["y"] < before["y"]
    page.keyboard.press("Delete")
    expect(cards(page)).to_have_count(1)
    left = document_of(page)
    assert [node["id"] for node in left["nodes"]] == ["reply"]
    # Its way stays, and leads to where it led.
    assert set(left["edges"][0]["routes"].values()) == {"END"}


def test_everything_done_is_undone_and_redone_even_after_a_reload(opened: Open) -> None:
    page = opened()
    first = document_of(page)
    drop(page, "form", 420, 560)
    expect(cards(page)).to_have_count(2)
    lead(page, "reply", "form")
    expect(lines(page)).to_have_count(2)
    ground(page)
    last = document_of(page)
    page.reload()
    expect(cards(page)).to_have_count(2)
    ground(page)
    page.keyboard.press("Control+z")
    expect(lines(page)).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(cards(page)).to_have_count(1)
    assert document_of(page) == first
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.keyboard.press("Control+Shift+z")
    expect(cards(page)).to_have_count(2)
    page.keyboard.press("Control+y")
    expect(lines(page)).to_have_count(2)
    assert document_of(page) == last


def test_a_step_is_dropped_into_a_line_and_taken_out_again(opened: Open) -> None:
    page = opened()
    line = page.locator(".react-flow__edge-interaction").first
    box = line.bounding_box()
    stage = page.locator(".ed-canvas").bounding_box()
    assert box and stage
    drop(page, "llm", box["x"] + box["width"] / 2 - stage["x"], box["y"] + box["height"] / 2 - stage["y"])
    expect(cards(page)).to_have_count(2)
    assert document_of(page)["edges"] == [{"from": "reply", "to": "model"}, {"from": "model", "to": "END"}]
    ground(page)
    card(page, "model").click()
    page.keyboard.press("Delete")
    # What led to it leads to what came after it.
    expect(cards(page)).to_have_count(1)
    assert document_of(page)["edges"] == [{"from": "reply", "to": "END"}]


def test_a_line_is_led_elsewhere_and_cut(opened: Open) -> None:
    document = copy.deepcopy(ECHO)
    document["nodes"].append({**document["nodes"][0], "id": "again"})
    document["edges"] = [{"from": "reply", "to": "again"}, {"from": "again", "to": "END"}]
    page = opened(document)
    expect(lines(page)).to_have_count(2)
    end = page.locator('[data-id="plain reply"] .react-flow__edgeupdater-target')
    drag(page, middle(end), middle(card(page, "END").locator(".ed-port")))
    expect(page.locator('[data-id="plain reply"]')).to_have_attribute("aria-label", re.compile("END"))
    assert document_of(page)["edges"][0] == {"from": "reply", "to": "END"}
    line = page.locator('[data-id="plain again"] .react-flow__edge-interaction')
    line.dispatch_event("click")
    page.locator(".ed-pane-close").click()
    page.keyboard.press("Delete")
    expect(lines(page)).to_have_count(1)
    assert document_of(page)["edges"] == [{"from": "reply", "to": "END"}]


def test_steps_are_copied_to_another_flow_with_what_they_name(opened: Open) -> None:
    source = copy.deepcopy(ECHO)
    source["state"]["mood"] = {"type": "string", "description": "How the person feels."}
    source["nodes"].append({"id": "feel", "type": "llm", "prompt": "Feel {{question}}.", "output": "mood"})
    source["edges"] = [{"from": "reply", "to": "feel"}, {"from": "feel", "to": "END"}]
    page = opened(source, permissions=["clipboard-read", "clipboard-write"])
    ground(page)
    page.keyboard.press("Control+a")
    expect(page.locator(".react-flow__node.selected")).to_have_count(2)
    page.keyboard.press("Control+c")
    id = flow_of(page)
    page.goto(page.url.replace(id, flow_of(opened(ECHO))))
    ground(page)
    page.keyboard.press("Control+v")
    expect(cards(page)).to_have_count(3)
    pasted = document_of(page)
    # What was there already got another name in the copy, and everything in the copy follows it.
    assert [node["id"] for node in pasted["nodes"]] == ["reply", "reply_2", "feel"]
    assert pasted["state"]["mood"] == source["state"]["mood"]
    assert {"from": "reply_2", "to": "feel"} in pasted["edges"]
    page.keyboard.press("Control+d")
    expect(cards(page)).to_have_count(5)


def test_the_keyboard_alone_builds_a_flow(opened: Open) -> None:
    page = opened(EMPTY)
    expect(page.get_by_role("heading", name="Nothing happens here yet")).to_be_visible()
    expect(page.locator('[data-kind="llm"]')).to_be_visible()
    search = page.get_by_role("searchbox", name="Add a step…")
    search.focus()
    page.keyboard.type("model")
    page.keyboard.press("Enter")
    expect(card(page, "model")).to_be_visible()
    assert document_of(page)["edges"] == [{"from": "model", "to": "END"}]
    assert document_of(page)["start"] == "model"
    card(page, "model").focus()
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(card(page, "model")).to_be_focused()
    page.keyboard.press("n")
    page.keyboard.type("ask")
    page.keyboard.press("Enter")
    # What comes next goes between, and the next key is about it.
    expect(card(page, "ask")).to_be_focused()
    assert document_of(page)["edges"] == [{"from": "model", "to": "ask"}, {"from": "ask", "to": "END"}]
    page.keyboard.press("Enter")
    expect(page.locator(".ed-pane")).to_be_visible()
    page.locator(".ed-pane").get_by_role("button", name="Close", exact=True).press("Enter")
    expect(card(page, "ask")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Find in the flow")).to_be_focused()
    page.keyboard.press("Escape")
    expect(card(page, "ask")).to_be_focused()
    page.keyboard.press("c")
    page.keyboard.type("model")
    page.keyboard.press("Enter")
    expect(page.locator('[data-id^="route ask"]')).to_have_count(2)
    # Tab comes to the cards first, and then to the lines between them.
    stops = page.locator('.ed-canvas :is(.react-flow__node, .react-flow__edge)[tabindex="0"]')
    order = stops.evaluate_all("all => all.map((each) => each.classList[0])")
    assert order == ["react-flow__node"] * cards(page).count() + ["react-flow__edge"] * lines(page).count()
    before = layout_of(page)["nodes"]["ask"]
    card(page, "ask").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Undo")).to_have_attribute("title", re.compile("Move"))
    after = layout_of(page)["nodes"]["ask"]
    assert (after["x"] - before["x"], after["y"] - before["y"]) == (20, 10)
    # A key is about what has the focus, not about what was chosen before.
    card(page, "model").focus()
    page.keyboard.press("Shift+Delete")
    expect(card(page, "model")).to_have_count(0)
    expect(card(page, "ask")).to_have_count(1)
    expect(page.locator(".ed-canvas")).to_be_focused()
