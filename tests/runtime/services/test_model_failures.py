"""Each way in which a model can fail, from a real server that fails so, and the words for it."""

from __future__ import annotations

import asyncio
import json

import pytest

from runtime.services.failures import CODES
from runtime.services.model import ModelFailed, complete
from tests.runtime.services.models import DONE, HEAD, chunk, each, endpoint, event, fails, says, streams, usage
from tests.runtime.services.servers import Answer, Asked, always, reply, serve

ASK = [{"role": "user", "content": "Hello?"}]
KEY = "sk-canary-11"
PAGE = "<!doctype html><html><body>Welcome to nginx!</body></html>"


async def dropped(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def half_a_head(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-T")
    writer.close()


def error_event(**error: object) -> str:
    return f"data: {json.dumps({'error': error})}\n\n"


CASES: list[tuple[str, Answer, str]] = [
    ("MODEL_KEY_REFUSED", fails(401, f"Incorrect API key: {KEY}.", "invalid_api_key"), "does not accept its key"),
    ("MODEL_KEY_REFUSED", fails(403, "Country not supported"), "Country not supported"),
    ("MODEL_NOT_FOUND", fails(404, "The model `m-1` does not exist", "model_not_found"), "no model called m-1"),
    ("MODEL_NOT_FOUND", fails(400, "no such model", "model_not_found"), "no model called m-1"),
    ("MODEL_NOT_FOUND", fails(404, "model 'm-1' not found, try pulling it first"), "no model called m-1"),
    ("MODEL_NOT_FOUND", always(reply(404, PAGE, Content_Type="text/html")), "usually ends in /v1"),
    ("MODEL_NOT_FOUND", always(reply(301, "", Location="https://example.com/v1/chat/completions")), "has moved"),
    ("MODEL_BUSY", fails(429, "Rate limit reached"), "takes no more calls"),
    ("MODEL_BUSY", fails(429, "Rate limit reached", Retry_After="30"), "takes no more calls"),
    ("MODEL_BUSY", fails(429, "You exceeded your current quota", "insufficient_quota"), "credit"),
    ("MODEL_BUSY", fails(402, "Payment required"), "credit"),
    ("MODEL_FAILED", fails(500, "The server had an error"), "status 500"),
    ("MODEL_FAILED", fails(502), "status 502"),
    ("MODEL_FAILED", fails(503, "Loading model"), "Loading model"),
    ("MODEL_FAILED", always(reply(500, PAGE, Content_Type="text/html")), "status 500"),
    ("MODEL_FAILED", fails(400, "Invalid value for temperature"), "Invalid value"),
    ("MODEL_FAILED", always(reply(400, "plain words", Content_Type="text/plain")), "plain words"),
    ("MODEL_FAILED", always(reply(418, "[1]", Content_Type="application/json")), "status 418"),
    ("MODEL_FAILED", streams([event("a"), error_event(message="CUDA out of memory", code=500)]), "CUDA"),
    ("MODEL_BUSY", streams([error_event(message="Rate limit exceeded", type="rate_limit_error")]), "no more calls"),
    ("MODEL_FAILED", streams([error_event(message="odd", code="weird")]), "odd"),
    ("MODEL_TOO_LONG", fails(400, "maximum context length: 8192", "context_length_exceeded"), "prompt this long"),
    ("MODEL_TOO_LONG", fails(413, "too big"), "prompt this long"),
    ("MODEL_TOO_LONG", fails(400, "the request exceeds the available context size"), "prompt this long"),
    ("MODEL_TOO_LONG", streams([event("half an ans"), event(finish="length"), usage(1, 9), DONE]), "was cut there"),
    ("MODEL_TOO_LONG", streams([event("x" * 500_000)] * 5), "two million"),
    ("MODEL_CUT", streams([event("half an ans")]), "broke off"),
    ("MODEL_CUT", streams([event("half an ans")], cut=True), "broke off"),
    ("MODEL_CUT", streams([event("half an ans"), event("wer")], pause=0.05, cut=True), "broke off"),
    ("MODEL_CUT", streams([event("half"), event("more").rstrip("\n")[:-20]]), "broke off"),
    ("MODEL_CUT", always(HEAD + chunk(event("half")), close=True), "broke off"),
    ("MODEL_SHAPE", always(reply(200, PAGE, Content_Type="text/html")), "a web page"),
    ("MODEL_SHAPE", always(reply(200, "", Content_Type="application/json")), "with nothing"),
    ("MODEL_SHAPE", always(reply(200, "OK", Content_Type="text/plain")), "words of a chat model"),
    ("MODEL_SHAPE", always(reply(200, '{"status": "up"}', Content_Type="application/json")), "words of a chat model"),
    ("MODEL_SHAPE", always(reply(200, "[]", Content_Type="application/json")), "words of a chat model"),
    ("MODEL_SHAPE", streams(["data: {not json}\n\n"]), "cannot be read"),
    ("MODEL_SHAPE", streams(["data: 7\n\n"]), "words of a chat model"),
    ("MODEL_SHAPE", streams(['data: {"choices": 3}\n\n']), "words of a chat model"),
    ("MODEL_SHAPE", streams(["data: " + "[" * 5000 + "\n\n"]), "cannot be read"),
    ("MODEL_SHAPE", streams([event(choices=[{"delta": {"refusal": "I can't help."}}]), DONE]), "declined"),
    ("MODEL_EMPTY", streams([event(""), event(finish="stop"), usage(5, 0), DONE]), "an empty answer"),
    ("MODEL_EMPTY", streams([event("  \n "), event(finish="stop"), DONE]), "an empty answer"),
    ("MODEL_EMPTY", streams([DONE]), "an empty answer"),
    ("MODEL_EMPTY", streams([event("<think>endless"), event(finish="stop"), DONE]), "an empty answer"),
    ("MODEL_EMPTY", streams([event(finish="tool_calls"), DONE]), "an empty answer"),
    ("MODEL_EMPTY", streams([event("Some"), event(finish="content_filter"), DONE]), "content filter"),
    ("MODEL_DOWN", dropped, "closed without an answer"),
    ("MODEL_DOWN", half_a_head, "closed without an answer"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "answer", "words"), CASES, ids=lambda value: value if isinstance(value, str) else "")
async def test_each_failure_has_its_code_and_its_words(code: str, answer: Answer, words: str) -> None:
    async with serve(answer) as server:
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server), ASK, timeout=20)
        message = failed.value.message
        assert (failed.value.code, words in message) == (code, True), message
        assert "“Test”" in message and message.endswith(".")
        assert KEY not in message and "<html" not in message and len(message) < 700


def test_every_code_is_proved() -> None:
    proved = {code for code, _, _ in CASES} | {"MODEL_KEY_MISSING", "MODEL_NO_TOOLS"}
    assert proved == set(CODES)


async def test_a_missing_key_is_told_from_a_wrong_one() -> None:
    async with serve(fails(401, "You didn't provide an API key.")) as server:
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server, key=None), ASK)
        assert failed.value.code == "MODEL_KEY_MISSING"
        assert "Settings → Models" in failed.value.message
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server, key=None, base_url="https://api.openai.com/v1"), ASK)
        assert failed.value.code == "MODEL_KEY_MISSING"
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server, problem="The key cannot be read."), ASK)
        assert (failed.value.code, failed.value.message) == ("MODEL_KEY_MISSING", "The key cannot be read.")
        assert len(server.asked) == 1
        for odd in ("sk-\n1234", "schlüssel"):
            with pytest.raises(ModelFailed) as failed:
                await complete(endpoint(server, key=odd), ASK)
            assert failed.value.code == "MODEL_KEY_REFUSED"


async def test_nobody_at_the_address() -> None:
    async with serve(always(b"")) as server:
        gone = endpoint(server)
    for base_url in (gone.base_url, "https://" + gone.base_url[7:], "http://nobody.invalid/v1", "localhost:1234/v1",
                     "ftp://x/v1", "http://[::1/v1", "http://", ""):  # fmt: skip
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server, base_url=base_url), ASK, timeout=10)
        assert failed.value.code == "MODEL_DOWN", base_url
        assert "Settings → Models" in failed.value.message


async def test_a_silent_and_a_slow_model_end_with_the_time() -> None:
    async with serve(streams([], open_end=True)) as server:
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server), ASK, timeout=0.3)
        assert (failed.value.code, "within 0.3 seconds" in failed.value.message) == ("MODEL_DOWN", True)
    async with serve(streams([event("word ")] * 100, pause=0.05)) as server:
        heard: list[str] = []
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server), ASK, timeout=0.4, on_text=heard.append)
        assert (failed.value.code, "not complete after 0.4 seconds" in failed.value.message) == ("MODEL_TOO_LONG", True)
        assert heard


async def test_a_short_wait_the_server_asks_for_is_kept_once() -> None:
    for status, header in (
        (429, {"Retry_After": "0.05"}),
        (503, {"retry_after_ms": "50"}),
        (429, {"Retry_After": "0"}),
    ):
        async with serve(each(fails(status, "slow down", **header), streams(says("hi")))) as server:
            assert (await complete(endpoint(server), ASK)).text == "hi"
            assert len(server.asked) == 2
    async with serve(fails(429, "slow down", Retry_After="0")) as server:
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server), ASK)
        assert (failed.value.code, len(server.asked)) == ("MODEL_BUSY", 2)
    for wait in ("6", "soon", "-1", "Wed, 21 Oct 2026 07:28:00 GMT"):
        async with serve(fails(429, "slow down", Retry_After=wait)) as server:
            with pytest.raises(ModelFailed):
                await complete(endpoint(server), ASK)
            assert len(server.asked) == 1, wait


async def test_nothing_else_is_asked_twice() -> None:
    for answer in (fails(500), fails(429), fails(408), fails(409), streams([event("half")], cut=True)):
        async with serve(answer) as server:
            with pytest.raises(ModelFailed):
                await complete(endpoint(server), ASK)
            assert len(server.asked) == 1


async def test_no_schema_fallback_hides_another_failure() -> None:
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    async with serve(fails(400, "Invalid value for temperature")) as server:
        learned: list[str] = []
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server), ASK, schema=schema, on_learned=learned.append)
        assert "Invalid value for temperature" in failed.value.message
        assert len(server.asked) == 2 and learned == []
    async with serve(fails(400, "too many tokens", "context_length_exceeded")) as server:
        with pytest.raises(ModelFailed) as failed:
            await complete(endpoint(server), ASK, schema=schema)
        assert (failed.value.code, len(server.asked)) == ("MODEL_TOO_LONG", 1)


async def test_an_address_with_a_password_is_not_repeated() -> None:
    async with serve(fails(500)) as server:
        hidden = endpoint(server, base_url=f"http://ann:hunter22@127.0.0.1:{server.port}/v1?token=hunter22")
        for model in (hidden, endpoint(server, base_url="http://ann:hunter22@127.0.0.1:9/v1")):
            with pytest.raises(ModelFailed) as failed:
                await complete(model, ASK)
            assert "hunter22" not in failed.value.message
