"""An answer that is written by a model which may call tools or ask: seen as it comes, and gone when it was none."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.e2e.company import ECHO, Company, conversation, send, settled
from tests.e2e.looks import looks

PING = """\
async def ping(args, *, services, settings, env):
    return {"pong": args.get("word")}
"""
WORK: dict[str, Any] = {
    **ECHO,
    "name": "Look-ups",
    "suggestions": [],
    "nodes": [{"id": "look", "type": "work", "prompt": "Look: {{question}}", "tools": ["ping"], "output": "answer"}],
    "edges": [{"from": "look", "to": "END"}],
    "start": "look",
    "tools": [{"name": "ping", "description": "Says a word. RETURNS it."}],
}
BESIDE = "Let me look that up for you. "
ANSWER = "The crate is on its way, and **two** more follow on Friday."
CARD = '{"needs": {"city": {"type": "string", "label": "City"}}, "why": "I must know where it goes."}'


def test_words_beside_a_call_are_seen_and_gone_and_the_answer_stays(company: Company) -> None:
    call = {"name": "ping", "arguments": {"word": "crate"}}
    company.stack.demo.add(
        {"when": {"tools": True, "contains": "crate"}, "hold_after": 20,
         "turns": [{"say": BESIDE, "calls": [call]}, {"say": ANSWER}]}
    )  # fmt: skip
    page = company.page("member", company.deploy(document=WORK, code=PING)["path"], reduced_motion="reduce")
    send(page, "Where is the crate?")
    written = page.locator(".answer.streaming")
    expect(written).to_contain_text("Let me look")
    looks(page, "saying-beside", whole=False)
    company.stack.demo.release()
    expect(written).to_contain_text("The crate is on its")
    expect(page.locator(".msg.agent").get_by_text("Let me look")).to_have_count(0)
    # Whoever opens the page now sees the same, and none of what was taken back.
    other = company.page("member", page.url)
    expect(other.locator(".answer.streaming")).to_contain_text("The crate is on its")
    assert "Let me look" not in "\n".join(conversation(other))
    company.stack.demo.release()
    settled(page)
    expect(page.locator(".answer")).to_have_text("The crate is on its way, and two more follow on Friday.")
    expect(page.locator(".answer")).to_have_count(1)
    looks(page, "saying-answer", whole=False)


# LG-llm-23
def test_a_form_takes_the_place_of_what_was_written_before_it(company: Company) -> None:
    nodes = [{**ECHO["nodes"][0], "asks": True}]
    company.says("crate", f"One moment.\n{CARD}", hold_after=8)
    page = company.page("member", company.deploy(document={**ECHO, "nodes": nodes})["path"], reduced_motion="reduce")
    send(page, "Send the crate")
    # Released before it is held, the model would wait for ever.
    expect(page.locator(".answer.streaming")).to_contain_text("One moment")
    company.stack.demo.release()
    form = page.locator(".form-card")
    expect(form.get_by_label("City")).to_be_visible()
    expect(form).to_contain_text("I must know where it goes.")
    lines = "\n".join(conversation(page))
    assert "needs" not in lines and "One moment" not in lines
    looks(page, "saying-form", whole=False)
