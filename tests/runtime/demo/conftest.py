"""A client of the scripted server: the real `openai` package, without retries."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from openai import AsyncOpenAI

from runtime.demo.testing import Scripted


@pytest.fixture
async def client(demo: Scripted) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=demo.base_url, api_key="sk-demo-key", max_retries=0, timeout=10) as found:
        yield found
