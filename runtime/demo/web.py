"""The little that plain ASGI needs: a request with its body read, JSON replies, and a line that can be dropped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

Json = Any
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]

JSON_TYPE = (b"content-type", b"application/json")
LARGEST = 20_000_000


class BadRequest(Exception):
    """The request cannot be read. The message is a sentence for whoever sent it."""


class HungUp(Exception):
    """The client went away before it had its answer."""


@dataclass
class Exchange:
    """One request and the line its reply goes over."""

    scope: Scope
    receive: Receive
    send: Send
    body: bytes = b""
    _gone: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def method(self) -> str:
        return self.scope["method"]

    @property
    def path(self) -> str:
        return self.scope["path"]

    @property
    def query(self) -> dict[str, str]:
        found = parse_qs(self.scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        return {name: values[-1] for name, values in found.items()}

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode("latin-1"): value.decode("latin-1") for name, value in self.scope["headers"]}

    async def read(self) -> None:
        """Read the whole body. Raises HungUp, BadRequest over 20 MB."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise HungUp
            part = message.get("body", b"")
            size += len(part)
            if size > LARGEST:
                raise BadRequest("The body is larger than 20 MB.")
            parts.append(part)
            if not message.get("more_body"):
                self.body = parts[0] if len(parts) == 1 else b"".join(parts)
                return

    def json(self) -> Json:
        """The body as JSON. Raises BadRequest."""
        try:
            return json.loads(self.body or b"null")
        except ValueError as error:
            raise BadRequest(f"The body is not JSON: {error}") from error

    async def reply(self, status: int, value: Json, headers: Headers = ()) -> None:
        await self.reply_bytes(status, json.dumps(value, ensure_ascii=False).encode(), [JSON_TYPE, *headers])

    async def reply_bytes(self, status: int, body: bytes, headers: Headers) -> None:
        await self.start(status, [*headers, (b"content-length", str(len(body)).encode())])
        await self.send({"type": "http.response.body", "body": body})

    async def start(self, status: int, headers: Headers) -> None:
        await self.send({"type": "http.response.start", "status": status, "headers": list(headers)})

    async def write(self, body: bytes, more: bool = True) -> None:
        await self.send({"type": "http.response.body", "body": body, "more_body": more})

    async def wait(self, milliseconds: float | None) -> None:
        """Wait so long, or for ever with None. Raises HungUp as soon as the client is gone."""
        if self._gone is None:
            self._gone = asyncio.create_task(self._watch())
        seconds = None if milliseconds is None else milliseconds / 1000
        done, _ = await asyncio.wait({self._gone}, timeout=seconds)
        if done:
            raise HungUp

    async def _watch(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def drop(self) -> None:
        """Close the connection where it stands: without a reply when none began, else in the middle of it."""
        self.scope["extensions"]["demo.transport"].close()
        try:
            await self.wait(None)
        except HungUp:
            return

    def close(self) -> None:
        if self._gone is not None:
            self._gone.cancel()


def text_of(content: Json) -> str:
    """The words of a chat message's content: a string, or a list of parts of which the text ones count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content if isinstance(part, Mapping) and part.get("text"))
    return ""
