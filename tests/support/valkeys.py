"""Real Valkey servers for tests, from the same binary and settings as `make run`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from runtime.processes import Place, valkey
from runtime.supervisor import spawn


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[str]:
    """A Valkey on `folder/valkey.sock`, ended with the block. Yields its address."""
    place = Place(var=folder)
    process = valkey(place)
    with (folder / "valkey.log").open("w") as log:
        child = spawn(process, place.environment(), log)
    try:
        until = time.monotonic() + 20
        while not process.ready():
            if child.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"Valkey did not start:\n{(folder / 'valkey.log').read_text()}")
            time.sleep(0.01)
        yield place.broker
    finally:
        child.terminate()
        child.wait(10)
