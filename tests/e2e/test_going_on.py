"""Going on: a run let go on after its failure, a run begun anew at a step, a conversation forked at an answer."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.e2e.company import ECHO, Company, send, settled
from tests.e2e.looks import looks
from tests.e2e.test_run_pane import CANVAS, Try

TWICE: dict[str, Any] = {
    **ECHO,
    "name": "Two thoughts",
    "start": "think",
    "state": {**ECHO["state"], "draft": {"type": "string", "description": "What is thought so far."}},
    "nodes": [
        {"id": "think", "type": "llm", "description": "Thinks.", "prompt": "Think: {{question}}", "output": "draft"},
        {"id": "reply", "type": "llm", "description": "Answers.", "prompt": "Say: {{draft}}", "output": "answer"},
    ],
    "edges": [{"from": "think", "to": "reply"}, {"from": "reply", "to": "END"}],
}


def retype(tried: Try, dialog: Locator, text: str) -> None:
    """Another text in place of what the editor holds, as a person types it."""
    dialog.locator(".cm-content").click()
    tried.page.keyboard.press("ControlOrMeta+a")
    tried.page.keyboard.press("Delete")
    tried.page.keyboard.insert_text(text)


def test_a_failed_run_goes_on_a_step_begins_anew_and_a_conversation_forks(company: Company) -> None:
    company.says("Think: seven", "seven thoughts")
    company.says("Say: seven", "Seven it is.")
    company.says("Say: eight", "Eight it is.")
    made = company.deploy(document=TWICE)

    # The last step fails once; an operator lets the run go on, and the open page follows.
    chat = company.page("member", f"/a/{made['slug']}")
    company.stack.demo.add({"when": {"contains": "Say: seven"}, "fail": {"status": 500}, "times": 1})
    send(chat, "seven")
    expect(chat.locator(".end-card")).to_be_visible()
    desk = company.page("operator", "/agents")
    looks(desk, "agents-continue")
    desk.get_by_role("link", name=re.compile("Runs of")).first.click()
    desk.locator(".runs-table a.strong").first.click()
    expect(desk.get_by_role("button", name="Continue")).to_be_visible()
    looks(desk, "run-continue")
    desk.get_by_role("button", name="Continue").click()
    expect(chat.locator(".bubble.answer")).to_have_text("Seven it is.")
    expect(chat.locator(".end-card")).to_have_count(0)
    settled(chat)
    desk.reload()
    expect(desk.get_by_text("Continued", exact=True)).to_be_visible()

    # From an answer on, a new chat that begins with what was said until then.
    before = chat.url
    chat.get_by_role("button", name="New chat from here").click()
    chat.wait_for_function("(before) => location.href !== before", arg=before)
    settled(chat)
    answers = chat.locator(".bubble.answer")
    expect(answers).to_have_text(["Seven it is."])
    looks(chat, "chat-forked")
    send(chat, "seven")
    expect(answers).to_have_text(["Seven it is.", "Seven it is."])

    # In the editor a step begins anew with another value, and nothing before it is done again.
    tried = Try(company, made["flow"]).open()
    tried.say("seven")
    tried.settled()
    details = tried.step("reply#1")
    asked = len(company.stack.demo.requests())
    details.get_by_role("button", name="Run again from here").click()
    dialog = tried.page.get_by_role("dialog", name="Run again from Reply")
    expect(dialog.locator(".cm-content")).to_contain_text("seven thoughts")
    looks(tried.page, "run-anew", but=CANVAS)
    retype(tried, dialog, "[]")
    dialog.get_by_role("button", name="Run from here").click()
    expect(dialog.get_by_role("alert")).to_contain_text("no JSON object")
    retype(tried, dialog, '{"draft": 8}')
    dialog.get_by_role("button", name="Run from here").click()
    expect(dialog.get_by_role("alert")).to_contain_text("draft:")
    retype(tried, dialog, '{"draft": "eight thoughts"}')
    dialog.get_by_role("button", name="Run from here").click()
    expect(tried.chat.locator(".bubble.answer")).to_have_text("Eight it is.")
    tried.settled()
    assert len(company.stack.demo.requests()) == asked + 1
    tried.tab("Steps")
    expect(tried.pane.locator(".ed-run-row")).to_have_count(1)
    expect(tried.pane.get_by_text("Begun at Reply of an earlier run")).to_be_visible()
    looks(tried.page, "run-anew-steps", widths=(1440, 1024), but=CANVAS)


def test_limits_are_set_where_an_agent_is(company: Company) -> None:
    made = company.echo()
    desk = company.page("operator", f"/agents/{made['slug']}/settings")
    desk.get_by_label("Minutes of work a run").fill("0")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Write a whole number from 1 to 240")).to_be_visible()
    looks(desk, "agent-limits", whole=True)
    desk.get_by_label("Minutes of work a run").fill("15")
    desk.get_by_label("Cost of a run, in US dollars").fill("0.5")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Saved")).to_be_visible()
    expect(desk.get_by_label("Minutes of work a run")).to_have_value("15")
