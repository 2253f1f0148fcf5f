"""One parent for every process of the product: starts them in order, restarts what dies, ends them gently.

`manage.py up` prepares the database and becomes this module, which loads no Django and therefore stays small.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import TextIO

from runtime.processes import ROOT, Process, place_from, product

STOP_ORDER = ("worker", "web", "demo", "valkey")
COLOURS = {"valkey": "35", "web": "36", "worker": "33", "demo": "32"}
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
# A process that ran this long (s) had started well: its next death is a new story, told with the shortest wait.
WELL = 60.0
READY_WITHIN = 90.0
TWICE = 0.5
EARLY_DEATHS = 3

_PR_SET_PDEATHSIG = 1
# Looked up here, so that the child between fork and exec does nothing but call it.
_prctl: Callable[[int, int], int] | None = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def tie_to_parent() -> None:
    """Run in a child between fork and exec: the kernel sends it SIGTERM when its parent is gone, however it went."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


FEW_ARENAS = {"MALLOC_ARENA_MAX": "2"}
"""Each of two dozen threads would keep memory of its own, which no other gets back."""


def spawn(process: Process, environment: Mapping[str, str], output: int | TextIO | None) -> subprocess.Popen[bytes]:
    """Start a process tied to this one, out of reach of the terminal's Ctrl+C, which the parent handles for all."""
    return subprocess.Popen(  # noqa: S603 - the commands are those of runtime.processes
        process.argv,
        cwd=ROOT,
        env={**FEW_ARENAS, **environment},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=tie_to_parent,  # noqa: PLW1509 - it is one call of the kernel, without Python's locks
    )


class Supervisor:
    """Keeps the processes alive until it is told to stop. Runs in the main thread: PDEATHSIG follows threads."""

    def __init__(self, processes: list[Process], environment: Mapping[str, str], out: TextIO = sys.stdout) -> None:
        self.processes = {process.name: process for process in processes}
        self.environment = environment
        self.out = out
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.up = {process.name: asyncio.Event() for process in processes}
        self.stopping = asyncio.Event()
        self.hurry = asyncio.Event()
        self.failure = ""
        self.asked = 0.0

    async def run(self, announce: Callable[[], None]) -> int:
        """Start everything, call `announce` once all are ready, and return the exit code after the last has ended."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.stop)
        async with asyncio.TaskGroup() as group:
            keepers = {name: group.create_task(self._keep(process)) for name, process in self.processes.items()}
            watcher = group.create_task(self._announce_when_up(announce))
            await self.stopping.wait()
            watcher.cancel()
            for name in sorted(keepers, key=lambda name: STOP_ORDER.index(name) if name in STOP_ORDER else -1):
                await self._end(name)
                keepers[name].cancel()
        if self.failure:
            self.say(self.failure)
        return 1 if self.failure else 0

    def stop(self) -> None:
        """Begin to stop; asked again, stop without waiting for what is being finished."""
        if self.stopping.is_set():
            # One Ctrl+C can arrive twice: from the terminal, and passed on by make or a shell.
            if time.monotonic() - self.asked > TWICE:
                self.hurry.set()
            return
        self.asked = time.monotonic()
        self.say("Stopping: the worker finishes its current calls. Press Ctrl+C again to stop at once.")
        self.stopping.set()

    def say(self, line: str, name: str = "") -> None:
        """One line on the terminal, with the name of the process it is about."""
        label = f"{name:<6} │ " if name else ""
        if name and self.out.isatty():
            label = f"\x1b[{COLOURS.get(name, '37')}m{label}\x1b[0m"
        with contextlib.suppress(BrokenPipeError):
            print(label + line, file=self.out, flush=True)

    async def _announce_when_up(self, announce: Callable[[], None]) -> None:
        try:
            async with asyncio.timeout(READY_WITHIN):
                for event in self.up.values():
                    await event.wait()
        except TimeoutError:
            late = ", ".join(name for name, event in self.up.items() if not event.is_set())
            self._give_up(f"Not ready after {READY_WITHIN:.0f} seconds: {late}. Its lines above say why.")
            return
        announce()

    def _give_up(self, words: str) -> None:
        self.failure = words
        self.stopping.set()

    async def _keep(self, process: Process) -> None:
        """Start the process, wait for its end, start it again after a wait that grows while it keeps failing."""
        for name in process.after:
            await self.up[name].wait()
        wait, deaths = FIRST_WAIT, 0
        while True:
            began = time.monotonic()
            code = await self._live(process)
            if self.stopping.is_set():
                return
            if time.monotonic() - began > WELL:
                wait = FIRST_WAIT
            deaths += 1
            if not self.up[process.name].is_set() and deaths >= EARLY_DEATHS:
                self._give_up(
                    f"The {process.name} process ended {deaths} times while starting. Its lines above say why."
                )
                return
            self.say(f"ended ({_ending(code)}); starting it again in {wait:g} s", process.name)
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT)

    async def _live(self, process: Process) -> int:
        """One life of a process: its output, line by line, until its end. Returns the exit code, -N for a signal N."""
        read, write = os.pipe()
        child = spawn(process, self.environment, write)
        os.close(write)
        self.children[process.name] = child
        probe = asyncio.create_task(self._probe(process))
        try:
            await self._copy(read, process.name)
            await _until(lambda: child.poll() is not None)
        finally:
            probe.cancel()
        return child.returncode

    async def _copy(self, read: int, name: str) -> None:
        loop = asyncio.get_running_loop()
        lines = asyncio.StreamReader(limit=1 << 20)
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), os.fdopen(read, "rb"))
        try:
            while True:
                try:
                    line = await lines.readline()
                except ValueError:  # a line over the limit; its beginning was dropped, the rest follows
                    continue
                if not line:
                    return
                text = line.decode(errors="replace").rstrip()
                if text and not any(words in text for words in self.processes[name].no_news):
                    self.say(text, name)
        finally:
            transport.close()

    async def _probe(self, process: Process) -> None:
        while not await asyncio.to_thread(process.ready):  # noqa: ASYNC110 - nothing tells us; we have to ask
            await asyncio.sleep(0.05)
        self.up[process.name].set()

    async def _end(self, name: str) -> None:
        """SIGTERM, then SIGKILL when its time is over or somebody is in a hurry."""
        child = self.children.get(name)
        if child is None or child.poll() is not None:
            return
        child.terminate()
        late = time.monotonic() + self.processes[name].drain
        await _until(lambda: child.poll() is not None or self.hurry.is_set() or time.monotonic() > late)
        if child.poll() is None:
            self.say("did not end in time; stopped at once", name)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - a child's end has no event without a thread
        await asyncio.sleep(0.02)


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


def boxed(lines: list[str]) -> str:
    """The lines in a frame, as wide as the longest."""
    width = max(len(line) for line in lines)
    body = [f"│  {line:<{width}}  │" for line in lines]
    return "\n".join([f"╭{'─' * (width + 4)}╮", *body, f"╰{'─' * (width + 4)}╯"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--welcome-fd", type=int, help="an open file with the lines to print once all is ready")
    parser.add_argument("--no-demo", action="store_true", help="leave the demo model out")
    options = parser.parse_args()
    welcome = ""
    if options.welcome_fd is not None:
        with os.fdopen(options.welcome_fd) as source:
            welcome = source.read()
    place = place_from(os.environ)
    lines = [
        "LGStudio is ready.",
        "",
        *(welcome or f"Open\n{place.address}").splitlines(),
        "",
        "Ctrl+C stops everything.",
    ]

    async def supervise() -> int:
        supervisor = Supervisor(product(place, with_demo=not options.no_demo), place.environment())
        return await supervisor.run(lambda: print(f"\n{boxed(lines)}\n", flush=True))  # noqa: T201

    return asyncio.run(supervise())


if __name__ == "__main__":
    sys.exit(main())
