"""Real MCP servers for tests of flows: the office in a process of its own, connected as operators do it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync

from runtime.models import Deployment, McpLink, McpServer, McpTool
from runtime.processes import ROOT
from runtime.services import places
from runtime.services.mcp.place import COMMANDS
from runtime.services.mcp.session import Session

OFFICE = [sys.executable, "-m", "tests.support.mcp_office"]


@contextmanager
def office(transport: str, notes: str = "", port: int = 0, **environment: str) -> Iterator[str]:
    """The office over HTTP, in a process of its own; its address."""
    command = [*OFFICE, transport, "--port", str(port), *(["--notes", notes] if notes else [])]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=nowhere, env={**os.environ, **environment})
    assert process.stdout is not None
    try:
        found = json.loads(process.stdout.readline())["port"]
        yield f"http://127.0.0.1:{found}/{'mcp' if transport == 'http' else 'sse'}"
    finally:
        process.kill()
        process.wait()


def program(folder: Path, monkeypatch: Any, *more: str) -> McpServer:
    """The office as a program of the installation's file of commands."""
    file = folder / "commands.json"
    file.write_text(json.dumps({"office": {"argv": [*OFFICE, "stdio", *more], "env": ["PYTHONPATH"]}}))
    monkeypatch.setenv(COMMANDS, str(file))
    cipher = places.seal({"PYTHONPATH": str(ROOT)})
    return McpServer.objects.create(name="Office", transport="stdio", command="office", cipher=cipher, seconds=5)


def at(url: str, **fields: Any) -> McpServer:
    """The office at an address."""
    transport = "sse" if url.endswith("/sse") else "http"
    return McpServer.objects.create(name="Office", transport=transport, url=url, seconds=5, **fields)


def look(server: McpServer) -> None:
    """As an operator looks at what a server offers."""

    async def ask() -> Any:
        session = Session(places.place_of(server))
        try:
            return await session.tools()
        finally:
            await session.close()

    places.look_at(server, async_to_sync(ask)())


def connect(deployment: Deployment, server: McpServer, name: str = "office", **effects: str) -> McpLink:
    """Look at the server and connect it to the deployment; effects: tool=what an operator says that it does."""
    look(server)
    places.connect(deployment.id, name, server, "Olga")
    for tool, effect in effects.items():
        McpTool.objects.filter(link__deployment=deployment, name=tool).update(effect=effect)
    return McpLink.objects.get(deployment=deployment, name=name)


def noted(path: Path) -> list[Any]:
    """What the office's tools were called with."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
