"""Requests larger than anything that is taken: kept only so far, heard to their end, and refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from studio import serving

CHUNK = b"x" * 1000


async def asked(kind: str, chunks: int) -> tuple[int, dict[str, Any], int]:
    """The status and the words of the answer, and how much of the request was left unheard."""
    left, told = [CHUNK] * chunks, list[Any]()

    async def receive() -> Any:
        return {"type": "http.request", "body": left.pop(), "more_body": bool(left)}

    async def send(message: Any) -> None:
        told.append(message)

    headers = [(b"content-type", kind.encode()), (b"host", b"testserver"), (b"content-length", b"10")]
    scope = {
        "type": "http", "method": "POST", "path": "/api/a/desk/files", "query_string": b"", "headers": headers,
    }  # fmt: skip
    await serving.Handler()(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in told[1:])
    return told[0]["status"], json.loads(body), len(left)


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=b", "application/x-www-form-urlencoded"])
async def test_what_is_too_large_is_neither_kept_nor_half_read(
    kind: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FILE_LARGEST, kept = 1 << 20, list[bytes]()
    monkeypatch.setattr(serving, "ROOM", 1 << 20)
    write = serving.Handler.read_body

    async def read_body(self: Any, receive: Any) -> Any:
        async def counted() -> Any:
            message = await receive()
            kept.append(message["body"])
            return message

        return await write(self, counted)

    monkeypatch.setattr(serving.Handler, "read_body", read_body)
    status, words, left = await asked(kind, 5000)
    assert (status, words["code"], left) == (413, "TOO_LARGE", 0) and "1 MB" in words["message"]
    assert sum(map(len, kept)) <= serving.most_bytes()
