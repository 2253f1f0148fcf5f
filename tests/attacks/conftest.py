"""The real engine for attacks that go all the way, and what an attacker hopes to reach."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from runtime.services.addresses import PORTS
from tests.attacks.addresses import NAMES
from tests.runtime.engine.conftest import db, demo, deploy, engine, house, server, workspace

__all__ = ["Canary", "canary", "db", "demo", "deploy", "engine", "house", "names", "server", "workspace"]

_look_up = socket.getaddrinfo


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """This machine's own name server, which knows the attacker's names; gives what was looked up.

    What is no name of theirs goes to the C library, which reads 127.1 and 2130706433 as addresses.
    """
    asked: list[str] = []

    def look_up(host: Any, port: Any, *how: Any, **more: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else str(host)
        asked.append(name)
        answers = NAMES.get(name)
        if answers is None:
            return _look_up(host, port, *how, **more)
        return [
            (socket.AF_INET6 if ":" in ip else socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in answers
        ]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


class Canary:
    """A listener on every address of this machine that nobody may reach."""

    def __init__(self) -> None:
        both = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if both else socket.AF_INET
        self._listening = socket.create_server(("", 0), family=family, dualstack_ipv6=both, backlog=512)
        self._listening.setblocking(False)
        self.port: int = self._listening.getsockname()[1]

    def touched(self) -> int:
        """How many connections were made since it was last asked."""
        made = 0
        while True:
            try:
                self._listening.accept()[0].close()
            except BlockingIOError:
                return made
            made += 1

    def close(self) -> None:
        self._listening.close()


@pytest.fixture
def canary(monkeypatch: pytest.MonkeyPatch, names: list[str]) -> Iterator[Canary]:
    """Its port is open to flows, so that only an address can be the reason why it is not reached."""
    found = Canary()
    monkeypatch.setitem(PORTS, "canary", found.port)
    yield found
    found.close()
