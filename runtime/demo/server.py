"""Start the scripted server: `python -m runtime.demo.server --port 8421`.

It prints one line, {"port": N}, once it answers. With --parent it ends when that process ends, however it ends.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from runtime.demo.app import App
from runtime.demo.chat import Model, Settings
from runtime.demo.control import Control
from runtime.demo.ledger import Ledger
from runtime.demo.office import Office
from runtime.demo.script import FOLDER, Book, ScriptRefused

PORT = 8421
PR_SET_PDEATHSIG = 1


class Protocol(HttpToolsProtocol):
    """uvicorn's own, with the line itself in the scope: dropping it must look like a network fault, not a reply."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {"demo.transport": self.transport}  # type: ignore[typeddict-item]


class Server(uvicorn.Server):
    """Says on which port it answers, and leaves when its parent is gone."""

    def __init__(self, config: uvicorn.Config, parent: int | None) -> None:
        super().__init__(config)
        self.parent = parent

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self.parent is not None:
            self._follow(self.parent)
        await super().startup(sockets)
        assert sockets
        sys.stdout.write(json.dumps({"port": sockets[0].getsockname()[1]}) + "\n")
        sys.stdout.flush()

    def _follow(self, parent: int) -> None:
        # The kernel signals when the *thread* that started us ends, so the signal only asks: is the process gone?
        def look() -> None:
            if os.getppid() != parent:
                os._exit(0)

        if sys.platform == "linux":
            asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, look)
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGUSR1)
        look()


def build(scripts: Sequence[Path] = (), office_file: Path | None = None, control: bool = False, **settings: Any) -> App:
    """The application with the example flows' scripts and these. Raises ScriptRefused."""
    book = Book()
    for path in (*scripts, *sorted(FOLDER.glob("*.json"))):
        book.load(path)
    model, office = Model(book, Settings(**settings)), Office(Ledger(office_file))
    return App(model, office, Control(model, office) if control else None)


def listen(host: str, port: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    opened.bind((host, port))
    opened.listen(2048)
    return opened


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m runtime.demo.server", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=PORT, help="0 takes a free one")
    parser.add_argument("--script", type=Path, action="append", default=[], help="a script file, before the examples'")
    parser.add_argument("--office-file", type=Path, help="keep the back office's orders here")
    parser.add_argument("--key", help="the bearer key that /v1 wants; without it, none")
    parser.add_argument("--speed", type=float, default=1.0, help="delays are divided by this; 0 leaves them out")
    parser.add_argument(
        "--control", action="store_true", help="serve /control/*, and keep what the model was asked, for tests"
    )
    parser.add_argument("--parent", type=int, help="end when this process, which started the server, ends")
    given = parser.parse_args(arguments)
    try:
        app = build(
            given.script, given.office_file, given.control, key=given.key, speed=given.speed, record=given.control
        )
        opened = listen(given.host, given.port)
    except ScriptRefused as refused:
        sys.stderr.write(f"{refused}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"Cannot listen on {given.host}:{given.port}: {error.strerror}. Choose another --port.\n")
        return 1
    config = uvicorn.Config(
        app,  # pyright: ignore[reportArgumentType]
        http=Protocol,
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        log_level="critical",
        timeout_graceful_shutdown=1,
        date_header=False,
        server_header=False,
    )
    Server(config, given.parent).run(sockets=[opened])
    return 0


if __name__ == "__main__":
    sys.exit(main())
