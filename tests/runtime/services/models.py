"""A chat endpoint that behaves, and parts of one that does not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from runtime.services.model import Endpoint
from runtime.services.secrets import SecretValue
from tests.runtime.services.servers import Answer, Asked, Server, reply

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
DONE = "data: [DONE]\n\n"


def endpoint(server: Server, key: str | None = "sk-canary-11", **more: Any) -> Endpoint:
    values = {"name": "Test", "base_url": f"{server.url}/v1", "model": "m-1", **more}
    return Endpoint(key=SecretValue(key) if key else None, **values)


def event(content: str | None = None, finish: str | None = None, **more: Any) -> str:
    delta = {} if content is None else {"content": content}
    said = {"id": "c1", "object": "chat.completion.chunk", "model": "m-1-2026", "choices": []}
    if content is not None or finish is not None:
        said["choices"] = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return f"data: {json.dumps({**said, **more})}\n\n"


def usage(read: int, written: int) -> str:
    return event(usage={"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written})


def chunk(text: str | bytes) -> bytes:
    content = text.encode() if isinstance(text, str) else text
    return b"%x\r\n%s\r\n" % (len(content), content)


def says(*words: str) -> list[str]:
    """The events of a good answer."""
    return [event(""), *(event(word) for word in words), event(finish="stop"), usage(12, len(words)), DONE]


def streams(events: list[str], pause: float = 0.0, *, cut: bool = False, open_end: bool = False) -> Answer:
    """Send the events; cut: then drop the line. open_end: then neither end the body nor close."""

    async def answer(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for each in events:
            writer.write(chunk(each))
            await writer.drain()
            if pause:
                await asyncio.sleep(pause)
        if cut:
            writer.transport.abort() if pause else writer.close()
        elif open_end:
            await asyncio.sleep(60)
        else:
            writer.write(END)

    return answer


def fails(status: int, message: str = "", code: str | None = None, **headers: str) -> Answer:
    body = json.dumps({"error": {"message": message, "type": "some_error", "code": code}})

    async def answer(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(status, body, Content_Type="application/json", **headers))

    return answer


def each(*answers: Answer) -> Answer:
    """One answer after the other; the last one again and again."""
    left = list(answers)

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await (left.pop(0) if len(left) > 1 else left[0])(asked, writer)

    return answer


def routed(chat: Answer, models: list[str] | None) -> Answer:
    """An endpoint with a list of models beside its chat."""

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.target != "/v1/models":
            await chat(asked, writer)
        elif models is None:
            writer.write(reply(404, "{}", Content_Type="application/json"))
        else:
            listed = {"object": "list", "data": [{"id": name, "object": "model"} for name in models]}
            writer.write(reply(200, json.dumps(listed), Content_Type="application/json"))

    return answer
