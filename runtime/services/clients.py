"""The `openai` clients, kept: one per endpoint and event loop, and how they are asked.

The package builds the request, authenticates and reports errors. The stream is read by `replies`, because the
package's own chunk objects cost five times as much as everything else about a streamed word.

Importing this module imports `openai`, which takes a second and 20 MB. Others import it where they call it; the
worker does at its start.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

import httpx2
import openai

from runtime.services import failures
from runtime.services.replies import Lost, Refusal, Unreachable

if TYPE_CHECKING:
    from runtime.services.model import Endpoint

# One line a call, with the whole address in it, is what the run's own events already say better.
logging.getLogger("httpx2").setLevel(logging.WARNING)

CONNECT_SECONDS = 10.0
MOST_KEPT = 64
LONGEST_ERROR = 64_000
LONGEST_LIST = 4_000_000

_Clients = OrderedDict[tuple[str, str], openai.AsyncOpenAI]
_own: ContextVar[_Clients | None] = ContextVar("own_clients", default=None)
_kept: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Clients] = weakref.WeakKeyDictionary()


def client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    """The endpoint's client on this loop. Clients hold no state between calls but their connections."""
    clients = _own.get()
    if clients is None:
        clients = _kept.setdefault(asyncio.get_running_loop(), OrderedDict())
    place = (endpoint.base_url, endpoint.key.value if endpoint.key else "")
    found = clients.get(place)
    if found is None:
        if not endpoint.base_url.startswith(("http://", "https://")):
            raise failures.down(endpoint, "an address starts with http:// or https://")
        if not place[1].isascii() or not place[1].isprintable():
            raise failures.refused(endpoint, 401, "The key has characters that no key has.")
        try:
            found = _new(*place)
        except httpx2.InvalidURL:
            raise failures.down(endpoint, "this is no address") from None
        clients[place] = found
        while len(clients) > MOST_KEPT:
            # An older client may still be answering somewhere; it closes when that is over.
            clients.popitem(last=False)
    return found


def _new(base_url: str, key: str) -> openai.AsyncOpenAI:
    # What the package would read from its environment variables belongs to no entry here.
    unset: Any = dict.fromkeys(["OpenAI-Organization", "OpenAI-Project"], openai.omit)
    return openai.AsyncOpenAI(
        base_url=base_url,
        api_key=key,
        max_retries=0,
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        default_headers=unset,
        http_client=openai.DefaultAsyncHttpxClient(
            limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=200, keepalive_expiry=30),
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
            follow_redirects=False,
            event_hooks={"response": [_bound]},
        ),
        _enforce_credentials=False,
    )


async def _bound(response: httpx2.Response) -> None:
    """Of what says that something went wrong, and of a list of models, only so much is read.

    The package reads an error whole before anybody sees it. Streams of answers are measured as they are heard.
    """
    wrong = response.status_code >= 400
    if wrong or response.request.method == "GET":
        packed = response.headers.pop("content-encoding", "identity").strip().lower() not in ("", "identity")
        most = 0 if packed else LONGEST_ERROR if wrong else LONGEST_LIST
        response.headers.pop("content-length", None)
        response.stream = _Bounded(cast(httpx2.AsyncByteStream, response.stream), most)


class _Bounded(httpx2.AsyncByteStream):
    """The beginning of what comes; the rest is not read."""

    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream, self._left = stream, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            yield chunk[: self._left]
            self._left -= len(chunk)
            if self._left <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()


@asynccontextmanager
async def apart() -> AsyncIterator[None]:
    """Use clients of one's own inside the block, and close them after it: for loops that end with a request."""
    clients: _Clients = OrderedDict()
    token = _own.set(clients)
    try:
        yield
    finally:
        _own.reset(token)
        for each in clients.values():
            await each.close()


@asynccontextmanager
async def answer(endpoint: Endpoint, asked: dict[str, Any]) -> AsyncIterator[AsyncIterator[bytes]]:
    """The body of a chat completion as it comes. Raises Refusal, Unreachable, Lost."""
    create: Any = client(endpoint).chat.completions.with_streaming_response.create
    begun = False
    try:
        async with create(**asked, extra_headers=_signed(endpoint)) as response:
            begun = True
            yield response.http_response.aiter_bytes()
    except openai.APIStatusError as error:
        raise _refusal(error) from None
    except openai.APIConnectionError as error:
        raise _unreachable(error) from None
    except httpx2.RequestError as error:
        if begun:
            raise Lost from None
        raise _unreachable(error) from None


async def models(endpoint: Endpoint) -> bytes:
    """The body of GET /models. Raises Refusal, Unreachable."""
    try:
        async with client(endpoint).models.with_streaming_response.list(extra_headers=_signed(endpoint)) as response:
            return await response.http_response.aread()
    except openai.APIStatusError as error:
        raise _refusal(error) from None
    except (openai.APIConnectionError, httpx2.RequestError) as error:
        raise _unreachable(error) from None


def _signed(endpoint: Endpoint) -> Any:
    """Without a key the package insists on hearing, with each request, that none is meant."""
    return None if endpoint.key else {"Authorization": openai.omit}


def _refusal(error: openai.APIStatusError) -> Refusal:
    said = error.body.get("error", error.body) if isinstance(error.body, dict) else error.body
    if said is None:
        said = error.response.text[:2000]
    return Refusal(error.status_code, said, _retry_after(error.response.headers))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds the server asks to wait, if it says so as a number."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        return seconds if seconds >= 0 else None
    return None


def _unreachable(error: Exception) -> Unreachable:
    cause = error.__cause__ or error
    if isinstance(cause, httpx2.TimeoutException):
        return Unreachable(f"no connection within {CONNECT_SECONDS:g} seconds", kept=False)
    if isinstance(cause, httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return Unreachable("this is no address", kept=False)
    if isinstance(cause, httpx2.ConnectError):
        words = str(cause)
        if "CERTIFICATE" in words or "SSL" in words:
            return Unreachable("no secure connection could be made", kept=False)
        named = "Name or service" in words or "nodename" in words or "getaddrinfo" in words
        return Unreachable("there is no such host" if named else "nothing answers there", kept=False)
    return Unreachable("the connection was closed without an answer", kept=True)
