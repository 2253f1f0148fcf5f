"""The start-up check: a unit that tries to get out. Where any attempt works, no code runs on this machine."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from typing import TYPE_CHECKING

from flows.kinds.base import Json
from runtime.units.faults import CodeError, SandboxUnavailable, ServiceFailed

if TYPE_CHECKING:
    from runtime.units.sandbox import Lease

_ATTEMPTS = """
from asyncio import base_events

async def probe(args, *, services, settings, env):
    os, socket = base_events.os, base_events.socket
    reach = []

    def run_a_program():
        # A name that is not there: only a refusal keeps the error from being this one.
        try:
            os.execv("/none", ["none"])
        except FileNotFoundError:
            pass

    def attempt(words, act):
        try:
            act()
        except OSError:
            return
        reach.append(words)

    attempt("read a file of this machine", lambda: os.open(args["file"], os.O_RDONLY))
    attempt("list the root folder", lambda: os.listdir("/"))
    attempt("write a file", lambda: os.open("/tmp/probe", os.O_WRONLY | os.O_CREAT))
    attempt("open a network connection", lambda: socket.create_connection(("127.0.0.1", args["port"]), 1))
    attempt("make a socket", lambda: socket.socket())
    attempt("start a process", lambda: os.fork() or os._exit(0))
    attempt("run a program", run_a_program)
    attempt("signal another process", lambda: os.kill(os.getppid(), 0))
    if args["name"] in os.environ or len(os.environ) > 8:
        reach.append("see the worker's environment")
    return reach
"""


async def probe(lease: Lease) -> None:
    """Raises SandboxUnavailable naming what code could reach."""
    canary = "LGSTUDIO_SANDBOX_CANARY"
    os.environ[canary] = "set"
    try:
        with tempfile.NamedTemporaryFile() as file, socket.create_server(("127.0.0.1", 0)) as server:
            given: Json = {"file": file.name, "port": server.getsockname()[1], "name": canary}
            await lease.load({"tool:probe": _ATTEMPTS})
            reach = await asyncio.wait_for(
                lease.call("tool:probe", given, settings={}, env=[], seed="probe", clock=0.0, services=_none), 15
            )
    except (CodeError, TimeoutError) as error:
        raise SandboxUnavailable(f"The sandbox's own check did not finish, so no code is run: {error}") from None
    finally:
        del os.environ[canary]
    if reach:
        raise SandboxUnavailable(f"Code in the sandbox could {', '.join(reach)}, so no code is run on this machine.")


async def _none(name: str, args: Json) -> Json:
    raise ServiceFailed(f"The check offers no service {name}.")
