"""The whole product as processes of a test: Valkey, Daphne, workers, demo model, on free ports, in its own folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from runtime import processes
from runtime.demo.testing import Scripted
from runtime.processes import ROOT, Place, Process, has_listener
from runtime.supervisor import spawn
from tests.support.desk import Desk
from tests.support.nursery import Child, Nursery

if TYPE_CHECKING:
    from playwright.sync_api import Page

READY_WITHIN = 120.0


class Stack:
    """A running product. Names of processes: valkey, web, demo, worker, worker-2 …"""

    def __init__(
        self, folder: Path, *, workers: int = 1, env: Mapping[str, str] | None = None, people: bool = True,
        forked: bool = False,
    ) -> None:  # fmt: skip
        """forked: workers are born by a nursery, for tests that end many of them."""
        port, demo_port = free_ports(2)
        self.folder = folder
        self.place = Place(var=folder, port=port, demo_port=demo_port)
        self.workers = [f"worker-{number}" if number > 1 else "worker" for number in range(1, workers + 1)]
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name not in ("PUBLIC_URL", "DEMO_URL", "SECRET_KEY", "REDIS_URL") and not name.startswith("PYTEST")
        }
        self.env = {**self.place.environment(inherited), **(env or {})}
        self.children: dict[str, subprocess.Popen[bytes] | Child] = {}
        self.is_forked = forked
        self.has_people = people
        self.people: dict[str, dict[str, str]] = {}
        # Set by the browser fixtures: opens a page with the given cookies and watches its console.
        self.open: Callable[..., Page] | None = None

    @property
    def url(self) -> str:
        """The address of the web server, without a closing slash."""
        return self.place.address

    @property
    def demo(self) -> Scripted:
        """The demo model's server, which also plays the back office: what it was asked, how it should misbehave."""
        return Scripted(port=self.place.demo_port)

    # Life

    def start(self) -> None:
        """Start everything and return once it serves; the people of every role exist then, if wanted."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.start_process("valkey")
        migrated(self.folder, self.env)
        self.desk = Desk(self.env, (self.folder / "desk.log").open("w"))
        if self.is_forked:
            self.nursery = Nursery(self.env, (self.folder / "nursery.log").open("w"))
        names = ["web", "demo", *self.workers]
        for name in names:
            self.start_process(name, wait=False)
        if self.has_people:
            self.people = self.call("tests.support.seed:people")
        for name in names:
            self.wait_ready(name)

    def close(self) -> None:
        """End everything. What needs nothing of another is told at once and waited for after."""
        for name in [*self.workers, "web", "demo"]:
            if self.alive(name):
                self.children[name].terminate()
        if hasattr(self, "desk"):
            self.desk.close()
        for name in [*self.workers, "web", "demo", "valkey"]:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.stop(name, within=10)
            self.kill(name)
        if hasattr(self, "nursery"):
            self.nursery.close()

    # One process

    def process(self, name: str) -> Process:
        make = {"valkey": processes.valkey, "web": processes.web, "demo": processes.demo}
        return make.get(name, processes.worker)(self.place)

    def start_process(self, name: str, *, env: Mapping[str, str] | None = None, wait: bool = True) -> None:
        """Start a process that is not running, with extra variables for this life of it."""
        process, file, environment = self.process(name), self.folder / f"{name}.log", {**self.env, **(env or {})}
        extra = {"demo": ["--control"]}.get(name, ["-n", f"{name}@test"] if name in self.workers else [])
        argv = [*process.argv, *extra]
        if name in self.workers and self.is_forked:
            self.children[name] = self.nursery.born(argv, environment, file)
        else:
            with file.open("a") as log:
                self.children[name] = spawn(Process(process.name, argv, process.ready), environment, log)
        if wait:
            self.wait_ready(name)

    def wait_ready(self, name: str) -> None:
        """Return once the process serves. Raises AssertionError with the end of its log."""
        process, child = self.process(name), self.children[name]
        if name in self.workers:
            # One listener would do for the supervisor; here it could be another worker's.
            process = replace(process, ready=lambda: has_listener(self.place.broker, self._workers_alive()))
        until = time.monotonic() + READY_WITHIN
        while not process.ready():
            if child.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"{name} did not become ready:\n{self.log(name)[-4000:]}")
            time.sleep(0.05)

    def stop(self, name: str, *, within: float = 45.0) -> int:
        """SIGTERM, and wait for the end. Returns the exit code; raises TimeoutExpired when it does not end."""
        child = self.children.get(name)
        if child is None:
            return 0
        if child.poll() is None:
            child.terminate()
        return child.wait(within)

    def kill(self, name: str) -> None:
        """SIGKILL the process and everything it started."""
        child = self.children.pop(name, None)
        if child is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def alive(self, name: str) -> bool:
        child = self.children.get(name)
        return child is not None and child.poll() is None

    def wait_listening_or_dead(self, name: str) -> None:
        """Return once a worker takes work, or has ended, as one that is told to end at some point may."""
        until = time.monotonic() + READY_WITHIN
        while self.alive(name) and not has_listener(self.place.broker, self._workers_alive()):
            assert time.monotonic() < until, f"{name} takes no work:\n{self.log(name)[-4000:]}"
            time.sleep(0.05)

    def _workers_alive(self) -> int:
        return sum(self.alive(name) for name in self.workers)

    def log(self, name: str) -> str:
        """What the process has printed so far."""
        file = self.folder / f"{name}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    # What tests do with it

    def call(self, name: str, **arguments: Any) -> Any:
        """Run `module:function` inside the product (its Django, its database); arguments and result are JSON."""
        return self.desk.call(name, **arguments)

    def cookies(self, role: str) -> dict[str, str]:
        """The cookies of a signed-in person of that role, for any HTTP or WebSocket client."""
        return {"sessionid": self.people[role]["session"]}

    def signed_in_page(self, role: str, path: str = "/", **options: Any) -> Page:
        """A page in a browser of its own, signed in as the person of that role."""
        assert self.open is not None, "signed_in_page needs the browser fixtures of tests/e2e"
        return self.open(self.url, path, cookies=self.cookies(role), **options)

    def visitor_page(self, path: str = "/", **options: Any) -> Page:
        """A page in a browser of its own, signed in as nobody."""
        assert self.open is not None, "visitor_page needs the browser fixtures of tests/e2e"
        return self.open(self.url, path, cookies={}, **options)


def migrated(folder: Path, env: Mapping[str, str]) -> None:
    """Make the database of a stack. A SQLite file is made once for all stacks with the same migrations, and copied:
    migrating takes longer than many a test."""
    command = [sys.executable, "manage.py", "migrate", "-v", "0"]
    if env.get("DATABASE_URL"):
        subprocess.run(command, cwd=ROOT, env=env, check=True)
        return
    made = Path(tempfile.gettempdir()) / f"lgstudio-migrated-{os.getuid()}-{_migrations()}.sqlite3"
    if not made.exists():
        with tempfile.TemporaryDirectory(prefix="lgstudio-migrating-") as own:
            subprocess.run(command, cwd=ROOT, env={**env, "LGSTUDIO_VAR": own}, check=True)
            with contextlib.closing(sqlite3.connect(Path(own) / "lgstudio.sqlite3")) as whole:
                whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            # A name of its own first: whoever looks meanwhile finds no half of a file.
            part = made.with_suffix(f".{secrets.token_hex(4)}")
            shutil.copyfile(Path(own) / "lgstudio.sqlite3", part)
            part.replace(made)
    shutil.copyfile(made, folder / "lgstudio.sqlite3")


def _migrations() -> str:
    """A digest of everything that a new database follows from."""
    digest = hashlib.sha256()
    for file in sorted([*ROOT.glob("*/migrations/*.py"), *ROOT.glob("*/models.py"), *ROOT.glob("runtime/models/*.py"),
                        ROOT / "studio/settings.py", *ROOT.glob("requirements.lock")]):  # fmt: skip
        digest.update(file.read_bytes())
    return digest.hexdigest()[:20]


@contextlib.contextmanager
def running(
    *, workers: int = 1, env: Mapping[str, str] | None = None, people: bool = True, forked: bool = False
) -> Iterator[Stack]:
    """A started product that ends with the block. On the server of DATABASE_URL, in a database of its own."""
    folder = Path(tempfile.mkdtemp(prefix="lgstudio-stack-"))
    with a_database() as url:
        stack = Stack(
            folder, workers=workers, people=people, forked=forked,
            env={**({"DATABASE_URL": url} if url else {}), **(env or {})},
        )  # fmt: skip
        try:
            stack.start()
            yield stack
        finally:
            stack.close()
            if os.environ.get("KEEP_STACK"):
                print(f"kept {folder}")
            else:
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def a_database() -> Iterator[str]:
    """A new database beside the one DATABASE_URL names; empty when none is named, which means SQLite."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        yield ""
        return
    import psycopg

    name = f"stack_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')  # pyright: ignore[reportArgumentType]
        try:
            yield urlsplit(url)._replace(path=f"/{name}").geturl()
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')  # pyright: ignore[reportArgumentType]


def free_ports(count: int) -> list[int]:
    """Ports nothing listens on right now, each once."""
    held = [socket.socket() for _ in range(count)]
    try:
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()
