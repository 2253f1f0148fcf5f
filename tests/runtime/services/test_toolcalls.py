"""The tools that a model wants called, from servers that stream them each in their own way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.services.model import ModelFailed, complete
from tests.runtime.services.models import DONE, endpoint, event, fails, streams
from tests.runtime.services.servers import always, reply, serve

ASK = [{"role": "user", "content": "Add a step."}]
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]


def pieces(*calls: dict[str, Any]) -> str:
    return event(choices=[{"index": 0, "delta": {"tool_calls": list(calls)}}])


def piece(index: int | None = None, id: str | None = None, name: str | None = None, text: Any = "") -> dict[str, Any]:
    call: dict[str, Any] = {"function": {"arguments": text}}
    if index is not None:
        call["index"] = index
    if id is not None:
        call["id"] = id
    if name is not None:
        call["function"]["name"] = name
    return call


END = [event(finish="tool_calls"), DONE]
ANSWERS = {
    "in pieces, two at once": [
        pieces(piece(0, "a", "add")),
        pieces(piece(0, text='{"id"'), piece(1, "b", "add", "")),
        pieces(piece(1, text='{"id": 2}'), piece(0, text=": 1}")),
        *END,
    ],
    "whole, each with the same index": [
        pieces(piece(0, "a", "add", '{"id": 1}')),
        pieces(piece(0, "b", "add", '{"id": 2}')),
        *END,
    ],
    "without an index": [
        pieces(piece(None, "a", "add", '{"id"')),
        pieces(piece(None, text=": 1}")),
        pieces(piece(None, "b", "add", '{"id": 2}')),
        *END,
    ],
    "arguments as an object": [
        pieces(piece(0, "a", "add", {"id": 1}), piece(1, "b", "add", {"id": 2})),
        *END,
    ],
}


@pytest.mark.parametrize("events", ANSWERS.values(), ids=list(ANSWERS))
async def test_calls_are_put_together(events: list[str]) -> None:
    async with serve(streams(events)) as server:
        answer = await complete(endpoint(server), ASK, tools=TOOLS)
        assert [(call.id, call.name, json.loads(call.arguments)) for call in answer.calls] == [
            ("a", "add", {"id": 1}),
            ("b", "add", {"id": 2}),
        ]
        assert answer.text == "" and answer.finish_reason == "tool_calls"
        assert server.asked[0].json()["tools"] == TOOLS


async def test_a_server_that_does_not_stream_may_call_tools_too() -> None:
    said = {"content": None, "tool_calls": [{"id": "a", "function": {"name": "add", "arguments": "{}"}}]}
    body = {"model": "m-1", "choices": [{"message": said, "finish_reason": "tool_calls"}]}
    async with serve(always(reply(200, json.dumps(body), Content_Type="application/json"))) as server:
        answer = await complete(endpoint(server), ASK, tools=TOOLS)
        assert [(call.id, call.name) for call in answer.calls] == [("a", "add")]


async def test_a_call_without_an_id_gets_one() -> None:
    events = [pieces(piece(0, name="add", text="{}"), piece(1, "call_1", "add", "{}")), *END]
    async with serve(streams(events)) as server:
        first, second = (await complete(endpoint(server), ASK, tools=TOOLS)).calls
        assert first.id and second.id == "call_1" and first.id != second.id


async def test_what_the_model_wrote_is_kept_as_it_is() -> None:
    # Judging it is the caller's: the model is told what is wrong with its own text.
    odd = ["nothing", 7, {"index": 0, "id": 5, "function": "add"}, piece(0, "a", "add", '{"id": ')]
    async with serve(streams([event(choices=[{"delta": {"tool_calls": odd}}]), *END])) as server:
        answer = await complete(endpoint(server), ASK, tools=TOOLS)
        assert [(call.name, call.arguments) for call in answer.calls] == [("add", '{"id": ')]


async def test_endless_arguments_end() -> None:
    async with serve(streams([pieces(piece(0, "a", "add", "x" * 500_000))] * 5)) as server:
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server), ASK, tools=TOOLS)
        assert failed.value.code == "MODEL_TOO_LONG"


async def test_a_model_without_tools_says_so() -> None:
    async with serve(fails(400, "registry/tiny does not support tools")) as server:
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server), ASK, tools=TOOLS)
        assert failed.value.code == "MODEL_NO_TOOLS"
        assert "Settings → Models" in failed.value.message
