"""Workers that are born by forking: what a worker imports is imported once, and each life of one begins at once.

A killed worker costs its successor seconds of imports, which say nothing about being killed. A forked one runs the
command of runtime.processes in a process group of its own, with its own environment, log and named crash points.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import runpy
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from runtime.processes import ROOT
from runtime.supervisor import tie_to_parent

PATIENCE = 60.0
IMPORTED = (
    "celery.bin.celery", "celery.apps.worker", "celery.concurrency.thread", "celery.worker.components",
    "celery.worker.consumer", "celery.worker.control", "celery.worker.loops", "celery.contrib.django.task",
    "channels_redis.pubsub", "kombu.transport.redis", "mcp.client.client", "runtime.tasks", "runtime.engine.worker",
    "runtime.engine.compile", "uvloop",
)  # fmt: skip
"""What a worker imports when it starts and when it works on its first run."""


class Child:
    """A forked process, as far as a test needs one: the same words as subprocess.Popen."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._end = os.pidfd_open(pid)
        self._ended = False

    def poll(self) -> int | None:
        return 0 if self._is_over(0) else None

    def wait(self, timeout: float | None = None) -> int:
        if not self._is_over(timeout):
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return 0

    def terminate(self) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def _is_over(self, timeout: float | None) -> bool:
        if not self._ended and select.select([self._end], [], [], timeout)[0]:
            self._ended = True
            os.close(self._end)
        return self._ended


class Nursery:
    """The test's end: a process that has a worker's imports, and forks."""

    def __init__(self, environment: Mapping[str, str], log: IO[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.nursery"], cwd=ROOT, env=dict(environment), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=log, text=True, preexec_fn=tie_to_parent,
        )  # fmt: skip

    def born(self, argv: Sequence[str], environment: Mapping[str, str], log: Path) -> Child:
        """Run `python -m …` in a fork. Raises AssertionError when the nursery is gone."""
        assert self._process.stdin and self._process.stdout
        asked = {"argv": [*argv], "environment": dict(environment), "log": str(log)}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"The nursery ended with code {self._process.wait()}; see nursery.log."
        return Child(json.loads(line)["pid"])

    def close(self) -> None:
        """End it; what it bore has ended before."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()


def _live(asked: Mapping[str, Any]) -> None:
    """In the fork: become what the command says, and never return."""
    os.setpgid(0, 0)
    tie_to_parent()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with open(os.devnull) as nothing, open(asked["log"], "a") as log:
        os.dup2(nothing.fileno(), 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", 1), open(2, "w", 1)  # noqa: SIM115 - for its whole life
    os.environ.clear()
    os.environ.update(asked["environment"])
    random.seed()
    from runtime import crash

    importlib.reload(crash)
    _, flag, module, *rest = asked["argv"]
    assert flag == "-m"
    sys.argv = [module, *rest]
    code = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def main() -> None:
    import django

    replies, sys.stdout = sys.stdout, sys.stderr
    django.setup()
    for name in IMPORTED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them here: the kernel forgets them at once
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if not pid:
            _live(asked)
        with contextlib.suppress(
            OSError
        ):  # whichever of the two comes first: who hears of it may end its group at once
            os.setpgid(pid, pid)
        print(json.dumps({"pid": pid}), file=replies, flush=True)


if __name__ == "__main__":
    main()
