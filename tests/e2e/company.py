"""A company of one test: people with browsers of their own, agents, and the model's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Locator, expect

from tests.support.stack import Stack

if TYPE_CHECKING:
    from playwright.sync_api import Page

# What stands in the conversation, line by line, cards included; hidden words and times of day left out.
_CONVERSATION = """(log) => {
  const lines = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.data.trim();
      if (text) lines.push(text);
    } else if (node.nodeType === Node.ELEMENT_NODE || node.nodeType === Node.DOCUMENT_FRAGMENT_NODE) {
      if (node.nodeName === "TIME" || node.nodeName === "STYLE") return;
      if (node.value && /^(INPUT|TEXTAREA|SELECT)$/.test(node.nodeName)) lines.push(`= ${node.value}`);
      if (node.shadowRoot) walk(node.shadowRoot);
      node.childNodes.forEach(walk);
    }
  };
  walk(log);
  return lines;
}"""

ECHO: dict[str, Any] = {
    "version": "0.33",
    "name": "Echo",
    "description": "Answers what it is told to answer.",
    "conversation": True,
    "suggestions": ["Tell me something"],
    "inputs": ["question"],
    "outputs": ["answer"],
    "start": "reply",
    "state": {
        "question": {"type": "string", "description": "What the person asks."},
        "answer": {"type": "string", "description": "The reply."},
    },
    "nodes": [
        {
            "id": "reply",
            "type": "llm",
            "description": "Answers.",
            "prompt": "Answer this.\n\n{{history}}\n\n{{question}}",
            "output": "answer",
        }
    ],
    "edges": [{"from": "reply", "to": "END"}],
}


class Company:
    """A workspace of this test's own, on the shared stack."""

    def __init__(self, stack: Stack, shown: dict[str, Any]) -> None:
        self.stack = stack
        self.workspace: str = shown["workspace"]
        self.people: dict[str, dict[str, str]] = shown["people"]

    def page(self, who: str, path: str = "/", **options: Any) -> Page:
        """A browser of that person's own, at this page. who: a role, or "second"."""
        assert self.stack.open is not None
        return self.stack.open(self.stack.url, path, cookies={"sessionid": self.people[who]["session"]}, **options)

    def visitor(self, path: str, **options: Any) -> Page:
        """A browser in which nobody is signed in."""
        return self.stack.visitor_page(path, **options)

    def deploy(self, example: str = "", document: Any = None, **fields: Any) -> dict[str, str]:
        """Publish an example or a document; returns {slug, path, link, flow}."""
        return self.stack.call(
            "tests.e2e.inside:deploy", workspace=self.workspace, example=example, document=document, **fields
        )

    def echo(self, **fields: Any) -> dict[str, str]:
        """An agent whose every answer a test scripts, with `says`."""
        return self.deploy(document=ECHO, **fields)

    def says(self, to: str, *answers: str, **manner: Any) -> None:
        """The model answers a question that holds these words so; several answers: one after the other."""
        self.stack.demo.add({"when": {"contains": to}, "answers": list(answers), **manner})


def box(page: Page) -> Locator:
    """Where a message is typed."""
    return page.get_by_role("textbox", name="Message", exact=True)


def send(page: Page, text: str) -> None:
    """Type a message and send it by the button."""
    box(page).fill(text)
    page.get_by_role("button", name="Send", exact=True).click()


def settled(page: Page) -> None:
    """The conversation is whole and nothing works any more."""
    expect(page.locator('.chat[data-status="idle"]')).to_be_visible()
    expect(page.locator(".streaming")).to_have_count(0)


def conversation(page: Page) -> list[str]:
    """Every line of the conversation as the page shows it now, cards and fields included."""
    return page.locator("main.chat-log").evaluate(_CONVERSATION)


def same_everywhere(pages: list[Page]) -> list[str]:
    """Assert that these pages show one conversation, and return it."""
    first, *others = [conversation(page) for page in pages]
    for other in others:
        assert other == first
    return first


def fits(page: Page) -> None:
    """Assert that the page does not scroll sideways."""
    wide = page.evaluate(
        """() => {
          const most = document.documentElement.clientWidth;
          const out = [...document.querySelectorAll('body *')].filter((each) => {
            const box = each.getBoundingClientRect();
            return box.width && (box.right > most + 1) && getComputedStyle(each).position !== 'fixed';
          });
          const real = document.documentElement.scrollWidth;
          return real > most ? [real, most, ...out.slice(0, 5).map((each) => each.outerHTML.slice(0, 120))] : null;
        }"""
    )
    assert wide is None, f"{page.url} scrolls sideways: {wide}"


def question_of(page: Page) -> str:
    """The question that an inbox has open."""
    expect(page).to_have_url(re.compile(r"[?&]q=[0-9a-f-]+"))
    found = re.search(r"[?&]q=([0-9a-f-]+)", page.url)
    assert found
    return found[1]
