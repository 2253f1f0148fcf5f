"""The Ask bar in a browser: the order desk built by asking, one part changed, stopping, and a model that lies."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.company import Company, fits
from tests.support.stack import Stack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

Json = Any


class Desk:
    """A flow in the editor, before a builder."""

    def __init__(self, company: Company, document: Json = None) -> None:
        self.company = company
        self.flow: str = company.stack.call("tests.e2e.asked:draft", workspace=company.workspace, document=document)
        self.page = self.open()

    def open(self, who: str = "builder", **options: Any) -> Page:
        page = self.company.page(who, f"/flows/{self.flow}", **options)
        expect(bar(page)).to_be_visible()
        return page

    def draft(self) -> str:
        return self.company.stack.call("tests.e2e.asked:draft_of", workspace=self.company.workspace, flow=self.flow)

    def document(self) -> Json:
        return json.loads(self.draft())

    def says(self, to: str, *turns: Json, **manner: Any) -> None:
        """What the model answers, turn by turn, to an ask that holds these words."""
        asked = rf"(?is)<ask>(?:(?!</ask>).)*?{to}"
        self.company.stack.demo.add({"when": {"tools": True, "regex": asked}, "turns": list(turns), **manner})


@pytest.fixture
def desk(company: Company) -> Desk:
    """A new flow: question, model, answer."""
    return Desk(company)


def bar(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Ask for a change, or a question about this flow")


def ask(page: Page, text: str) -> None:
    bar(page).fill(text)
    bar(page).press("Enter")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="Ask").get_by_role("button", name=name, exact=True)


def changes(page: Page) -> Locator:
    """How many changes the proposal says it has."""
    return page.locator(".ed-ask-box strong")


def meaning(document: Json) -> Json:
    """A flow up to its names, its layout and the order of its parts."""
    named = {"nodes": "id", "tools": "name", "edges": "from"}
    left = {key: value for key, value in document.items() if key not in ("id", "name", "version", *named)}
    return left | {key: {each[name]: each for each in document[key]} for key, name in named.items()}


def test_the_order_desk_is_built_by_asking(desk: Desk) -> None:
    page = desk.page
    before = desk.draft()
    page.locator(".react-flow__node").first.click()
    page.keyboard.press("Control+k")
    expect(bar(page)).to_be_focused()
    ask(page, "Build the order desk from nothing")

    # What it does is seen while it does it, and the proposal is on the canvas and in words; nobody has said yes.
    expect(page.get_by_text("Read the reference: ")).to_be_visible()
    expect(button(page, "Accept")).to_be_visible()
    expect(changes(page)).to_have_text(re.compile(r"\d+ changes"))
    expect(page.locator(".react-flow__node", has_text="Place order")).to_contain_text("proposed")
    expect(page.get_by_text("Demo model").first).to_be_visible()
    assert desk.draft() == before

    # It survives a refresh, and an edit beside it.
    page.reload()
    expect(button(page, "Accept")).to_be_visible()
    expect(page.locator(".react-flow__node", has_text="Place order")).to_contain_text("proposed")
    fits(page)
    button(page, "Accept").click()
    expect(page.get_by_text("Accepted: ")).to_be_visible()
    expect(page.locator(".react-flow__node", has_text="Place order")).not_to_contain_text("proposed")
    wanted = json.loads(desk.company.stack.call("tests.e2e.asked:example", folder="order-desk"))
    assert meaning(desk.document()) == meaning(wanted)

    # One step of undo takes all of it back, to the byte; redo brings it again.
    after = desk.draft()
    button(page, "Undo").click()
    expect(bar(page)).to_be_focused()
    expect(page.locator(".react-flow__node", has_text="Place order")).to_have_count(0)
    assert desk.draft() == before
    page.get_by_role("button", name=re.compile("^Redo")).click()
    expect(page.locator(".react-flow__node", has_text="Place order")).to_be_visible()
    assert desk.draft() == after

    # The demo model writes its code as well; then it is an agent like any other.
    desk.company.stack.call("tests.e2e.asked:write_code", workspace=desk.company.workspace, flow=desk.flow)
    agent = desk.company.stack.call("tests.e2e.asked:publish", workspace=desk.company.workspace, flow=desk.flow)
    chat = desk.company.page("member", agent["path"])
    chat.get_by_role("textbox", name="Message", exact=True).fill(
        "Where is Meridian Foods based, and what have they ordered?"
    )
    chat.get_by_role("button", name="Send", exact=True).click()
    expect(chat.get_by_role("cell", name=re.compile("Heather honey|shortbread")).first).to_be_visible()


def test_an_approval_is_added_and_one_prompt_changed_and_nothing_else(desk: Desk, company: Company) -> None:
    example = json.loads(company.stack.call("tests.e2e.asked:example", folder="order-desk"))
    for node in example["nodes"]:
        node.pop("approval", None)
    example.pop("id")
    desk = Desk(company, example)
    page, before = desk.page, desk.document()
    ask(page, "Add an approval before place order runs")
    expect(changes(page)).to_have_text("1 change")
    expect(page.locator(".react-flow__node", has_text="Place order")).to_contain_text("changed")
    button(page, "Accept").click()
    expect(page.get_by_text("Accepted: 1 change.")).to_be_visible()
    after = desk.document()
    place = next(node for node in after["nodes"] if node["id"] == "place_order")
    assert place.pop("approval")["onReject"] == "report"
    assert json.dumps(after) == json.dumps(before)

    # The step that is chosen goes along with the ask; the prompt is the only line of the draft that changes.
    lines = desk.draft().splitlines()
    page.locator(".react-flow__node", has_text="Report").first.click()
    expect(page.get_by_text("About report")).to_be_visible()
    ask(page, "Let its prompt end with “Say it in French.” please, in report")
    expect(changes(page)).to_have_text("1 change")
    expect(page.locator("ins", has_text="Say it in French.")).to_be_visible()
    assert "selected on the canvas" in company.stack.demo.requests()[-1]["messages"][1]["content"]
    button(page, "Accept").click()
    expect(page.get_by_text("Accepted: 1 change.")).to_be_visible()
    changed = [new for old, new in zip(lines, desk.draft().splitlines(), strict=True) if old != new]
    assert len(changed) == 1 and "Say it in French." in changed[0]


def test_stop_works_at_any_time_and_a_refresh_meets_the_ask_again(desk: Desk) -> None:
    page, before = desk.page, desk.draft()
    edit = {"on": {"node": "reply"}, "path": ["prompt"], "value": "{{history}} {{question}}"}
    desk.says("slowly", {"calls": [{"name": "setField", "arguments": edit}]}, {"say": "So."}, hold_after=0)
    ask(page, "Make it brief, slowly")
    expect(page.get_by_text("Thinks…")).to_be_visible()
    page.reload()
    expect(page.get_by_text("You asked: Make it brief, slowly")).to_be_visible()
    desk.company.stack.demo.wait_for(1)
    button(page, "Stop").click()
    expect(page.get_by_text("Stopped. Nothing was changed.", exact=True).last).to_be_visible()
    assert desk.draft() == before
    # What was asked is not lost.
    button(page, "Ask again").click()
    expect(bar(page)).to_have_value("Make it brief, slowly")
    page.reload()
    expect(bar(page)).to_have_value("Make it brief, slowly")
    desk.company.stack.demo.release()


def test_an_ask_that_fails_leaves_the_proposal_before_it(desk: Desk) -> None:
    page = desk.page
    edit = {"on": {"node": "reply"}, "path": ["prompt"], "value": "{{history}} {{question}} Be brief."}
    desk.says("brief", {"calls": [{"name": "setField", "arguments": edit}]}, {"say": "Briefer."})
    ask(page, "Be brief")
    expect(changes(page)).to_have_text("1 change")
    desk.company.stack.demo.behave(when={"tools": True}, fail={"status": 429}, times=1)
    ask(page, "And kinder")
    box = page.get_by_role("region", name="Ask")
    expect(box.get_by_text("takes no more calls at the moment").last).to_be_visible()
    button(page, "Close").click()
    expect(box.get_by_text("You asked: Be brief")).to_be_visible()
    expect(page.locator(".react-flow__node", has_text="Reply")).to_contain_text("changed")
    # A question about it leaves it open, with the answer beside it.
    desk.says("why", {"say": "Because you asked for it."})
    ask(page, "Why that?")
    expect(box.get_by_text("Because you asked for it.")).to_be_visible()
    button(page, "Accept").click()
    expect(page.get_by_text("Accepted: 1 change.")).to_be_visible()
    assert "Be brief." in desk.document()["nodes"][0]["prompt"]


def test_a_lying_model_is_not_believed(desk: Desk) -> None:
    page, before = desk.page, desk.draft()
    desk.says("approval", {"say": "I have added an approval to the step reply."})
    ask(page, "Add an approval")
    box = page.get_by_role("region", name="Ask")
    expect(box.get_by_text("it made none: nothing in the flow was changed").last).to_be_visible()
    expect(button(page, "Accept")).to_have_count(0)
    assert desk.draft() == before
    # Nor one that goes round in circles, or breaks down.
    desk.says("circles", {"calls": [{"name": "read_flow"}, {"name": "explode", "arguments": "{"}]})
    ask(page, "Go in circles")
    expect(box.get_by_text("without getting any further").last).to_be_visible()
    desk.company.stack.demo.behave(when={"tools": True}, fail={"status": 429}, times=1)
    ask(page, "Break down")
    expect(box.get_by_text("takes no more calls at the moment").last).to_be_visible()
    button(page, "Earlier asks").click()
    rows = page.get_by_role("dialog", name="Earlier asks").get_by_role("listitem")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Break down")
    assert desk.draft() == before


@pytest.mark.at_once
def test_a_proposal_follows_what_others_do_meanwhile(desk: Desk) -> None:
    page = desk.page
    edit = {"on": {"node": "reply"}, "path": ["prompt"], "value": "{{history}} {{question}} Be brief."}
    desk.says("brief", {"calls": [{"name": "setField", "arguments": edit}]}, {"say": "Briefer."})
    ask(page, "Be brief")
    expect(button(page, "Accept")).to_be_enabled()
    expect(changes(page)).to_have_text("1 change")
    company = desk.company
    company.stack.call("tests.e2e.asked:edit", workspace=company.workspace, flow=desk.flow, operations=[
        {"op": "setField", "on": {"channel": "answer"}, "path": ["description"], "value": "What is said."}
    ])  # fmt: skip
    button(page, "Accept").click()
    expect(page.get_by_text("Accepted: 1 change.")).to_be_visible()
    assert desk.document()["state"]["answer"]["description"] == "What is said."
    assert "Be brief." in desk.document()["nodes"][0]["prompt"]

    desk.says(
        "shorter", {"calls": [{"name": "setField", "arguments": {**edit, "value": "{{question}}"}}]}, {"say": "Short."}
    )
    ask(page, "Even shorter")
    expect(button(page, "Accept")).to_be_enabled()
    expect(changes(page)).to_have_text("1 change")
    company.stack.call("tests.e2e.asked:edit", workspace=company.workspace, flow=desk.flow, operations=[
        {"op": "renameNode", "id": "reply", "to": "answering"}
    ])  # fmt: skip
    expect(page.get_by_text("does not fit any more")).to_be_visible()
    expect(button(page, "Accept")).to_be_disabled()
    button(page, "Drop").click()
    expect(page.get_by_text("Dropped. Nothing was changed.")).to_be_visible()


def test_without_a_model_the_bar_says_where_to_add_one(stack: Stack) -> None:
    company = Company(stack, stack.call("tests.e2e.inside:company", model=False))
    desk = Desk(company)
    expect(desk.page.get_by_text("No model is set for the Ask bar.")).to_be_visible()
    expect(bar(desk.page)).to_be_disabled()


@pytest.fixture
def hurried(stack: Stack) -> Iterator[Stack]:
    """The product with workers who take one another for lost after two seconds."""
    stack.stop("worker")
    yield stack
    stack.kill("worker")


def test_a_worker_that_goes_away_leaves_no_ask_behind(hurried: Stack, company: Company) -> None:
    def work() -> None:
        hurried.start_process("worker", env={"LEASE_SECONDS": "2", "SWEEP_SECONDS": "0.5"})

    desk, stack = Desk(company), hurried
    page = desk.page
    work()
    desk.says("slowly", {"say": "So."}, hold_after=0)
    words = "The server that worked on this stopped before it was done. Nothing was changed. Ask again."
    box = page.get_by_role("region", name="Ask")
    # Told to end, it says so itself.
    ask(page, "Think slowly")
    expect(page.get_by_text("Thinks…")).to_be_visible()
    stack.stop("worker")
    expect(box.get_by_text(words).last).to_be_visible()
    # Without a worker, an ask waits, and is taken up by the next one.
    ask(page, "Think slowly again")
    expect(page.get_by_text("Waits for a worker…")).to_be_visible()
    work()
    expect(page.get_by_text("Thinks…")).to_be_visible()
    # Killed, it says nothing; whoever comes after it does.
    stack.kill("worker")
    work()
    expect(box.get_by_text(words).last).to_be_visible()
    stack.demo.release()
    ask(page, "Build the order desk")
    expect(button(page, "Accept")).to_be_visible()
