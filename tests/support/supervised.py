"""A small product for the supervisor's tests: real processes that write down what happens to them.

python -m tests.support.supervised FOLDER NAME…      supervises one `life` per name, in that order
python -m tests.support.supervised --life FOLDER NAME  one such process: ready once its file exists
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

from runtime.processes import Process
from runtime.supervisor import Supervisor


def life(folder: Path, name: str) -> None:
    """Note the start, note the SIGTERM, end. `dies` ends at once; `stubborn` ignores SIGTERM."""

    def note(what: str) -> None:
        with (folder / "notes").open("a") as notes:
            notes.write(f"{name} {what}\n")

    def ended(*_: object) -> None:
        note("asked to end")
        if name != "stubborn":
            sys.exit(0)

    signal.signal(signal.SIGTERM, ended)
    note("started")
    print(f"hello from {name}", flush=True)
    if name == "dies":
        sys.exit(3)
    (folder / f"{name}.pid").write_text(str(os.getpid()))
    parent = os.getppid()
    while os.getppid() == parent:  # even the stubborn one ends with a test that failed
        time.sleep(0.05)


def main() -> int:
    if sys.argv[1] == "--life":
        life(Path(sys.argv[2]), sys.argv[3])
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    processes = [
        Process(
            name,
            [sys.executable, "-m", "tests.support.supervised", "--life", str(folder), name],
            ready=(folder / f"{name}.pid").exists,
            drain=0.5,
            after=tuple(names[:number]),
        )
        for number, name in enumerate(names)
    ]

    async def supervise() -> int:
        return await Supervisor(processes, os.environ).run(lambda: print("all ready", flush=True))

    return asyncio.run(supervise())


if __name__ == "__main__":
    sys.exit(main())
