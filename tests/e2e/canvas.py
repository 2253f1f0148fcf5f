"""What tests of the canvas do with pointer and keyboard, and how they read what became of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

Open = Callable[..., Page]
"""`opened(document, who="builder")`: the editor of a flow with this document."""


def cards(page: Page) -> Locator:
    return page.locator(".ed-card")


def card(page: Page, id: str) -> Locator:
    return page.locator(f'.react-flow__node[data-id="{id}"]')


def lines(page: Page) -> Locator:
    return page.locator(".react-flow__edge")


def saved(page: Page) -> None:
    """Everything done is on the server."""
    expect(page.locator('.ed-saved[data-saving="saved"]')).to_be_visible()


def problems(page: Page) -> Locator:
    """The list of problems, opened."""
    found = page.locator("[data-flow-problems]")
    if not found.count():
        page.locator(".ed-problems").click()
    return found.get_by_role("button")


def no_problems(page: Page) -> None:
    """The draft can go live."""
    expect(page.locator(".ed-problems")).to_have_attribute("data-problem-count", "0")


def show_text(page: Page) -> None:
    """Look at the flow as JSON."""
    page.get_by_role("button", name="JSON", exact=True).click()
    expect(page.locator(".cm-editor")).to_be_visible()


FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def middle(found: Locator) -> tuple[float, float]:
    """Where its middle is on the screen, once it stands still there."""
    box = found.bounding_box()
    while True:
        found.page.evaluate(FRAMES)
        before, box = box, found.bounding_box()
        if box and box == before:
            return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=10)
    page.mouse.up()


def lead(page: Page, source: str, target: str) -> None:
    """Draw a line with the pointer, from the ring of one card onto another."""
    drag(page, middle(card(page, source).locator(".ed-port-out")), middle(card(page, target)))


def drop(page: Page, kind: str, x: float, y: float) -> None:
    """Drag a kind from the palette to a place on the canvas."""
    page.locator(f'[data-kind="{kind}"]').drag_to(page.locator(".ed-canvas"), target_position={"x": x, "y": y})


def document_of(page: Page) -> dict[str, Any]:
    """The draft as the server has it."""
    saved(page)
    return json.loads(page.request.get(f"/api/flows/{flow_of(page)}/draft").json()["text"])


def layout_of(page: Page) -> dict[str, Any]:
    saved(page)
    return page.request.get(f"/api/flows/{flow_of(page)}/editor").json()["layout"]


def flow_of(page: Page) -> str:
    found = re.search(r"/flows/([0-9a-f-]{36})", page.url)
    assert found
    return found[1]


def ground(page: Page) -> None:
    """Click where nothing is, so that nothing is chosen and the keyboard is the canvas's."""
    page.locator(".react-flow__pane").click(position={"x": 520, "y": 40})
