"""The scripted model calls tools: over the wire as the real package reads it, turn by turn, well-formed or not."""

from __future__ import annotations

import json
from typing import Any

from openai import AsyncOpenAI, BadRequestError
from pytest import raises

from runtime.demo.testing import Scripted

TOOLS: Any = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]
TURNS = {
    "when": {"tools": True, "contains": "add two"},
    "turns": [
        {"say": "I add them.", "calls": [{"name": "add", "arguments": {"id": "é" * 500}}, {"name": "add"}]},
        {"calls": [{"name": "add", "arguments": '{"id": '}]},
        {"say": "Done."},
    ],
}


def said(*turns: str) -> Any:
    return [{"role": "user", "content": "Add two steps."}, *({"role": "assistant", "content": turn} for turn in turns)]


async def test_turns_follow_the_conversation_and_not_the_count_of_requests(demo: Scripted, client: AsyncOpenAI) -> None:
    demo.add(TURNS)
    for _ in range(2):
        answer = (await client.chat.completions.create(model="demo", messages=said(), tools=TOOLS)).choices[0]
        assert (answer.message.content, answer.finish_reason) == ("I add them.", "tool_calls")
        calls = answer.message.tool_calls or []
        assert [json.loads(call.function.arguments) for call in calls] == [{"id": "é" * 500}, {}]
        assert len({call.id for call in calls}) == 2
    answer = (await client.chat.completions.create(model="demo", messages=said("a"), tools=TOOLS)).choices[0]
    assert answer.message.tool_calls[0].function.arguments == '{"id": '
    for before in (("a", "b"), ("a", "b", "c", "d")):
        answer = (await client.chat.completions.create(model="demo", messages=said(*before), tools=TOOLS)).choices[0]
        assert (answer.message.content, answer.finish_reason) == ("Done.", "stop")


async def test_calls_are_streamed_in_pieces(demo: Scripted, client: AsyncOpenAI) -> None:
    demo.add(TURNS)
    names: dict[int, str] = {}
    arguments: dict[int, list[str]] = {}
    async for chunk in await client.chat.completions.create(model="demo", messages=said(), tools=TOOLS, stream=True):
        for piece in (chunk.choices[0].delta.tool_calls or []) if chunk.choices else []:
            names.setdefault(piece.index, piece.function.name or "")
            arguments.setdefault(piece.index, []).append(piece.function.arguments or "")
    assert names == {0: "add", 1: "add"}
    assert len(arguments[0]) > 2 and json.loads("".join(arguments[0])) == {"id": "é" * 500}


async def test_rules_for_tools_and_rules_without_do_not_meet(demo: Scripted, client: AsyncOpenAI) -> None:
    demo.add({"when": {"contains": "add two"}, "answer": "plain"}, TURNS)
    plain = await client.chat.completions.create(model="demo", messages=said())
    assert plain.choices[0].message.content == "plain"
    tools = await client.chat.completions.create(model="demo", messages=said(), tools=TOOLS)
    assert tools.choices[0].message.content == "I add them."


async def test_a_model_may_take_no_tools(demo: Scripted, client: AsyncOpenAI) -> None:
    demo.set(tools=False)
    with raises(BadRequestError, match="does not support tools"):
        await client.chat.completions.create(model="demo", messages=said(), tools=TOOLS)
