"""Errands beside runs: rung for, found by the sweeper, and one that breaks harms no other."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from runtime import errands
from runtime.engine import worker as workers
from runtime.engine.worker import Worker
from runtime.errands import Desk
from tests.runtime.engine.conftest import until


class Toy:
    """An errand's module: what was worked on, and what the sweeper gives back."""

    def __init__(self) -> None:
        self.began: list[uuid.UUID] = []
        self.ended: list[uuid.UUID] = []
        self.forgotten: list[uuid.UUID] = []
        self.broken = False
        self.gate: asyncio.Event | None = None

    async def work(self, desk: Desk, id: uuid.UUID) -> None:
        self.began.append(id)
        assert await desk.database.read(lambda: 1) == await desk.database.write(lambda: 1) == 1
        if self.broken:
            raise ValueError("The toy broke.")
        if self.gate is not None:
            await self.gate.wait()
        self.ended.append(id)

    async def sweep(self, desk: Desk) -> list[uuid.UUID]:
        if self.broken:
            raise ValueError("The toy broke.")
        found, self.forgotten = self.forgotten, []
        return found


@pytest.fixture
def toys(engine: Worker, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Toy, Toy]]:
    """Two kinds of errand, "first" and "second"."""
    toys = Toy(), Toy()
    monkeypatch.setattr(errands, "_places", {})
    for name, toy in zip(("first", "second"), toys, strict=True):
        monkeypatch.setitem(sys.modules, f"toy_{name}", SimpleNamespace(work=toy.work, sweep=toy.sweep))  # type: ignore[arg-type]
        errands.register(name, f"toy_{name}")
    yield toys
    until(lambda: not engine._errands)


def test_an_errand_is_done_once_however_often_it_is_rung_for(engine: Worker, toys: tuple[Toy, Toy]) -> None:
    toy, id = toys[0], uuid.uuid4()
    toy.gate = asyncio.Event()
    for _ in range(3):
        engine.run_errand("first", id)
    until(lambda: toy.began)
    engine._loop.call_soon_threadsafe(toy.gate.set)
    until(lambda: toy.ended == [id])
    assert toy.began == [id]


def test_what_nobody_rang_for_is_found(engine: Worker, toys: tuple[Toy, Toy]) -> None:
    id = uuid.uuid4()
    toys[1].forgotten = [id]
    engine.nudge()
    until(lambda: toys[1].ended == [id])


def test_an_errand_that_breaks_harms_no_other(engine: Worker, toys: tuple[Toy, Toy], caplog: Any) -> None:
    broken, well, id = *toys, uuid.uuid4()
    broken.broken = True
    engine.run_errand("first", uuid.uuid4())
    until(lambda: broken.began)
    well.forgotten = [id]
    engine.nudge()
    until(lambda: well.ended == [id])
    assert "The toy broke." in caplog.text


def test_one_too_many_waits_for_the_sweeper(
    engine: Worker, toys: tuple[Toy, Toy], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "MOST_ERRANDS", 2)
    toy = toys[0]
    toy.gate = asyncio.Event()
    ids = [uuid.uuid4() for _ in range(3)]
    for id in ids:
        engine.run_errand("first", id)
    until(lambda: len(toy.began) == 2)
    engine._loop.call_soon_threadsafe(toy.gate.set)
    until(lambda: len(toy.ended) == 2)
    toy.forgotten = [ids[2]]
    engine.nudge()
    until(lambda: len(toy.ended) == 3)
    # The two that work at once may end in either order.
    assert (set(toy.ended[:2]), toy.ended[2]) == (set(ids[:2]), ids[2])


def test_an_unknown_errand_is_left_alone(engine: Worker, toys: tuple[Toy, Toy]) -> None:
    id = uuid.uuid4()
    engine.run_errand("nobody's", id)
    engine.run_errand("first", id)
    until(lambda: toys[0].ended == [id])
