"""The OpenAI chat wire: replies, stream chunks and errors as bytes, and a plausible count of tokens."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

Json = Any

MODEL = "demo"
WORDS = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")
DONE = b"data: [DONE]\n\n"
ARGUMENTS = 400
"""How many characters of a call's arguments come in one chunk."""

_numbers = count(1)


def new_id() -> str:
    return f"chatcmpl-demo{next(_numbers):08d}"


def tokens(text: str) -> int:
    """About as many tokens as a real tokenizer counts in English: a third more than there are words."""
    words = len(text.split())
    return words + words // 3


def usage_of(messages: Sequence[str], answer: str) -> dict[str, int]:
    prompt = sum(tokens(text) + 4 for text in messages) + 3
    completion = tokens(answer)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def pieces(text: str, words: int) -> list[str]:
    """The text cut before white space into chunks of so many words; joined they are the text again."""
    single = WORDS.findall(text)
    if words == 1:
        return single
    return ["".join(single[at : at + words]) for at in range(0, len(single), words)]


class Chunks:
    """The chunks of one streamed answer, each a whole server-sent event."""

    def __init__(self, model: str, include_usage: bool, unscripted: bool) -> None:
        head = {
            "id": new_id(),
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": model,
            "system_fingerprint": "fp_demo",
        }
        if unscripted:
            head["unscripted"] = True
        self._head = f"data: {json.dumps(head)[:-1]}, ".encode()
        self._tail = b', "usage": null}\n\n' if include_usage else b"}\n\n"

    def _choice(self, delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return b"".join(
            (self._head, b'"choices": [', json.dumps(choice, ensure_ascii=False).encode(), b"]", self._tail)
        )

    def opening(self) -> bytes:
        return self._choice({"role": "assistant", "content": "", "refusal": None})

    def words(self, text: str) -> bytes:
        return self._choice({"content": text})

    def calls(self, calls: Sequence[Mapping[str, str]]) -> Iterator[bytes]:
        """Tool calls as OpenAI streams them: the name first, then the arguments in pieces."""
        for index, call in enumerate(calls):
            function = {"name": call["name"], "arguments": ""}
            yield self._choice(
                {"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": function}]}
            )
            text = call["arguments"]
            for at in range(0, len(text), ARGUMENTS):
                piece = {"index": index, "function": {"arguments": text[at : at + ARGUMENTS]}}
                yield self._choice({"tool_calls": [piece]})

    def closing(self, finish: str, usage: Mapping[str, int] | None) -> Iterator[bytes]:
        """The finish chunk, the usage chunk when it was asked for, and the end mark."""
        yield self._choice({}, finish)
        if usage is not None:
            yield b"".join((self._head, b'"choices": [], "usage": ', json.dumps(usage).encode(), b"}\n\n"))
        yield DONE


def completion(
    model: str,
    text: str,
    finish: str,
    usage: Mapping[str, int] | None,
    unscripted: bool,
    calls: Sequence[Mapping[str, str]] = (),
) -> Json:
    reply: dict[str, Json] = {
        "id": new_id(),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "logprobs": None,
                "finish_reason": finish,
            }
        ],
        "system_fingerprint": "fp_demo",
    }
    if calls:
        reply["choices"][0]["message"]["tool_calls"] = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in calls
        ]
    if usage is not None:
        reply["usage"] = usage
    if unscripted:
        reply["unscripted"] = True
    return reply


def error(message: str, kind: str, param: str | None = None, code: str | None = None) -> Json:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def kind_of(status: int) -> tuple[str, str | None]:
    """The type and code that OpenAI gives an error of this status."""
    return {
        401: ("invalid_request_error", "invalid_api_key"),
        404: ("invalid_request_error", "model_not_found"),
        429: ("requests", "rate_limit_exceeded"),
    }.get(status, ("invalid_request_error" if status < 500 else "server_error", None))


def models(names: Sequence[str]) -> Json:
    listed = [{"id": name, "object": "model", "created": 1_760_000_000, "owned_by": "lgstudio"} for name in names]
    return {"object": "list", "data": listed}
