"""The model client against endpoints that answer well."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from decimal import Decimal

import pytest

from runtime.services.model import ModelCancelled, ModelFailed, complete, forget, list_models
from tests.runtime.services.models import (
    DONE,
    chunk,
    each,
    endpoint,
    event,
    fails,
    routed,
    says,
    streams,
    usage,
)
from tests.runtime.services.servers import Asked, always, reply, serve

ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
SCHEMA = {
    "type": "object",
    "properties": {"category": {"type": "string"}},
    "required": ["category"],
    "additionalProperties": False,
}


async def test_an_answer_is_streamed_counted_and_priced() -> None:  # LG-llm-01
    async with serve(streams(says("Hel", "lo ", "wörld"), pause=0.01)) as server:
        heard: list[str] = []
        model = endpoint(server, input_price=Decimal("2.5"), output_price=Decimal("10"), demo=True)
        answer = await complete(model, ASK, on_text=heard.append)
        assert heard == ["Hel", "lo ", "wörld"]
        assert answer.text == "Hello wörld"
        assert (answer.model, answer.finish_reason, answer.demo) == ("m-1-2026", "stop", True)
        assert (answer.input_tokens, answer.output_tokens) == (12, 3)
        assert answer.cost == Decimal("0.00006")
        assert answer.first_token_ms is not None and 0 < answer.first_token_ms < answer.ms
        asked = server.asked[0]
        assert asked.target == "/v1/chat/completions"
        assert asked.headers["authorization"] == "Bearer sk-canary-11"
        assert asked.json() == {
            "model": "m-1",
            "messages": ASK,
            "stream": True,
            "stream_options": {"include_usage": True},
        }


async def test_without_prices_or_counts_there_is_no_cost() -> None:
    async with serve(streams(says("hi"))) as server:
        answer = await complete(endpoint(server, input_price=Decimal(1)), ASK)
        assert answer.input_tokens == 12 and answer.cost is None
    async with serve(streams([event("hi"), event(finish="stop"), DONE])) as server:
        answer = await complete(endpoint(server, input_price=Decimal(1), output_price=Decimal(1)), ASK)
        assert (answer.input_tokens, answer.output_tokens, answer.cost) == (None, None, None)


async def test_nothing_of_the_environment_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:  # LG-llm-03
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    async with serve(streams(says("hi"))) as server:
        await complete(endpoint(server, key=None), ASK)
        headers = server.asked[0].headers
        assert {"authorization", "openai-organization", "openai-project"}.isdisjoint(headers)


@pytest.mark.parametrize(
    ("events", "text"),
    [
        # line ends, comments, other fields, no space, several data lines, bytes cut anywhere
        ([": ping\r\n\r\n", "event: message\r\n" + event("a").replace("\n", "\r\n"), event("b", "stop"), DONE], "ab"),
        ([event("a").replace("data: ", "data:"), event(finish="stop")], "a"),
        (["data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n", DONE], "x"),
        ([event("a"), event("b"), DONE], "ab"),
        ([event("a"), event("b", "stop").rstrip("\n")], "ab"),
        ([event("a"), event("b", "stop").rstrip("\n") + "\n"], "ab"),
        ([event(["x"] and [{"type": "text", "text": "x"}, {"type": "other"}], "stop"), DONE], "x"),  # type: ignore[arg-type]
        ([event("a", "stop", usage={"prompt_tokens": "many"}), DONE], "a"),
        # thoughts of local models
        ([event("<th"), event("ink>hm"), event("m</thi"), event("nk>\n\nyes"), event(" no", "stop"), DONE], "yes no"),
        ([event("<thin"), event("g is> fine", "stop"), DONE], "<thing is> fine"),
        ([event("<"), event(finish="stop"), DONE], "<"),
        ([event("a <think>b</think>", "stop"), DONE], "a <think>b</think>"),
    ],
)  # fmt: skip
async def test_dialects_of_streaming(events: list[str], text: str) -> None:
    async with serve(streams(events)) as server:
        heard: list[str] = []
        answer = await complete(endpoint(server), ASK, on_text=heard.append)
        assert answer.text == text == "".join(heard)


async def test_characters_cut_between_chunks_arrive_whole() -> None:
    whole = "".join(says("日本", "語 🎈")).encode()

    async def answer(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for at in range(0, len(whole), 3):
            writer.write(chunk(whole[at : at + 3]))
        writer.write(b"0\r\n\r\n")

    async with serve(answer) as server:
        assert (await complete(endpoint(server), ASK)).text == "日本語 🎈"


async def test_characters_cut_between_events_arrive_whole_and_no_odd_one_is_lost() -> None:
    async with serve(streams(says("a \ud83d", "\ude00 b\ud83d", "c\0d", " \ud83d"))) as server:
        heard: list[str] = []
        answer = await complete(endpoint(server), ASK, on_text=heard.append)
        assert answer.text == "".join(heard) == "a \U0001f600 b\ufffdc\ufffdd \ufffd"


async def test_a_server_that_does_not_stream() -> None:
    body = {
        "model": "plain",
        "choices": [{"message": {"role": "assistant", "content": "all at once"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    }
    for written in (json.dumps(body), json.dumps(body, indent=2)):
        async with serve(always(reply(200, written, Content_Type="application/json"))) as server:
            heard: list[str] = []
            answer = await complete(endpoint(server), ASK, on_text=heard.append)
            assert (answer.text, answer.model, answer.output_tokens) == ("all at once", "plain", 4)
            assert heard == ["all at once"]


async def test_the_line_may_stay_open_after_the_end() -> None:
    for events in (says("hi"), [event("hi"), event(finish="stop")]):
        async with serve(streams(events, open_end=True)) as server:
            assert (await complete(endpoint(server), ASK, timeout=20)).text == "hi"


async def test_a_connection_is_kept_and_one_gone_stale_is_not_noticed() -> None:
    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if len(server.asked) == 3:
            writer.transport.abort()
            return
        await streams(says("hi"))(asked, writer)

    async with serve(answer) as server:
        model = endpoint(server)
        for _ in range(2):
            await complete(model, ASK)
        assert server.connections == 1
        assert (await complete(model, ASK)).text == "hi"
        assert server.connections == 2


async def test_two_hundred_at_once() -> None:
    async with serve(streams(says("hi"), pause=0.05)) as server:
        model = endpoint(server)
        answers = await asyncio.gather(*(complete(model, ASK, timeout=30) for _ in range(200)))
        assert [answer.text for answer in answers] == ["hi"] * 200
        assert server.connections == 200


async def test_cancelling_ends_the_call_soon() -> None:
    stopped = False
    async with serve(streams([event("a")] * 3, open_end=True)) as server:
        task = asyncio.create_task(complete(endpoint(server), ASK, cancelled=lambda: stopped))
        await asyncio.sleep(0.3)
        assert not task.done()
        stopped = True
        with pytest.raises(ModelCancelled):
            async with asyncio.timeout(2):
                await task
        with pytest.raises(ModelCancelled):
            await complete(endpoint(server), ASK, cancelled=lambda: True)
        assert len(server.asked) == 1


# Structured answers


async def test_the_schema_goes_along_where_it_is_taken() -> None:  # LG-llm-04
    async with serve(streams(says('{"category": "billing"}'))) as server:
        learned: list[str] = []
        model = endpoint(server)
        answer = await complete(model, ASK, schema=SCHEMA, on_learned=learned.append)
        assert answer.text == '{"category": "billing"}'
        assert server.asked[0].json()["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
        }
        await complete(model, ASK, schema=SCHEMA, on_learned=learned.append)
        assert learned == ["yes"]


@pytest.mark.parametrize("status", [400, 422, 501])
async def test_where_it_is_not_taken_it_goes_into_the_prompt(status: int) -> None:  # LG-llm-06, LG-llm-08
    refusing = fails(status, "response_format json_schema is not supported")
    async with serve(each(refusing, streams(says("{}")))) as server:
        learned: list[str] = []
        model = endpoint(server)
        await complete(model, ASK, schema=SCHEMA, on_learned=learned.append)
        assert learned == ["no"]
        second = server.asked[1].json()
        assert "response_format" not in second
        assert json.dumps(SCHEMA) in second["messages"][-1]["content"]
        assert second["messages"][-1]["content"].startswith("Hello?")
        # It is remembered: no third call is refused.
        await complete(model, ASK, schema=SCHEMA, on_learned=learned.append)
        assert len(server.asked) == 3 and "response_format" not in server.asked[2].json()
        forget(model)
        await complete(model, ASK, schema=SCHEMA, on_learned=learned.append)
        assert "response_format" in server.asked[3].json() and learned == ["no", "yes"]


async def test_a_known_mode_is_kept_to() -> None:
    async with serve(streams(says("{}"))) as server:
        learned: list[str] = []
        await complete(endpoint(server, schema_mode="no"), ASK, schema=SCHEMA, on_learned=learned.append)
        await complete(endpoint(server, schema_mode="yes"), ASK, schema=SCHEMA, on_learned=learned.append)
        assert ["response_format" in asked.json() for asked in server.asked] == [False, True]
        assert learned == []
    # One schema that is refused says nothing about an endpoint that is known to take them.
    async with serve(each(fails(400, "Invalid schema"), streams(says("{}")))) as server:
        await complete(endpoint(server, schema_mode="yes"), ASK, schema=SCHEMA, on_learned=learned.append)
        assert len(server.asked) == 2 and learned == []


async def test_a_refused_list_says_nothing_about_objects() -> None:
    rows = {"type": "array", "items": SCHEMA}
    async with serve(each(fails(400, "schema must be an object"), streams(says("[]")))) as server:
        learned: list[str] = []
        model = endpoint(server)
        await complete(model, ASK, schema=rows, on_learned=learned.append)
        await complete(model, ASK, schema=rows, on_learned=learned.append)
        await complete(model, ASK, schema=SCHEMA, on_learned=learned.append)
        assert ["response_format" in asked.json() for asked in server.asked] == [True, False, False, True]
        assert learned == ["yes"]


async def test_an_endpoint_that_knows_no_stream_options() -> None:
    refusing = fails(400, "Unrecognized request argument supplied: stream_options")
    async with serve(each(refusing, streams([event("hi"), event(finish="stop"), DONE]))) as server:
        model = endpoint(server)
        for _ in range(2):
            assert (await complete(model, ASK, schema=SCHEMA)).input_tokens is None
        assert ["stream_options" in asked.json() for asked in server.asked] == [True, False, False]
        assert "response_format" in server.asked[1].json()


# Which model


async def test_without_a_name_the_first_listed_model_is_asked() -> None:
    async with serve(routed(streams(says("hi")), ["text-embedding-3", "qwen", "llama"])) as server:
        model = endpoint(server, model="")
        await complete(model, ASK)
        await complete(model, ASK)
        assert [asked.target for asked in server.asked].count("/v1/models") == 1
        assert server.asked[-1].json()["model"] == "qwen"
        assert await list_models(model) == ["text-embedding-3", "qwen", "llama"]
    async with serve(routed(streams(says("hi")), [])) as server:
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server, model=""), ASK)
        assert failed.value.code == "MODEL_NOT_FOUND"


async def test_a_demo_without_a_script_says_what_to_add() -> None:
    unscripted = [event("I have no script.", "stop", unscripted=True), usage(1, 1), DONE]
    async with serve(streams(unscripted)) as server:
        model = endpoint(server, demo=True)
        assert (await complete(model, ASK)).text == "I have no script."
        with pytest.raises(ModelFailed) as failed:
            await complete(model, ASK, schema=SCHEMA)
        assert failed.value.code == "MODEL_KEY_MISSING" and "Settings → Models" in failed.value.message
        assert replace(model, problem="x").problem == "x"
