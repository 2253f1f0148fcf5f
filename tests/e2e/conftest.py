"""A real browser before the real product. A test fails when a page's console shows an error nobody expected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect, sync_playwright

from tests.e2e.canvas import Open
from tests.e2e.company import ECHO, Company
from tests.support import chromium
from tests.support.stack import Stack, running

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
# Chromium prints each refused answer as an error; a refusal in words is what the product promises for bad input.
# A page that is left while it connects: the browser says so, and nobody is there any more.
LEFT = re.compile(r"WebSocket is closed before the connection is established")
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
# A busy machine is slow, not wrong; nothing waits longer than its state takes to come.
PATIENCE = 40_000
expect.set_options(timeout=PATIENCE)
# Deciding cards are drawn where no script reaches; a test has to see what a person sees.
SEE_INTO_CARDS = """
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: "open" }); };
"""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "at_once: several people, or a page and a worker, write the same rows at once, so that it is tried on both "
        "databases; every query is asked of both by other tests, and what a page looks like is seen on one",
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The machine's Chromium, headless."""
    path = chromium.find()
    assert path, "The browser tests need Chromium; `make test` installs it, or set CHROMIUM=/path/to/chromium."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.flags())
        yield browser
        browser.close()


class Pages:
    """Opens pages for one test and keeps what their consoles said."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.contexts: list[BrowserContext] = []
        self.errors: list[str] = []
        self.expected: list[re.Pattern[str]] = [REFUSED, LEFT]

    def open(self, url: str, path: str = "/", *, cookies: dict[str, str], **options: Any) -> Page:
        """A page of a new browser context. Options are Playwright's: viewport, color_scheme, reduced_motion …

        sealed: deciding cards stay closed to the test, as they are to every script.
        """
        sealed = options.pop("sealed", False)
        context = self.browser.new_context(**{"viewport": DESKTOP, "base_url": url, **options})
        if not sealed:
            context.add_init_script(SEE_INTO_CARDS)
        self.contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookies.items()])
        context.on("page", self._watch)
        page = context.new_page()
        if path:
            page.goto(path)
        return page

    def expect(self, pattern: str) -> None:
        """Errors that match are part of this test: a socket breaks, say, because the test ends its server."""
        self.expected.append(re.compile(pattern))

    def leave(self) -> None:
        """Close every page, so that what ends under them is no fault of theirs."""
        for context in self.contexts:
            context.close()

    def close(self) -> None:
        self.leave()
        unexpected = [line for line in self.errors if not any(known.search(line) for known in self.expected)]
        assert not unexpected, "The pages' consoles show errors:\n" + "\n".join(unexpected)

    def _watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.errors.append(f"console: {message.text}  ({message.location.get('url', '')})")

    def _response(self, response: Response) -> None:
        if response.status >= 500:
            self.errors.append(f"server: {response.status} {response.request.method} {response.url}")


@pytest.fixture
def pages(browser: Browser) -> Iterator[Pages]:
    """Opens pages; after the test it closes them and fails when a console showed an unexpected error."""
    pages = Pages(browser)
    yield pages
    pages.close()


@pytest.fixture(scope="session")
def product() -> Iterator[Stack]:
    """The running product that the tests of this run share; use `stack`, which also watches the pages."""
    with running() as stack:
        yield stack


@pytest.fixture
def stack(product: Stack, pages: Pages) -> Iterator[Stack]:
    """The running product: `.url`, `.signed_in_page(role, path)`, `.visitor_page(path)`, `.call(…)`, `.kill("worker")`.

    Whatever a test stopped or killed is running again for the next one.
    """
    product.open = pages.open
    yield product
    product.open = None
    for name in ("valkey", "web", "demo", *product.workers):
        if not product.alive(name):
            product.kill(name)
            product.start_process(name)


@pytest.fixture
def company(stack: Stack) -> Iterator[Company]:
    """A workspace of this test's own, with a person of every role and a second reviewer, answered by the demo model."""
    yield Company(stack, stack.call("tests.e2e.inside:company", second="reviewer"))
    if stack.alive("demo"):
        stack.demo.reset()


@pytest.fixture
def opened(company: Company) -> Open:
    """`opened(document, who="builder")`: the editor of a flow with this document."""

    def open_editor(document: Any = ECHO, who: str = "builder", **options: Any) -> Page:
        text = document if isinstance(document, str) else json.dumps(document, indent=2)
        id = company.stack.call("tests.e2e.inside:draft", workspace=company.workspace, text=text)
        # Pictures and places stay as they are: nothing glides.
        return company.page(who, f"/flows/{id}", **{"reduced_motion": "reduce", **options})

    return open_editor


@pytest.fixture
def page(stack: Stack) -> Page:
    """A page of the product, signed in as a builder."""
    return stack.signed_in_page("builder")


@pytest.fixture
def fresh_stack(pages: Pages) -> Iterator[Callable[..., Stack]]:
    """`fresh_stack(workers=2, env={…})`: a product of this test's own, for what would disturb the shared one."""
    import contextlib

    with contextlib.ExitStack() as opened:

        def start(**options: Any) -> Stack:
            stack = opened.enter_context(running(**options))
            stack.open = pages.open
            return stack

        yield start
        pages.leave()
