"""The scripted server fails as real endpoints do, when it is told to."""

from __future__ import annotations

import asyncio

import openai
import pytest
from openai import AsyncOpenAI

from runtime.demo.testing import Scripted
from tests.runtime.demo.test_wire import HELLO, joined, said, stream

LONG = {"answer": "one two three four five six seven eight nine ten"}


@pytest.fixture(autouse=True)
def hello(demo: Scripted) -> None:
    demo.add(HELLO)


async def test_so_many_requests_fail(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.fail(429, times=2, retry_after=3)
    for _ in range(2):
        with pytest.raises(openai.RateLimitError) as refused:
            await stream(client, "hello")
        assert refused.value.response.headers["retry-after"] == "3"
        assert refused.value.code == "rate_limit_exceeded"
    assert joined(await stream(client, "hello")) == "Hello to you, my friend."
    assert demo.counters()["outcomes"] == {"failed 429": 2, "answered": 1}


async def test_a_server_error_with_a_body_of_ones_own(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.behave(fail={"status": 502, "body": "<html>Bad gateway</html>"}, times=1)
    with pytest.raises(openai.InternalServerError) as refused:
        await stream(client, "hello")
    assert refused.value.status_code == 502
    assert refused.value.response.text == "<html>Bad gateway</html>"


async def test_the_clients_own_retries_come_through(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.fail(500, retry_after=0.01)
    assert joined(await stream(client.with_options(max_retries=1), "hello"))
    assert [request["outcome"] for request in demo.requests()] == ["failed 500", "answered"]


async def test_a_stream_is_cut(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add({**LONG, "cut_after": 13})
    heard = ""
    with pytest.raises(openai.APIConnectionError):
        async for chunk in await client.chat.completions.create(model="demo", messages=said("x"), stream=True):
            heard += chunk.choices[0].delta.content or ""
    assert heard == "one two three"
    assert demo.counters()["outcomes"] == {"cut": 1}


async def test_a_whole_answer_is_cut(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.behave(cut_after=20)
    with pytest.raises(openai.APIConnectionError):
        await client.chat.completions.create(model="demo", messages=said("hello"))


async def test_the_line_drops_without_a_reply(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.behave(drop=True, times=1)
    with pytest.raises(openai.APIConnectionError):
        await stream(client, "hello")
    assert joined(await stream(client, "hello"))


async def test_it_hangs_and_sees_the_client_go(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add({**LONG, "hang_after": 7})
    with pytest.raises(openai.APITimeoutError):
        await stream(client.with_options(timeout=0.3), "x")
    demo.behave(hang_after=0)
    reply = await client.chat.completions.create(model="demo", messages=said("x"), stream=True)
    chunks = aiter(reply)
    assert (await anext(chunks)).choices[0].delta.role == "assistant"
    await reply.close()
    found = demo.requests()
    for _ in range(200):
        found = demo.requests()
        if all(request["hung_up"] for request in found):
            break
        await asyncio.sleep(0.02)
    assert [request["outcome"] for request in found] == ["hung up", "hung up"]
    assert demo.counters()["in_flight"] == 0


async def test_a_held_answer_goes_on_when_it_is_released(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add({**LONG, "hold_after": 7})
    heard = ""
    async for chunk in await client.chat.completions.create(model="demo", messages=said("x"), stream=True):
        heard += chunk.choices[0].delta.content or ""
        if heard.rstrip() == "one two":
            # A pace that went on would be far further by now.
            await asyncio.sleep(0.1)
            assert demo.counters()["in_flight"] == 1
            demo.release()
    assert heard == LONG["answer"]


async def test_garbage(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.behave(raw="data: {broken\n\n", times=1)
    with pytest.raises(ValueError):
        await stream(client, "hello")
    demo.behave(raw="<html>Sign in to the wifi</html>", times=1)
    assert await stream(client, "hello") == []


async def test_other_finishes_and_no_usage(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.behave(finish="length", usage=False)
    chunks = await stream(client, "hello", stream_options={"include_usage": True})
    assert chunks[-1].choices[0].finish_reason == "length"
    assert all(chunk.usage is None for chunk in chunks)
    demo.behave(usage={"prompt_tokens": 1000, "completion_tokens": 7})
    chunks = await stream(client, "hello", stream_options={"include_usage": True})
    assert chunks[-1].usage is not None and chunks[-1].usage.total_tokens == 1007


async def test_delays_keep_their_order_and_speed_scales_them(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add({**LONG, "first_delay": 40, "pace": 5, "chunk": 2})
    demo.set(speed=1)
    assert len(await stream(client, "x")) == 1 + 5 + 1
    assert demo.requests()[-1]["ms"] >= 60
    demo.behave(first_delay=60_000, pace=60_000)
    demo.set(speed=0)
    assert joined(await stream(client, "x")) == LONG["answer"]


async def test_many_at_once(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.behave(first_delay=150)
    demo.set(speed=1)
    answers = await asyncio.gather(*(stream(client, f"hello {n}") for n in range(40)))
    assert {joined(chunks) for chunks in answers} == {"Hello to you, my friend."}
    assert demo.counters()["most_in_flight"] == 40
