"""The process that runs tests, from outside: started when it is needed, given a job, and read line by line."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import IO

from runtime.processes import ROOT
from runtime.testing.job import Job, Told
from runtime.testing.results import TestResult

KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "VIRTUAL_ENV", "PYTHONPATH")
"""What of the environment it is given. No address of a database or a broker and no key is among it."""
POLL_SECONDS = 0.2
PATIENCE = 5.0
"""So long it may take to end."""
SILENT_SECONDS = 150.0
"""A process that says nothing for so long hangs: no single test may take nearly that long."""


class ProcessFailed(Exception):
    """The tests did not run to their end. The message is a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Process:
    """One process; it does one job after another."""

    def __init__(self) -> None:
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self._child = subprocess.Popen(
            [sys.executable, "-m", "runtime.testing"],
            cwd=ROOT, env={**environment, "PYTHONUNBUFFERED": "1"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._log,
        )  # fmt: skip
        self._read = b""

    @property
    def alive(self) -> bool:
        return self._child.poll() is None

    def run(self, job: Job, stop: Callable[[], bool] = lambda: False) -> Iterator[TestResult]:
        """Do a job; gives each result as it comes. Raises ProcessFailed, after which the process is of no more use.

        stop: whether nobody wants the rest; asked now and then.
        """
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(job.model_dump_json().encode() + b"\n")
            self._child.stdin.flush()
        except OSError:
            raise self._ended() from None
        while True:
            told = Told.model_validate_json(self._line(stop))
            if told.result is not None:
                yield told.result
            if told.fault:
                raise ProcessFailed(told.fault)
            if told.done:
                return

    def _line(self, stop: Callable[[], bool]) -> bytes:
        assert self._child.stdout is not None
        last = time.monotonic()
        while b"\n" not in self._read:
            ready, _, _ = select.select([self._child.stdout], [], [], POLL_SECONDS)
            if ready:
                piece = os.read(self._child.stdout.fileno(), 1 << 16)
                if not piece:
                    raise self._ended()
                self._read += piece
                last = time.monotonic()
            elif stop():
                raise ProcessFailed("The tests were stopped.")
            elif time.monotonic() - last > SILENT_SECONDS:
                raise ProcessFailed(f"The tests said nothing for {SILENT_SECONDS:g} seconds, so they were ended.")
        line, _, self._read = self._read.partition(b"\n")
        return line

    def _ended(self) -> ProcessFailed:
        self._child.wait()
        self._log.seek(0)
        words = self._log.read()[-4_000:].decode(errors="replace").strip().splitlines()
        last = f" It said: {words[-1]}" if words else ""
        return ProcessFailed(f"The process that runs tests ended with code {self._child.returncode}.{last}")

    def close(self) -> None:
        """End the process; its database goes with it."""
        if self._child.stdin is not None:
            with contextlib.suppress(OSError):
                self._child.stdin.close()
        try:
            self._child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        if self._child.stdout is not None:
            self._child.stdout.close()
        self._log.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
