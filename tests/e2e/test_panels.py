"""The panel of what is chosen, in a real browser: every kind's fields, what is typed and where it goes, and code."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from flows.panels import language
from tests.e2e.company import Company
from tests.e2e.desk import DESK, Desk
from tests.e2e.looks import looks

# The narrower of the two: what fits there fits in a wider window; the whole editor is looked at in both.
WIDE = (1024,)


@pytest.fixture
def desk(company: Company) -> Desk:
    return Desk(company, DESK)


# LG-studio-01: the panel of each kind has every word of it, with its help.
def test_each_kind_has_its_panel(desk: Desk) -> None:
    kinds = {kind.type: kind for kind in language().kinds}
    for at, node in enumerate(DESK["nodes"]):
        kind = kinds[node.get("type", "handler")]
        pane = desk.choose(node["id"])
        for part in language().tabs:
            # What nothing acts on here is drawn only where a flow has it.
            wanted = [field for field in kind.fields if field.offered or field.key in node]
            fields = [field for field in wanted if field.tab == part.name and field.key != "type"]
            if not fields:
                continue
            desk.tab(part.title)
            for field in fields:
                drawn = pane.locator(f'[data-path="nodes[{at}].{field.key}"]')
                expect(drawn).to_be_visible()
                expect(drawn).to_contain_text(field.help)
        desk.tab("Step")
        looks(desk.page, f"panel-{kind.type}", widths=WIDE, but=".react-flow")


def test_the_flow_itself_has_its_panel(desk: Desk) -> None:
    pane = desk.choose("reply")
    desk.nothing()
    for name in ("Flow", "In and out", "Channels", "Tools", "Needs"):
        desk.tab(name)
        expect(pane.get_by_role("tabpanel")).to_be_visible()
        looks(desk.page, f"panel-flow-{name.split()[0].lower()}", widths=WIDE, but=".react-flow")
    desk.tab("Flow")
    pane.get_by_label("Name", exact=True).fill("Bigger desk")
    pane.get_by_label("Description", exact=True).fill("Finds things.")
    desk.tab("In and out")
    expect(desk.page.get_by_text("Bigger desk").first).to_be_visible()
    pane.get_by_label("Add to Outputs").click()
    desk.page.get_by_role("option", name="rows").click()
    desk.tab("Needs")
    pane.get_by_label("Add to Secrets").fill("API_KEY")
    pane.get_by_label("Add to Secrets").press("Enter")
    pane.get_by_role("button", name="Add to settings").click()
    pane.get_by_label("Name of name").fill("officeUrl")
    pane.get_by_label("Name of name").press("Enter")
    pane.get_by_role("textbox", name="Default").fill("http://here")
    pane.get_by_role("textbox", name="Default").press("Enter")
    found = desk.document()
    assert (found["name"], found["description"], found["outputs"]) == (
        "Bigger desk", "Finds things.", [*DESK["outputs"], "rows"],
    )  # fmt: skip
    assert found["requires"] == {"env": ["API_KEY"], "settings": {"officeUrl": {"default": "http://here"}}}


def test_an_unknown_name_offers_its_channel(desk: Desk) -> None:
    pane = desk.choose("think")
    output = pane.get_by_label("Output", exact=True)
    output.fill("wish")
    looks(desk.page, "panel-create", widths=(1440,), but=".react-flow")
    # The model answers with an object, so that is what the channel holds.
    desk.page.get_by_role("option", name="Create channel “wish” (object)").click()
    expect(output).to_have_value("wish")
    assert desk.node("think")["output"] == "wish"
    assert desk.document()["state"]["wish"]["type"] == "object"
    # One edit: one undo takes both away.
    desk.page.get_by_role("button", name="Undo").click()
    expect(output).to_have_value("plan")
    assert "wish" not in desk.document()["state"]


def test_templates_are_completed_and_checked_as_they_are_typed(desk: Desk) -> None:
    pane = desk.choose("reply")
    prompt = pane.get_by_label("Prompt", exact=True)
    prompt.fill("")
    prompt.press_sequentially("For {{plan.")
    expect(desk.page.get_by_role("option", name="plan.want")).to_be_visible()
    desk.page.keyboard.press("ArrowDown")
    desk.page.keyboard.press("ArrowUp")
    desk.page.keyboard.press("Enter")
    prompt.press_sequentially(" and {{mood}}")
    field = pane.locator('[data-path="nodes[5].prompt"]')
    expect(field).to_contain_text('The channel "mood"')
    expect(prompt).to_have_attribute("aria-invalid", "true")
    looks(desk.page, "panel-problem", widths=WIDE, but=".react-flow")
    field.get_by_role("button", name="Create channel “mood”").click()
    expect(field).not_to_contain_text('The channel "mood"')
    assert desk.node("reply")["prompt"].startswith("For {{plan.")
    assert "mood" in desk.document()["state"]


def test_what_is_no_number_yet_is_kept_and_said(desk: Desk) -> None:
    pane = desk.choose("think")
    desk.tab("Errors")
    pane.get_by_role("button", name="Add retry").click()
    attempts = pane.get_by_label("Attempts")
    attempts.fill("twice")
    expect(pane.get_by_text("“twice” is not a number, so it is not saved yet.")).to_be_visible()
    desk.choose("reply")
    desk.choose("think")
    desk.tab("Errors")
    expect(attempts).to_have_value("twice")
    assert desk.node("think")["retry"] == {"maxAttempts": 2}
    attempts.fill("11")
    expect(pane.locator('[data-path="nodes[0].retry.maxAttempts"]')).to_contain_text("at most 10")
    attempts.fill("3")
    expect(pane.locator('[data-path="nodes[0].retry.maxAttempts"]')).not_to_contain_text("at most 10")
    assert desk.node("think")["retry"] == {"maxAttempts": 3}


# LG-approval-01, LG-approval-02: an approval is added, filled in and taken away as a whole.
def test_an_approval_is_added_and_removed(desk: Desk) -> None:
    pane = desk.choose("look_up")
    desk.tab("Approval")
    pane.get_by_role("button", name="Add approval").click()
    pane.get_by_label("Question on the card").fill("Look it up?")
    pane.get_by_label("Add to Shows").click()
    desk.page.get_by_role("option", name="plan", exact=False).first.click()
    pane.get_by_label("If declined, go to").click()
    desk.page.get_by_role("option", name="Reply").click()
    assert desk.node("look_up")["approval"] == {"ask": "Look it up?", "show": ["plan"], "onReject": "reply"}
    looks(desk.page, "panel-approval", widths=WIDE, but=".react-flow")
    pane.get_by_role("button", name="Remove approval").click()
    expect(pane.get_by_role("button", name="Add approval")).to_be_visible()
    assert "approval" not in desk.node("look_up")


def test_names_are_changed_everywhere(desk: Desk) -> None:
    pane = desk.choose("look_up")
    name = pane.get_by_label("Name", exact=True)
    name.fill("find_rows")
    name.press("Enter")
    expect(desk.page.locator('.react-flow__node[data-id="find_rows"]')).to_be_visible()
    expect(pane.get_by_role("heading", name="Find rows")).to_be_visible()
    found = desk.document()
    assert found["edges"][0]["routes"]["find"] == "find_rows"
    assert found["edges"][1]["from"] == "find_rows"
    pane.get_by_role("button", name="Open").last.click()
    channel = pane.get_by_label("Name", exact=True)
    expect(channel).to_have_value("rows")
    channel.fill("hits")
    channel.press("Enter")
    expect(pane.get_by_role("heading", name="hits")).to_be_visible()
    assert desk.node("find_rows")["output"] == "hits"
    pane.get_by_role("button", name="All channels").click()
    expect(pane.get_by_role("tab", name="Channels")).to_have_attribute("aria-selected", "true")
    # A press on the empty canvas lets a channel go as it does a step.
    desk.choose("find_rows")
    pane.get_by_role("button", name="Open").last.click()
    expect(pane.get_by_role("heading", name="hits")).to_be_visible()
    desk.nothing()
    expect(pane.get_by_role("heading", name="hits")).to_have_count(0)
    expect(pane.get_by_role("tab", name="Channels")).to_be_visible()


def _decision(desk: Desk) -> Locator:
    """The panel of the decision after the first step."""
    edge = desk.page.locator('.react-flow__edge[data-id^="route think"]').first
    edge.locator("path").first.dispatch_event("click")
    expect(desk.pane.get_by_text("Tried from top to bottom")).to_be_visible()
    return desk.pane


# LG-edges-05, LG-edges-14: conditions are written as sentences that the language reads without a model.
def test_conditions_are_built_and_become_code(desk: Desk) -> None:
    pane = _decision(desk)
    looks(desk.page, "panel-edge", widths=WIDE, but=".react-flow")
    route = pane.get_by_role("region", name="Route find")
    route.get_by_role("button", name="And").click()
    expect(route.get_by_text("not finished")).to_be_visible()
    route.get_by_label("What is read").nth(1).click()
    desk.page.get_by_role("option", name="rows").click()
    route.get_by_label("How it is compared").nth(1).click()
    desk.page.get_by_role("option", name="has at least").click()
    route.get_by_label("What it is compared with").nth(1).fill("2")
    expect(route.get_by_text("not finished")).to_have_count(0)
    assert desk.document()["edges"][0]["when"]["find"] == "'plan.want' is \"rows\" and 'rows' has at least 2 items"
    unit = pane.locator('[data-unit="router:routeThink"]')
    expect(unit).to_contain_text("without a model")
    unit.get_by_role("button", name="Look at it").click()
    expect(desk.page.locator(".ed-modal .cm-content")).to_contain_text('size(read("rows")) >= 2')
    desk.page.keyboard.press("Escape")
    # A sentence of one's own is kept as it stands, and a model is to write its code.
    route.get_by_role("button", name="Sentence").click()
    route.get_by_label("When find is taken").fill("the person wants 'rows'")
    expect(route.get_by_text("A model writes the code")).to_be_visible()
    expect(unit.get_by_role("button", name="Write it")).to_be_visible()
    assert desk.document()["edges"][0]["when"]["find"] == "the person wants 'rows'"


# LG-edges-06, LG-edges-07: limits name routes; routes are renamed with their sentence and their limit.
def test_routes_are_added_limited_renamed_and_removed(desk: Desk) -> None:
    pane = _decision(desk)
    route = pane.get_by_role("region", name="Route form")
    route.get_by_role("button", name="Add limit").click()
    route.get_by_label("At most").fill("2")
    route.get_by_label("Then take").click()
    desk.page.get_by_role("option", name="rest").click()
    name = route.get_by_label("Name of form")
    name.fill("ask")
    name.press("Enter")
    renamed = pane.get_by_role("region", name="Route ask")
    expect(renamed).to_be_visible()
    edge = desk.document()["edges"][0]
    assert edge["limits"] == {"ask": {"max": 2, "then": "rest"}}
    assert edge["when"]["ask"] == "'plan.want' is empty"
    renamed.hover()
    renamed.get_by_role("button", name="Remove ask", exact=True).click()
    expect(renamed).to_have_count(0)
    pane.get_by_role("button", name="Add a route").click()
    added = pane.get_by_role("region", name="Route route", exact=True)
    expect(added).to_contain_text("has no when sentence")
    added.get_by_role("button", name="Sentence").click()
    added.get_by_label("When route is taken").fill("'rows' is empty")
    expect(added).not_to_contain_text("has no when sentence")
    edge = desk.document()["edges"][0]
    assert edge["routes"]["route"] == "END"
    assert "limits" not in edge


def test_who_may_not_edit_looks_and_changes_nothing(company: Company) -> None:
    desk = Desk(company, DESK, who="operator")
    pane = desk.choose("think")
    expect(pane.get_by_label("Prompt", exact=True)).to_have_attribute("readonly", "")
    expect(pane.get_by_role("button", name="Add")).to_have_count(0)
    desk.choose("sort_them")
    expect(pane.get_by_role("button", name="Write it")).to_have_count(0)


def test_problems_lead_to_their_field(company: Company) -> None:
    broken = json.loads(json.dumps(DESK))
    broken["nodes"][3]["fields"]["name"]["maxLength"] = 0
    broken["edges"][0]["when"]["form"] = ""
    desk = Desk(company, broken)
    page: Page = desk.page
    page.get_by_role("button", name="problems").click()
    page.get_by_text("it must be at least 1").click()
    # It is folded away: the jump opens it.
    expect(desk.pane.get_by_label("Longest")).to_be_focused()
    page.get_by_role("button", name="problems").click()
    page.get_by_text("has no when sentence").click()
    expect(desk.pane.get_by_role("region", name="Route form")).to_be_visible()


def test_a_decision_moves_to_another_step(desk: Desk) -> None:
    document = desk.document()
    pane = desk.choose("which")
    edge = desk.page.locator('.react-flow__edge[data-id="plain which"]')
    edge.locator("path").first.dispatch_event("click")
    pane.get_by_role("button", name="Remove this edge").click()
    expect(edge).to_have_count(0)
    pane = _decision(desk)
    pane.get_by_label("From").click()
    desk.page.get_by_role("option", name="Which").click()
    expect(pane.get_by_role("heading", name="Which")).to_be_visible()
    moved = next(edge for edge in desk.document()["edges"] if edge["from"] == "which")
    before = document["edges"][0]
    assert {key: moved[key] for key in ("router", "routes", "when")} == {
        key: before[key] for key in ("router", "routes", "when")
    }
