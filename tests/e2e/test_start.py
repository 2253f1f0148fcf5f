"""`manage.py up` as a newcomer meets it: one address, a first account, and nothing left behind at the end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from runtime.processes import ROOT, Place, answers_http, answers_ping
from tests.e2e.conftest import Pages
from tests.support.stack import a_database, free_ports

PATIENCE = 90.0


class Up:
    """A running `manage.py up`, with what it has printed so far."""

    def __init__(self, place: Place, database: str) -> None:
        self.place = place
        environment = {name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "DATABASE_URL")}
        environment |= {"DATABASE_URL": database} if database else {}
        environment |= {
            "DJANGO_SETTINGS_MODULE": "studio.settings",
            "LGSTUDIO_VAR": str(place.var),
            "PORT": str(place.port),
            "DEMO_PORT": str(place.demo_port),
        }
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    @property
    def printed(self) -> str:
        return "\n".join(self.lines)

    def wait_for(self, words: str) -> None:
        self.until(lambda: words in self.printed)

    def until(self, condition: Callable[[], bool]) -> None:
        late = time.monotonic() + PATIENCE
        while not condition():
            assert self.process.poll() is None and time.monotonic() < late, self.printed
            time.sleep(0.05)

    def child(self, words: str) -> int:
        """The process number of the child whose command has these words; 0 when there is none."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for number in listed:
            if words.encode() in Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" "):
                return int(number)
        return 0

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    port, demo_port = free_ports(2)
    return Place(var=tmp_path / "var", port=port, demo_port=demo_port)


@pytest.fixture
def up(place: Place) -> Iterator[Callable[[], Up]]:
    started: list[Up] = []
    with a_database() as database:

        def start() -> Up:
            started.append(Up(place, database))
            return started[-1]

        yield start
        for each in started:
            each.stop()


def test_a_newcomer_gets_an_address_and_makes_the_first_account(up, place: Place, pages: Pages) -> None:
    running = up()
    running.wait_for("Ctrl+C stops everything.")
    address = re.search(r"http://\S+/start/\S+", running.printed)
    assert address, running.printed
    pages.expect("net::ERR_")  # the server goes away under an open page, in the middle of whatever it loads
    page = pages.open(place.address, "", cookies={})
    page.goto(address[0])
    page.locator("[name=workspace]").fill("Acme")
    page.locator("[name=name]").fill("Ada")
    page.locator("[name=email]").fill("ada@example.test")
    page.locator("[name=password]").fill("a long enough secret")
    page.locator("main form button").last.click()
    expect(page).to_have_url(re.compile("/settings/models"))

    # The address worked once.
    other = pages.open(place.address, "", cookies={})
    assert other.goto(address[0]).status == 410  # type: ignore[union-attr]

    # What dies comes back, and the person stays signed in.
    web = running.child("daphne")
    os.kill(web, signal.SIGKILL)
    running.wait_for("ended (SIGKILL)")
    running.until(lambda: running.child("daphne") not in (0, web))
    running.until(lambda: answers_http(place.host, place.port, "/sign-in"))
    page.goto("/settings/models")
    expect(page).to_have_url(re.compile("/settings/models"))

    # A second one in the same folder is told so.
    second = up()
    assert second.process.wait(PATIENCE) == 1
    assert "already runs from this folder" in second.printed

    # Ctrl+C leaves nothing behind, and the next start goes on with what there was.
    assert running.stop() == 0
    assert not answers_http(place.host, place.port, "/sign-in")
    assert not answers_ping(place.broker)
    again = up()
    again.wait_for("Ctrl+C stops everything.")
    assert "/start/" not in again.printed
    page.goto("/settings/models")
    expect(page).to_have_url(re.compile("/settings/models"))
    assert again.stop() == 0
