"""Steps that cannot be run here, in a browser: drawn, filled in and explained, never offered, and refused in words."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import expect

from flows.panels import language
from tests.e2e.company import Company
from tests.e2e.desk import Desk
from tests.e2e.looks import looks
from tests.flows.later_kinds import batch, orchestrator, parent, spread, work
from tests.flows.reading_kinds import document_chat, handbook, indexer, order_book

Json = Any
# The narrower of the two: what fits there fits in a wider window; the whole editor is looked at in both.
WIDE = (1024,)
MISSING = {("flow", "flow"): "there is no file", ("agent", "agents"): "there is no registry"}
"""Where the workspace lacks what a field names, that stands in the place of the field's help."""


def named(flow: Json, name: str) -> Json:
    return {**flow, "version": "1.0", "name": name}


def test_a_fan_out_is_drawn_with_what_it_runs(company: Company) -> None:
    desk = Desk(company, named(spread(), "Many addresses"))
    page = desk.page
    expect(page.locator(".ed-wire-name", has_text="each url")).to_be_visible()
    expect(page.locator('.ed-palette [data-kind="llm"]')).to_be_visible()
    expect(page.locator('.ed-palette [data-kind="fanout"]')).to_be_visible()
    expect(page.locator('.ed-palette [data-kind="knowledge"]')).to_have_count(0)
    pane = desk.choose("each")
    expect(pane.locator('[data-path="nodes[1].over"]')).to_contain_text("The channel that holds the list.")
    item = pane.locator('[data-path="nodes[1].as"] input')
    item.fill("address")
    item.press("Tab")
    expect(page.locator(".ed-wire-name", has_text="each address")).to_be_visible()
    assert desk.node("each")["as"] == "address"
    # The target reads a name that is no item any more.
    expect(page.locator(".ed-problems")).to_have_attribute("data-problem-count", "1")
    looks(page, "cannot-run-fanout", widths=WIDE, but=".react-flow")


def test_it_is_refused_in_words_where_it_would_run(company: Company) -> None:
    desk = Desk(company, named(handbook(), "House rules"))
    desk.page.get_by_role("button", name="Run", exact=True).click()
    blocked = desk.page.locator(".ed-run-blocked")
    expect(blocked).to_contain_text('The step "find" is of the kind "knowledge", which this installation cannot run.')
    blocked.get_by_role("button", name="Show").first.click()
    expect(desk.pane.locator('[data-path="nodes[0].from"]')).to_be_visible()


def test_each_has_its_panel(company: Company) -> None:
    desk = Desk(company, named(batch(), "Later"))
    for flow, node in (
        (batch(), "call"), (work(), "desk"), (parent(), "find"), (orchestrator(), "delegate"),
        (document_chat(), "load"), (handbook(), "find"), (indexer(), "build"), (order_book(), "run"),
    ):  # fmt: skip
        desk.becomes(named(json.loads(json.dumps(flow)), "Later"))
        at = [each["id"] for each in flow["nodes"]].index(node)
        kind = next(each for each in language().kinds if each.type == flow["nodes"][at]["type"])
        pane = desk.choose(node)
        for field in kind.fields:
            if field.tab == "step" and field.key != "type":
                drawn = pane.locator(f'[data-path="nodes[{at}].{field.key}"]')
                expect(drawn, f"{kind.type}: {field.key}").to_be_visible()
                expect(drawn).to_contain_text(MISSING.get((kind.type, field.key), field.help))
        looks(desk.page, f"cannot-run-{kind.type}", widths=WIDE, but=".react-flow")
