"""Work of a worker that is no run: known here by a name, done by a layer above this one.

An errand is a module with `async def work(desk, id)`, which does one piece of it, and `async def sweep(desk)`, which
gives back the ids that nobody began and ends what a worker left behind. It keeps its own rows; the broker only rings.
"""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar, cast

T = TypeVar("T")

_places: dict[str, str] = {}


class Rows(Protocol):
    """The worker's database: work runs off the loop, writes in a transaction of their own."""

    async def write(self, act: Callable[[], T]) -> T: ...

    async def read(self, act: Callable[[], T]) -> T: ...


class Desk(Protocol):
    """What a worker gives its errands. stopping: the process is to end, and nothing new begins."""

    name: str
    lease_seconds: float
    stopping: bool

    @property
    def database(self) -> Rows: ...


class Errand(Protocol):
    """What a module that does errands has."""

    @staticmethod
    def work(desk: Desk, id: uuid.UUID) -> Awaitable[None]: ...

    @staticmethod
    def sweep(desk: Desk) -> Awaitable[list[uuid.UUID]]: ...


def register(name: str, module: str) -> None:
    """Say which module does the errands of this name. It is imported by the worker that does one."""
    _places[name] = module


def names() -> list[str]:
    return list(_places)


def find(name: str) -> Errand:
    """The module. Raises KeyError for a name that nobody registered."""
    return cast(Any, importlib.import_module(_places[name]))
