"""Ends workers as a power cut would, keeps people answering meanwhile, and counts what it did."""

from __future__ import annotations

import random
import time
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.chaos import desk, everything
from tests.support import offices
from tests.support.stack import Stack

PATIENCE = 600.0
UNFINISHED = {"held", "queued", "running", "waiting", "resumable"}


class Attack:
    """kills: how many, by where they struck. started: every run begun so far. refs: what each of them is named."""

    def __init__(self, stack: Stack, notes: Path, slug: str, seed: int = 7) -> None:
        """slug: what the runs are of. notes: what the office behind the MCP server writes."""
        self.stack, self.notes, self.slug = stack, notes, slug
        self.random = random.Random(seed)
        self.kills: Counter[str] = Counter()
        self.in_flight = 0
        self.started: list[str] = []
        self.refs: list[str] = []
        self.answered: Counter[str] = Counter()
        self.began = time.monotonic()

    @property
    def office(self) -> str:
        return f"http://127.0.0.1:{self.stack.place.demo_port}"

    def begin(self, count: int) -> None:
        """Start so many more runs."""
        refs = [f"R{uuid.uuid4().hex[:10]}" for _ in range(count)]
        if self.slug == "desk":
            texts = [desk.TEXTS[number % 2] for number in range(count)]
        else:
            texts = refs
            self.stack.demo.add(*everything.rules(refs))
        self.started += self.stack.call("tests.chaos.everything:begin", refs=texts, slug=self.slug)
        self.refs += refs

    def feed(self, most: int, at_once: int = 8) -> None:
        """Start others while few are at work: up to so many altogether, and two whenever nothing is left to do."""
        unfinished = sum(count for status, count in self.statuses().items() if status in UNFINISHED)
        if unfinished < at_once and len(self.started) < most:
            self.begin(min(at_once - unfinished, most - len(self.started)))
        elif not unfinished:
            self.begin(2)

    def statuses(self) -> dict[str, int]:
        return self.stack.call("tests.chaos.desk:statuses", runs=self.started)

    def tend(self) -> None:
        """Let people answer what waits."""
        self.answered.update(self.stack.call("tests.chaos.desk:tend", office=self.office, notes=str(self.notes)))

    def strike(self, name: str, point: str = "") -> None:
        """SIGKILL a worker now, and start it again; with a point, so that it ends itself there."""
        self.stack.kill(name)
        self.note("random")
        self.stack.start_process(name, env={"LGSTUDIO_CRASH": f"{point}:1"} if point else None, wait=False)

    def strike_at(self, name: str, point: str, feed: Callable[[], object]) -> bool:
        """SIGKILL a worker, and its next life at a named point; False when that never came there.

        feed sees to it that there is always something to work on, so only patience decides.
        """
        self.strike(name, point)
        self.stack.wait_listening_or_dead(name)
        until = time.monotonic() + PATIENCE
        while self.stack.alive(name) and time.monotonic() < until:
            feed()
            self.tend()
            time.sleep(0.05)
        came = not self.stack.alive(name)
        self.stack.kill(name)
        self.note(point if came else "random")
        self.stack.start_process(name, wait=False)
        return came

    def strike_leader(self, loop: str) -> None:
        """SIGKILL the worker that leads a loop, wait for another to lead it, and start the first again."""
        name = self._leader(loop)
        pid = self.stack.children[name].pid
        self.stack.kill(name)
        self.note(loop)
        self._leader(loop, not_before=pid)
        self.stack.start_process(name, wait=False)

    def _leader(self, loop: str, not_before: int = 0) -> str:
        """The worker that leads a loop, once one does that is alive, and is another than the process before."""
        until = time.monotonic() + PATIENCE
        while True:
            pid = self.stack.call("tests.chaos.desk:leader", loop=loop)
            for name in self.stack.workers:
                if pid != not_before and self.stack.alive(name) and self.stack.children[name].pid == pid:
                    return name
            assert time.monotonic() < until, f"Nobody leads the {loop}."
            self.tend()
            time.sleep(0.1)

    def finish(self) -> dict[str, int]:
        """Let people answer until every run has ended; the statuses. Raises AssertionError when some never do."""
        until = time.monotonic() + PATIENCE + len(self.started)
        while time.monotonic() < until:
            self.tend()
            found = self.statuses()
            if not UNFINISHED & set(found):
                return found
            time.sleep(0.1)
        raise AssertionError(f"Runs never ended: {found}\n{self.stack.log('worker')[-3000:]}")

    def keep(self, seconds: float, also: Callable[[], object] = lambda: None) -> None:
        """Let things go on for a while, people answering."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.tend()
            also()
            time.sleep(0.05)

    def note(self, where: str) -> None:
        """Count a kill that was just made."""
        self.kills[where] += 1
        print(f" {where}", end="", flush=True)
        self.count_calls()

    def count_calls(self) -> None:
        """Count the calls of models that are under way, whose answers nobody may be there to hear."""
        self.in_flight += self.stack.call("tests.chaos.desk:in_flight")

    def judge(self, planned: int, spare: int = 0) -> dict[str, int]:
        """The promises, whatever was done to the workers. Gives the figures that it prints.

        spare: how many calls of models may have begun between being counted and being cut off.
        """
        runs = len(self.started)
        books = self.stack.call("tests.chaos.desk:books", runs=self.started)
        office = self.stack.demo.writes()
        asked = len([one for one in self.stack.demo.requests() if one.get("outcome") != "refused"])
        extra = asked - books["model_calls"]
        print(
            f"\n{self.slug}: kills={sum(self.kills.values())} {dict(self.kills)} runs={runs} "
            f"done={books['statuses'].get('done', 0)} placed={office['placed']} twice={len(office['placed_twice'])} "
            f"unknown={books['outcomes_asked']} questions={books['questions']} model_calls={books['model_calls']} "
            f"extra={extra} in_flight={self.in_flight} seconds={time.monotonic() - self.began:.0f}"
        )
        assert sum(self.kills.values()) >= planned, "Fewer kills than planned"
        assert books["statuses"] == {"done": runs}, (books["statuses"], books["errors"])
        assert office["placed_twice"] == {}
        if self.slug == "everything":
            self._judge_books(office, books["answers"])
        else:
            assert office["placed"] == runs, "A write was lost, or made again"
        assert books["gaps"] == 0
        assert (books["drawn"], books["half_said"]) == ([], 0), "A page shows what is no answer"
        assert extra <= self.in_flight + len(self.kills) + spare, "More than one extra model call for a call in flight"
        return books

    def _judge_books(self, office: dict[str, list[dict[str, str]]], answers: list[str]) -> None:
        """Every write of every run stands once in the books that it belongs in; every answer tells of all of them."""
        placed = Counter(write["body"]["note"] for write in office["writes"] if write["outcome"] == "placed")
        wanted = Counter(f"{ref}/{what}" for ref in self.refs for what in everything.WRITES)
        assert placed == wanted, {"twice": placed - wanted, "lost": wanted - placed}
        noted = Counter(one["note"] for one in offices.noted(self.notes) if one["tool"] == "add_order")
        wanted = Counter(self.refs)
        assert noted == wanted, {"twice": noted - wanted, "lost": wanted - noted}
        for answer in answers:
            report, *lines, audit, results, _ = answer.split("; ")
            # Lines stand in the order of the items, whoever was faster; some are what a person said of the call.
            seen, placed_lines = lines[: everything.ITEMS], lines[everything.ITEMS :]
            assert seen == [str(number) for number in range(1, everything.ITEMS + 1)], answer
            for number, line in enumerate(placed_lines, 1):
                assert line == f"c{number}" or line.startswith("A person"), answer
            assert len(placed_lines) == everything.ITEMS and report.startswith("Did R"), answer
            assert (audit == "agent" or audit.startswith("A person")) and results == "3", answer
