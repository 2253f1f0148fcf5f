"""A product with several workers, which the tests of a module share, and what each test attacks it with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.chaos.attack import Attack
from tests.support import offices
from tests.support.stack import Stack, running

WORKERS = int(os.environ.get("CHAOS_WORKERS", "2"))
HURRY = {"LEASE_SECONDS": "2", "SWEEP_SECONDS": "0.5", "LOST_AFTER": "50"}

Attacks = Callable[[str], Attack]


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the office behind the MCP server notes what it is asked."""
    return tmp_path_factory.mktemp("office") / "notes"


@pytest.fixture(scope="module")
def database() -> str:
    """The DATABASE_URL of the module's product; empty for SQLite. A module may say otherwise."""
    return ""


@pytest.fixture(scope="module")
def product(notes: Path, database: str) -> Iterator[Stack]:
    """What the tests of a module share: everything is live in it."""
    env = {**HURRY, **({"DATABASE_URL": database} if database else {})}
    with running(workers=WORKERS, env=env, forked=True) as stack, offices.office("http", str(notes)) as server:
        host = f"127.0.0.1:{stack.place.demo_port}"
        stack.call("tests.chaos.desk:prepare", host=host)
        stack.call("tests.chaos.everything:prepare", host=host, server=server)
        yield stack


@pytest.fixture
def stack(product: Stack, notes: Path) -> Stack:
    """The product at rest, with empty books, whatever became of it in the test before."""
    product.call("tests.chaos.desk:clear")
    product.demo.reset()
    product.demo.set(speed=1)
    notes.write_text("")
    for name in ("valkey", "web", *product.workers):
        if not product.alive(name):
            product.start_process(name)
    return product


@pytest.fixture
def attacks(stack: Stack, notes: Path) -> Attacks:
    """`attacks("everything")`: what ends workers while runs of that agent go on."""
    return lambda slug: Attack(stack, notes, slug)
