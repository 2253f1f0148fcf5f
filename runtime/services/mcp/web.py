"""A server at an address: the requests of the official client, with a limit on what may come back.

The address is an operator's own, so it is not judged; what its answers are is judged all the same.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpx2

from runtime.services.mcp.place import Place

LARGEST_ANSWER = 10_000_000
LARGEST_STREAM = 100_000_000
"""A stream that stays open for the whole connection carries many answers."""
CONNECT_SECONDS = 10.0


class TooLarge(httpx2.ReadError):
    """The answer was not read to its end."""


@dataclass
class Trip:
    """What the official client's words leave out of one call: the error status, and that there was too much to read."""

    status: int = 0
    too_large: bool = False


trip: ContextVar[Trip | None] = ContextVar("trip", default=None)
"""The call that is under way; the official client sends each request in the context of whoever made it."""


class Bounded(httpx2.AsyncBaseTransport):
    """Sends requests, and counts what comes back."""

    def __init__(self) -> None:
        self._network = httpx2.AsyncHTTPTransport(retries=0, trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._network.handle_async_request(request)
        mine = trip.get() or Trip()
        if response.status_code >= 400:
            mine.status = response.status_code
        packed = response.headers.get("content-encoding", "identity").strip().lower()
        if packed not in ("", "identity"):
            await response.aclose()
            raise TooLarge("It packs its answers, which was not asked for.", request=request)
        most = LARGEST_STREAM if request.method == "GET" else LARGEST_ANSWER
        stream = _Counted(response.stream, most, mine, request)
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=stream, extensions=response.extensions
        )

    async def aclose(self) -> None:
        await self._network.aclose()


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: Any, most: int, mine: Trip, request: httpx2.Request) -> None:
        self._stream, self._left, self._trip, self._request = stream, most, mine, request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._left -= len(chunk)
            if self._left < 0:
                self._trip.too_large = True
                raise TooLarge("Its answer is too large.", request=self._request)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def _client(place: Place, seconds: float, auth: Any) -> httpx2.AsyncClient:
    headers = {"accept-encoding": "identity", **{name: value.value for name, value in place.headers.items()}}
    timeout = httpx2.Timeout(seconds, connect=CONNECT_SECONDS)
    return httpx2.AsyncClient(transport=Bounded(), headers=headers, timeout=timeout, auth=auth, trust_env=False)


@asynccontextmanager
async def connect(place: Place, fresh: Any = None) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams that the official client reads and writes. fresh: what keeps a token in the headers fresh."""
    from mcp.client.sse import sse_client
    from mcp.client.streamable_http import streamable_http_client

    seconds = place.seconds + 5
    if place.transport == "sse":
        # A stream that says nothing is not dead: calls have their own time.
        def made(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
            client = _client(place, seconds, fresh)
            client.timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
            return client

        async with sse_client(place.url, timeout=CONNECT_SECONDS, httpx_client_factory=made) as streams:
            yield streams
        return
    async with (
        _client(place, seconds, fresh) as client,
        streamable_http_client(place.url, http_client=client, max_sse_event_size=LARGEST_ANSWER) as streams,
    ):
        yield streams
