"""One connection to one server: what it offers, and calls, each within its time and with every failure in words.

The official client lives in a task of its own: its scopes must be left where they were entered, and a run's steps are
tasks that come and go.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.services.http import NotSent, OutcomeUnclear
from runtime.services.mcp import definitions, renewed, web
from runtime.services.mcp.content import value_of
from runtime.services.mcp.definitions import Definition
from runtime.services.mcp.place import Place
from runtime.services.mcp.web import Trip
from runtime.services.secrets import mask
from runtime.storable import one_line

Json = Any
log = logging.getLogger(__name__)
# What the client logs repeats what the server sent, at length; what went wrong is said in our own words.
logging.getLogger("mcp").setLevel(logging.CRITICAL)
logging.getLogger("httpx2").setLevel(logging.WARNING)

OPEN_SECONDS = 20.0
CLOSE_SECONDS = 10.0
HANDSHAKE_SECONDS = 8.0
MOST_PAGES = 50
LONGEST_ERROR = 1_000

# JSON-RPC: what the server certainly did not carry out.
REFUSED = (-32700, -32600, -32601, -32602)
CLOSED, LATE = -32000, -32001
UNSIGNED = (401, 403)
_UNSIGNED = "refuses the sign-in (status {}). Look at its headers."


@dataclass(frozen=True)
class Answer:
    """What came of a call that reached its tool. failed: the tool itself says that it went wrong."""

    value: Json
    failed: bool


class Session:
    """Opened at its first use, closed by `close`. Belongs to one loop. place: where the server is."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._fresh = renewed.fresh(place)
        self._opening = asyncio.Lock()
        self._client: Any = None
        self._ended: asyncio.Event | None = None
        self._task: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def tools(self) -> dict[str, Definition]:
        """Everything that the server offers, by name. Raises NotSent and OutcomeUnclear."""
        trip = _trip()
        await self._renew()
        client = await self._open()
        found: list[Definition | None] = []
        cursor = None
        try:
            async with asyncio.timeout(self.place.seconds):
                for _ in range(MOST_PAGES):
                    page = await client.list_tools(cursor=cursor, cache_mode="bypass")
                    for tool in page.tools:
                        hints = tool.annotations.model_dump(by_alias=True) if tool.annotations else None
                        found.append(
                            definitions.taken(tool.name, tool.description, tool.input_schema, hints, tool.output_schema)
                        )
                    cursor = page.next_cursor
                    if not cursor or len(found) > definitions.MOST_TOOLS:
                        break
        except Exception as error:
            raise await self._in_words(error, client, trip, "did not say what it offers") from None
        return definitions.named(found)

    async def call(self, tool: str, args: Mapping[str, Json], *, wrapped: bool = False) -> Answer:
        """Call one tool by the server's own name for it.

        Raises NotSent (it certainly did nothing) and OutcomeUnclear (it may have).
        """
        trip = _trip()
        await self._renew()
        client = await self._open()
        try:
            async with asyncio.timeout(self.place.seconds):
                result = await client.call_tool(tool, dict(args), read_timeout_seconds=self.place.seconds)
        except Exception as error:
            raise await self._in_words(error, client, trip, f"gave no answer to {tool}") from None
        return Answer(value_of(result, self.place.secrets, wrapped=wrapped), bool(result.is_error))

    async def close(self) -> None:
        """End the connection, and the program where it is one."""
        if self._ended is not None:
            self._ended.set()
        for last in (False, True):
            if self._tasks:
                await asyncio.wait(list(self._tasks), timeout=CLOSE_SECONDS)
            for task in () if last else list(self._tasks):
                task.cancel()
        self._client = self._task = None
        if self._fresh is not None:
            await self._fresh.close()

    async def _renew(self) -> None:
        """Have a token that works before anything is sent. Raises NotSent, which the official client would swallow."""
        if self._fresh is not None:
            try:
                await self._fresh.token()
            except NotSent as failed:
                raise NotSent(self._says(f"was not called. {failed.message}")) from None

    async def _open(self) -> Any:
        async with self._opening:
            if self._client is not None and self._task is not None and not self._task.done():
                return self._client
            # The client takes a second to import, and the worker's other runs do not wait for that.
            await asyncio.to_thread(importlib.import_module, "mcp.client.client")
            loop = asyncio.get_running_loop()
            ready: asyncio.Future[Any] = loop.create_future()
            # Nobody may wait any more for what became of it.
            ready.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._ended = asyncio.Event()
            self._task = loop.create_task(self._serve(ready, self._ended))
            self._tasks.add(self._task)
            self._task.add_done_callback(self._tasks.discard)
            try:
                async with asyncio.timeout(OPEN_SECONDS):
                    self._client = await asyncio.shield(ready)
            except TimeoutError:
                self._task.cancel()
                raise NotSent(self._says(f"did not answer within {OPEN_SECONDS:g} seconds.")) from None
            return self._client

    async def _serve(self, ready: asyncio.Future[Any], ended: asyncio.Event) -> None:
        from mcp.client.client import Client
        from mcp_types import Implementation

        from runtime.services.mcp import stdio

        place, trip = self.place, _trip()
        transport = stdio.connect(place) if place.transport == "stdio" else web.connect(place, self._fresh)
        try:
            client = Client(
                transport, cache=None, read_timeout_seconds=HANDSHAKE_SECONDS,
                client_info=Implementation(name="LGStudio", version="1"),
            )  # fmt: skip
            async with client:
                # What a tool gave is what it gave, whether or not it is what its server had announced.
                client.session.validate_tool_result = _as_it_is  # type: ignore[method-assign]
                ready.set_result(client)
                await ended.wait()
        except asyncio.CancelledError:
            if not ready.done():
                ready.cancel()
            raise
        except BaseException as error:
            if not ready.done():
                ready.set_exception(NotSent(self._unopened(error, trip)))
            else:
                log.info("The connection to the server %s ended: %s", place.name, type(error).__name__)

    def _unopened(self, error: BaseException, trip: Trip) -> str:
        from runtime.services.mcp.stdio import NoProgram

        first = _innermost(error)
        if isinstance(first, NoProgram):
            return self._says(str(first))
        if trip.status in UNSIGNED:
            return self._says(_UNSIGNED.format(trip.status))
        if trip.too_large:
            return self._says("sends more than 10 MB in one answer.")
        if trip.status:
            return self._says(f"answers with status {trip.status}. Look at its address.")
        if self.place.transport == "stdio":
            return self._says("ended, or did not speak MCP, before it could be asked anything.")
        return self._says("does not answer, or does not speak MCP.")

    async def _in_words(self, error: Exception, client: Any, trip: Trip, what: str) -> Exception:
        """The failure as NotSent or OutcomeUnclear."""
        from mcp.shared.exceptions import MCPError

        if isinstance(error, NotSent | OutcomeUnclear):
            return error
        code = error.code if isinstance(error, MCPError) else None
        if code in REFUSED and trip.status < 500:
            return NotSent(self._says(f"refused it: {self._short(str(error))}"))
        if code is not None and trip.status in UNSIGNED:
            return NotSent(self._says(_UNSIGNED.format(trip.status)))
        if code == LATE or isinstance(error, TimeoutError):
            return OutcomeUnclear(self._says(f"{what} within {self.place.seconds:g} seconds."))
        if code is not None and code != CLOSED and not trip.too_large:
            return OutcomeUnclear(self._says(f"{what}: {self._short(str(error))}"))
        # Whatever this was, the connection is not used again; another call may have opened a new one already.
        if self._client is client:
            if self._ended is not None:
                self._ended.set()
            self._client = None
        if trip.too_large:
            return OutcomeUnclear(self._says("sent an answer of more than 10 MB, which was not read."))
        if code is not None:
            return OutcomeUnclear(self._says(f"{what}: the connection was lost."))
        log.info("A call to the server %s failed: %s", self.place.name, type(error).__name__)
        return OutcomeUnclear(self._says(f"{what} that can be read."))

    def _says(self, words: str) -> str:
        return f'The server "{self.place.name}" {words}'

    def _short(self, words: str) -> str:
        return mask(one_line(words[: 10 * LONGEST_ERROR]), self.place.secrets)[:LONGEST_ERROR]


async def _as_it_is(name: str, result: Any) -> None:
    """Stands where the official client compares a result with what was announced."""


def _trip() -> Trip:
    """Begin to note what comes of the requests that this task makes."""
    trip = Trip()
    web.trip.set(trip)
    return trip


def _innermost(error: BaseException) -> BaseException:
    """The first real failure inside groups of failures."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
