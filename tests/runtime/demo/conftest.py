"""The scripted server, one for all of these tests, and a client of it: the real `openai` package, without retries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from openai import AsyncOpenAI

from runtime.demo.testing import Scripted, scripted


@pytest.fixture(scope="session")
def server() -> Iterator[Scripted]:
    with scripted() as started:
        yield started


@pytest.fixture
def demo(server: Scripted) -> Scripted:
    """The server as it was at its start."""
    server.reset()
    return server


@pytest.fixture
async def client(demo: Scripted) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=demo.base_url, api_key="sk-demo-key", max_retries=0, timeout=10) as found:
        yield found
