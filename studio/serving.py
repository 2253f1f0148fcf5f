"""HTTP requests in threads that live as long as the process, so that each keeps its database connection.

Django's own handler gives every request a thread of its own, with a new connection to the database and to whatever
else is kept by thread, and walks back and forth between that thread and the event loop. Here a request makes one hop:
from the loop into a thread, where everything of it happens, and back with a finished answer.
"""

from __future__ import annotations

import asyncio
import contextvars
import io
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, cast

from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted, RequestDataTooBig
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.http import HttpResponse
from django.urls import set_script_prefix

from runtime import bell

# Requests at once; the others wait. Requests that wait for a model or another server count among them.
THREADS = 24
ROOM = 10 << 20

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def most_bytes() -> int:
    """So much of a request is kept. A file that is only somewhat too large comes whole, and is refused by its name."""
    return 2 * max(settings.FILE_LARGEST, ROOM)


class BodyTooBig(RequestDataTooBig):
    """A request was larger than any that is taken. most: in bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.most = settings.FILE_LARGEST


class _Refused(io.BytesIO):
    """Stands for a body that was too large, to whoever begins to read it."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise BodyTooBig

    readline = read


class _Counted:
    """What a request brings, as far as it is kept; the rest is heard out, so that its sender hears the answer."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._bytes = receive, 0

    @property
    def too_big(self) -> bool:
        return self._bytes > most_bytes()

    async def __call__(self) -> Any:
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        return {**message, "body": b""} if self.too_big else message


class Streamed(HttpResponse, ABC):
    """An answer whose body comes piece by piece, on the event loop, for as long as somebody listens."""

    @abstractmethod
    def chunks(self) -> AsyncIterator[bytes]:
        """The body, from its first piece to its last."""


class Handler(ASGIHandler):
    """Django's handler, with its middleware and views in threads of ours. Answers are whole, but for Streamed ones.

    A request whose sender went away before its turn is dropped; one that has begun runs to its end.
    """

    def __init__(self) -> None:
        # Past ASGIHandler's own, which would load the middleware for the event loop.
        BaseHandler.__init__(self)
        self.load_middleware()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        counted = _Counted(receive)
        try:
            body: IO[bytes] = await self.read_body(counted)
        except RequestAborted:
            return
        if counted.too_big:
            body.close()
            body = _Refused()
        # What one request sets, like its workspace, ends with it: the context is its own, whoever had the thread.
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        context.run(bell.ring_on, loop)
        response = await loop.run_in_executor(self._threads, lambda: context.run(self._answer, scope, body))
        if isinstance(response, Streamed) and scope["method"] != "HEAD":
            await _stream(response, receive, send)
        else:
            await self.send_response(response, send)

    def _answer(self, scope: Any, body: IO[bytes]) -> HttpResponse:
        """The finished answer. The signals before and after it close connections that are stale or too old."""
        set_script_prefix(settings.FORCE_SCRIPT_NAME or scope.get("root_path", ""))
        signals.request_started.send(sender=self.__class__, scope=scope)
        try:
            request, refused = self.create_request(scope, body)
            response: Any = self.get_response(request) if request is not None else refused
            response._handler_class = self.__class__
            whole = _whole(response) if response.streaming else response
            response.close()
            return whole
        finally:
            body.close()


async def _stream(response: Streamed, receive: Receive, send: Send) -> None:
    # What stands in it so far is empty; how long it becomes nobody knows.
    told = {name: value for name, value in response.items() if name.lower() != "content-length"}
    headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in told.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    gone = asyncio.create_task(_gone(receive))
    pieces = response.chunks()
    try:
        while True:
            piece = asyncio.ensure_future(anext(pieces, None))
            await asyncio.wait({piece, gone}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                piece.cancel()
                await asyncio.gather(piece, return_exceptions=True)
                return
            body = piece.result()
            await send({"type": "http.response.body", "body": body or b"", "more_body": body is not None})
            if body is None:
                return
    finally:
        gone.cancel()
        await cast(AsyncGenerator[bytes], pieces).aclose()


async def _gone(receive: Receive) -> None:
    """Returns when whoever asked has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _whole(response: Any) -> HttpResponse:
    """A file's answer with its bytes read, which is work for a thread too."""
    whole = HttpResponse(b"".join(response), status=response.status_code)
    whole.headers = response.headers
    whole.cookies = response.cookies
    return whole
