"""Model servers that mean harm, or have gone mad: each call ends in words, in time, with little of it kept."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from runtime.services.model import ModelFailed, Reply, complete, list_models
from tests.attacks.conftest import Canary
from tests.attacks.test_sandbox import resident
from tests.runtime.services.models import DONE, END, chunk, endpoint, event, streams
from tests.runtime.services.servers import Answer, Asked, always, reply, serve

ASK = [{"role": "user", "content": "Hello?"}]
TOOL = {"type": "function", "function": {"name": "ping", "parameters": {"type": "object"}}}
BOMB = gzip.compress(bytes(120_000_000))
SECONDS = 20.0
MOST_KEPT = 80 << 20


def flood(status: int, kind: str, piece: bytes, times: int = 1600) -> Answer:
    """A hundred megabytes, a piece at a time."""

    async def answer(_: Asked, writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head.encode())
        for _number in range(times):
            writer.write(chunk(piece))
            await writer.drain()
        writer.write(END)

    return answer


def says(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
    return event(choices=[{"index": 0, "delta": delta, "finish_reason": finish}], **more)


def calls(*wanted: dict[str, Any]) -> str:
    return says({"tool_calls": list(wanted)})


def call(index: Any = 0, name: Any = "ping", arguments: Any = "{}", id: Any = "c1") -> dict[str, Any]:
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}


async def hangs(_: Asked, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


async def headers_without_end(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(100_000):
        writer.write(b"X-%d: %s\r\n" % (number, b"y" * 1000))
        await writer.drain()


FAILS: dict[str, tuple[Answer, str]] = {
    "an error of a hundred megabytes": (flood(500, "application/json", b"x" * 65536), "MODEL_FAILED"),
    "a refusal of a hundred megabytes": (flood(400, "application/json", b"x" * 65536), "MODEL_FAILED"),
    "an error that unpacks to a hundred megabytes": (
        always(reply(500, BOMB, Content_Type="application/json", Content_Encoding="gzip")), "MODEL_FAILED"),
    "an answer that unpacks to a hundred megabytes": (
        always(reply(200, BOMB, Content_Type="text/event-stream", Content_Encoding="gzip")), "MODEL_TOO_LONG"),
    "a line that never ends": (flood(200, "text/event-stream", b"x" * 65536), "MODEL_TOO_LONG"),
    "JSON that never ends": (flood(200, "application/json", b"[" * 65536), "MODEL_TOO_LONG"),
    "an answer that never ends": (
        flood(200, "text/event-stream", event("word " * 9999).encode()), "MODEL_TOO_LONG"),
    "arguments that never end": (
        flood(200, "text/event-stream", calls(call(arguments="x" * 60_000)).encode()), "MODEL_TOO_LONG"),
    "calls that never end": (
        flood(200, "text/event-stream", "".join(calls(call(n, id=f"c{n}" * 90)) for n in range(400)).encode(), 99),
        "MODEL_TOO_LONG"),
    "a refusal that never ends": (
        flood(200, "text/event-stream", says({"refusal": "no " * 9999}).encode()), "MODEL_TOO_LONG"),
    "headers that never end": (headers_without_end, "MODEL_DOWN"),
    "nothing": (hangs, "MODEL_DOWN"),
    "garbage": (always(bytes(range(256)) * 400, close=True), "MODEL_DOWN"),
    "an error in words that are none": (always(reply(500, '{"error": {"message": "\\u0000\\u001b[2J\\ud800x"}}')),
                                        "MODEL_FAILED"),
    "an error nested deep": (always(reply(500, "[" * 60_000)), "MODEL_FAILED"),
    "a choice that is its own list": (streams([event(choices=[[[[]]]]), DONE]), "MODEL_EMPTY"),
    "a delta that is a number": (streams(['data: {"choices": [{"delta": 7}]}\n\n', DONE]), "MODEL_EMPTY"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "code"), FAILS.values(), ids=FAILS)
async def test_what_goes_wrong_is_said_and_not_kept(answer: Answer, code: str) -> None:
    before = resident()
    async with serve(answer) as server:
        with pytest.raises(ModelFailed) as failed:
            async with asyncio.timeout(SECONDS * 2):
                await complete(endpoint(server), ASK, tools=[TOOL], timeout=1.0 if answer is hangs else SECONDS)
    assert failed.value.code == code
    assert len(failed.value.message) < 700 and failed.value.message.isprintable()
    assert resident() - before < MOST_KEPT


ODD: dict[str, tuple[list[str], Callable[[Reply], bool]]] = {
    "characters that nobody can keep": ([event("a\0b\ud800c")], lambda said: said.text == "a\ufffdb\ufffdc"),
    "a long name": ([event("hi", model="m" * 10**6)], lambda said: len(said.model) <= 200),
    "a long reason": ([event("hi", finish="f" * 10**6)], lambda said: len(said.finish_reason) <= 200),
    "fewer tokens than none": (
        [event("hi", usage={"prompt_tokens": -1, "completion_tokens": 1e308})], lambda said: said.input_tokens is None),
    "tokens without number": (
        ['data: {"choices": [{"delta": {"content": "hi"}}], "usage": {"prompt_tokens": NaN}}\n\n'],
        lambda said: said.cost is None),
    "ten thousand calls": (
        [calls(*(call(n, id=f"c{n}") for n in range(10_000)))], lambda said: len(said.calls) <= 2000),
    "a call with a name that nobody can keep": (
        [calls(call(name="pi\0ng\ud800", id="\0" * 9 + "c", arguments='{"a": "\ud800"}'))],
        lambda said: (said.calls[0].name, said.calls[0].id) == ("pi\ufffdng\ufffd", "\ufffd" * 9 + "c")),
    "a call with arguments of another kind": (
        [calls(call(arguments=[[1]], id=7, name=["x"]))], lambda said: said.calls[0].arguments == "[[1]]"),
    "a call by the number of another": ([calls(call(True), call(1e308))], lambda said: bool(said.calls)),
}  # fmt: skip


@pytest.mark.parametrize(("events", "right"), ODD.values(), ids=ODD)
async def test_what_is_odd_is_made_fit_to_keep(events: list[str], right: Callable[[Reply], bool]) -> None:
    async with serve(streams([*events, event(finish="stop"), DONE])) as server:
        said = await complete(endpoint(server), ASK, tools=[TOOL], timeout=SECONDS)
    assert right(said), said
    json.dumps([said.text, said.model, [call.wire() for call in said.calls]], ensure_ascii=False).encode()


LISTS = {
    "much": flood(200, "application/json", b"x" * 65536),
    "packed": always(reply(200, BOMB, Content_Type="application/json", Content_Encoding="gzip")),
    "deep": always(reply(200, "[" * 100_000, Content_Type="application/json")),
    "no list": always(reply(200, '{"data": {"id": 1}}', Content_Type="application/json")),
    "null": always(reply(200, "null", Content_Type="application/json")),
}


@pytest.mark.parametrize("answer", LISTS.values(), ids=LISTS)
async def test_a_list_of_models_that_is_none(answer: Answer) -> None:
    before = resident()
    async with serve(answer) as server:
        with pytest.raises(ModelFailed) as failed:
            await list_models(endpoint(server))
    assert failed.value.code == "MODEL_SHAPE" and resident() - before < MOST_KEPT


async def test_names_of_models_that_nobody_can_keep_are_left_out() -> None:
    listed = {"data": [{"id": "a\0b"}, {"id": "x" * 10**5}, {"id": "\ud800"}, {"id": "good"}]}
    async with serve(always(reply(200, json.dumps(listed), Content_Type="application/json"))) as server:
        assert await list_models(endpoint(server)) == ["good"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_model_s_server_sends_nobody_elsewhere(canary: Canary, status: int) -> None:
    """Not the question, and not the key. reliability A2"""
    for host in ("127.0.0.1", "127.1", "[::1]", "localtest.me"):
        place = f"http://{host}:{canary.port}/v1/chat/completions"
        async with serve(always(reply(status, "", Location=place))) as server:
            with pytest.raises(ModelFailed):
                await complete(endpoint(server), ASK, timeout=5)
            with pytest.raises(ModelFailed):
                await list_models(endpoint(server))
    assert canary.touched() == 0
