"""Ends workers as a power cut would, keeps people answering meanwhile, and counts what it did."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable

from tests.support.stack import Stack

PATIENCE = 180.0
UNFINISHED = {"held", "queued", "running", "waiting", "resumable"}


class Attack:
    """kills: how many, by where they struck. started: every run begun so far."""

    def __init__(self, stack: Stack, seed: int, flow: str = "tests.chaos.desk") -> None:
        """flow: the module that begins the runs."""
        self.stack = stack
        self.flow = flow
        self.random = random.Random(seed)
        self.kills: Counter[str] = Counter()
        self.in_flight = 0
        self.started: list[str] = []
        self.answered: Counter[str] = Counter()

    @property
    def office(self) -> str:
        return f"http://127.0.0.1:{self.stack.place.demo_port}"

    def begin(self, count: int) -> None:
        """Start so many more orders."""
        self.started += self.stack.call(f"{self.flow}:begin", count=count)

    def feed(self) -> None:
        """Start another order when there is nothing left to work on."""
        if not UNFINISHED & set(self.stack.call("tests.chaos.desk:statuses")):
            self.begin(2)

    def tend(self) -> None:
        """Let people answer what waits."""
        self.answered.update(self.stack.call("tests.chaos.desk:tend", office=self.office))

    def strike(self, name: str) -> None:
        """SIGKILL a worker now, and start it again."""
        self.stack.kill(name)
        self._note("random")
        self.stack.start_process(name, wait=False)

    def strike_at(self, name: str, point: str) -> bool:
        """Start the worker anew so that it ends itself at a named point; False when it never came there.

        There is always an order to work on, so only patience decides.
        """
        self.stack.kill(name)
        self.stack.start_process(name, env={"LGSTUDIO_CRASH": f"{point}:1"}, wait=False)
        self.stack.wait_listening_or_dead(name)  # starting up takes none of the time it has
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if not self.stack.alive(name):
                self.stack.kill(name)
                self._note(point)
                self.stack.start_process(name, wait=False)
                return True
            self.feed()
            self.tend()
            time.sleep(0.1)
        self.stack.kill(name)
        self.stack.start_process(name, wait=False)
        return False

    def finish(self) -> dict[str, int]:
        """Let people answer until every run has ended; the statuses. Raises AssertionError when some never do."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            self.tend()
            found = self.stack.call("tests.chaos.desk:statuses")
            if not UNFINISHED & set(found):
                return found
            time.sleep(0.2)
        raise AssertionError(f"Runs never ended: {found}\n{self.stack.log('worker')[-3000:]}")

    def keep(self, seconds: float, also: Callable[[], object] = lambda: None) -> None:
        """Let things go on for a while, people answering."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.tend()
            also()
            time.sleep(0.1)

    def _note(self, where: str) -> None:
        self.kills[where] += 1
        self.in_flight += self.stack.call("tests.chaos.desk:in_flight")
