"""The scripted server speaks OpenAI's wire, as OpenAI's own client reads it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import openai
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionChunk

from runtime.demo.testing import Scripted

HELLO = {"when": {"contains": "hello"}, "answer": "Hello to you, my friend."}
SCHEMA = {
    "type": "json_schema",
    "json_schema": {"name": "kind", "strict": True, "schema": {"type": "object", "properties": {}}},
}


def said(text: str) -> list:
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]


async def stream(client: AsyncOpenAI, text: str, **more) -> list[ChatCompletionChunk]:
    reply = await client.chat.completions.create(model="demo", messages=said(text), stream=True, **more)
    return [chunk async for chunk in reply]


def joined(chunks: list[ChatCompletionChunk]) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


async def test_lists_its_model(client: AsyncOpenAI) -> None:
    assert [model.id for model in (await client.models.list()).data] == ["demo"]


async def test_a_stream_has_role_words_finish_and_usage(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add(HELLO)
    chunks = await stream(client, "Hello there", stream_options={"include_usage": True})
    first, *middle, last, counted = chunks
    assert first.choices[0].delta.role == "assistant"
    assert [chunk.choices[0].delta.content for chunk in middle] == ["Hello", " to", " you,", " my", " friend."]
    assert last.choices[0].finish_reason == "stop"
    assert all(chunk.usage is None for chunk in chunks[:-1])
    assert counted.choices == []
    assert counted.usage is not None
    assert counted.usage.total_tokens == counted.usage.prompt_tokens + counted.usage.completion_tokens
    assert counted.usage.completion_tokens >= 5
    assert len({chunk.id for chunk in chunks}) == 1


async def test_a_stream_counts_nothing_unless_asked(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add(HELLO)
    chunks = await stream(client, "hello")
    assert all(chunk.choices and chunk.usage is None for chunk in chunks)
    assert joined(chunks) == "Hello to you, my friend."


def test_a_stream_ends_with_done_as_bytes(demo: Scripted) -> None:
    demo.add(HELLO)
    body = json.dumps({"model": "demo", "messages": said("hello"), "stream": True}).encode()
    request = urllib.request.Request(f"{demo.base_url}/chat/completions", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        assert reply.headers["content-type"] == "text/event-stream"
        events = reply.read().decode().split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    assert all(event.startswith("data: {") for event in events[:-2])


async def test_a_whole_answer(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add(HELLO)
    reply = await client.chat.completions.create(model="some-model", messages=said("hello"))
    assert reply.model == "some-model"
    assert reply.choices[0].message.content == "Hello to you, my friend."
    assert reply.choices[0].finish_reason == "stop"
    assert reply.usage is not None and reply.usage.prompt_tokens > 0


async def test_answers_keep_their_white_space(client: AsyncOpenAI, demo: Scripted) -> None:
    text = "\n  # Title\n\n| a | b |\n| --- | --- |\n\n```\n  code\n```\n "
    demo.add({"answer": text})
    assert joined(await stream(client, "x")) == text
    demo.behave(chunk=3)
    assert joined(await stream(client, "x")) == text


async def test_structured_answers(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add({"when": {"schema": "kind"}, "answer": {"kind": "é"}}, {"when": {"schema": False}, "answer": "plain"})
    chunks = await stream(client, "hello", response_format=SCHEMA)
    assert json.loads(joined(chunks)) == {"kind": "é"}
    assert joined(await stream(client, "hello")) == "plain"
    assert demo.requests()[0]["params"]["response_format"] == SCHEMA


async def test_an_endpoint_that_takes_no_schema(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.set(structured=False)
    with pytest.raises(openai.BadRequestError, match="json_schema") as refused:
        await stream(client, "hello", response_format=SCHEMA)
    assert refused.value.param == "response_format"


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"messages": [{"role": "user", "content": "x"}]}, "model"),
        ({"model": "demo"}, "messages"),
        ({"model": "demo", "messages": []}, "messages"),
        ({"model": "demo", "messages": ["x"]}, "messages"),
        ({"model": "demo", "messages": [{"role": "user"}], "response_format": {"type": "xml"}}, "response_format"),
        (
            {"model": "demo", "messages": [{"role": "user"}], "response_format": {"type": "json_schema"}},
            "response_format",
        ),
    ],
)
async def test_a_wrong_request_is_refused_by_name(client: AsyncOpenAI, body: dict, param: str) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        await client.post("/chat/completions", body=body, cast_to=object)
    assert refused.value.param == param


def test_a_body_that_is_no_json(demo: Scripted) -> None:
    request = urllib.request.Request(f"{demo.base_url}/chat/completions", b"{nope")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 400
    assert "not JSON" in json.load(refused.value)["error"]["message"]


async def test_a_key_can_be_required(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add(HELLO)
    demo.set(key="sk-right")
    with pytest.raises(openai.AuthenticationError) as refused:
        await stream(client, "hello")
    assert refused.value.code == "invalid_api_key"
    with pytest.raises(openai.AuthenticationError):
        await client.models.list()
    assert joined(await stream(client.with_options(api_key="sk-right"), "hello"))


async def test_content_may_come_in_parts(client: AsyncOpenAI, demo: Scripted) -> None:
    demo.add(HELLO)
    parts = [{"type": "text", "text": "say"}, {"type": "text", "text": "hello"}]
    reply = await client.chat.completions.create(model="demo", messages=[{"role": "user", "content": parts}])  # type: ignore[arg-type]
    assert reply.choices[0].message.content == "Hello to you, my friend."


async def test_what_no_script_answers_is_said_and_marked(client: AsyncOpenAI) -> None:
    reply = await client.chat.completions.with_raw_response.create(model="demo", messages=said("Write me a poem"))
    assert reply.headers["x-demo-unscripted"] == "1"
    answer = reply.parse()
    assert "Settings → Models" in (answer.choices[0].message.content or "")
    assert answer.choices[0].finish_reason == "stop"
    chunks = await stream(client, "Write me a poem")
    assert all(getattr(chunk, "unscripted", False) for chunk in chunks)


async def test_unknown_addresses(client: AsyncOpenAI) -> None:
    with pytest.raises(openai.NotFoundError):
        await client.embeddings.create(model="demo", input="x")
