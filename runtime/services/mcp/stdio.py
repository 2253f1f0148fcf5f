"""A server as a program of this machine: started with exactly the words of the operator's file, spoken to line by line.

The official client's own way of starting one reads a line of any length; a program that never ends its line would
fill the worker's memory. It lives no longer than the worker, and knows nothing of its environment.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from runtime.services.mcp.place import Place
from runtime.supervisor import tie_to_parent

if TYPE_CHECKING:
    from asyncio.subprocess import Process

log = logging.getLogger(__name__)

LONGEST_LINE = 10_000_000
MOST_UNREADABLE = 100
GRACE_SECONDS = 2.0
PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ")


class NoProgram(Exception):
    """The program did not start. The message completes "The server … "."""


@asynccontextmanager
async def connect(place: Place) -> AsyncIterator[tuple[Any, Any]]:
    """Start the program; gives the two streams that the official client reads and writes. Raises NoProgram."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    with tempfile.TemporaryDirectory(prefix="lgstudio-mcp-", ignore_cleanup_errors=True) as folder:
        process = await _start(place, folder)
        heard, reading = anyio.create_memory_object_stream[Any](0)
        writing, said = anyio.create_memory_object_stream[Any](0)

        async def listen() -> None:
            assert process.stdout is not None
            unreadable = 0
            async with heard:
                while unreadable < MOST_UNREADABLE:
                    try:
                        line = await process.stdout.readuntil(b"\n")
                    except asyncio.LimitOverrunError:
                        log.warning("The server %s wrote a line of more than %d bytes", place.name, LONGEST_LINE)
                        return
                    except (asyncio.IncompleteReadError, ConnectionError):
                        return
                    if not line.strip():
                        continue
                    try:
                        message = SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
                    except ValueError:
                        # Some programs greet their operator before they speak the protocol.
                        unreadable += 1
                        continue
                    try:
                        await heard.send(message)
                    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                        return

        async def speak() -> None:
            assert process.stdin is not None
            async with said:
                async for message in said:
                    words = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    process.stdin.write(words.encode() + b"\n")
                    try:
                        await process.stdin.drain()
                    except ConnectionError:
                        await heard.aclose()
                        return

        async with anyio.create_task_group() as group:
            group.start_soon(listen)
            group.start_soon(speak)
            try:
                yield reading, writing
            finally:
                group.cancel_scope.cancel()
                with anyio.CancelScope(shield=True):
                    await _end(process)
                    for stream in (reading, writing, heard, said):
                        await stream.aclose()


async def _start(place: Place, folder: str) -> Process:
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment |= {"HOME": folder, "TMPDIR": folder, **{name: value.value for name, value in place.env.items()}}
    try:
        return await asyncio.create_subprocess_exec(
            *place.argv, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, env=environment, cwd=folder, limit=LONGEST_LINE,
            start_new_session=True, preexec_fn=tie_to_parent,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) else str(error)
        raise NoProgram(f"did not start: {words}.") from None


async def _end(process: Process) -> None:
    """Close its input, wait a moment, and end whatever of its group is left."""
    try:
        if process.stdin is not None:
            process.stdin.close()
        await _within(_left(process))
        for number in (signal.SIGTERM, signal.SIGKILL):
            _signal(process, number)
            if process.returncode is None:
                await _within(process.wait())
    finally:
        _signal(process, signal.SIGKILL)
        # A program of its own making may still hold the pipe; nobody reads it any more.
        transport: Any = getattr(process, "_transport", None)
        if transport is not None:
            transport.close()


def _signal(process: Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


async def _within(work: Awaitable[object]) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(work, GRACE_SECONDS)


async def _left(process: Process) -> None:
    """Read what it still writes, so that it can end, until it has."""
    while process.stdout is not None and await process.stdout.read(65_536):
        pass
    await process.wait()
