"""`make test`: every part of the suite, each in a process of its own, with what each took.

python -m tests.support.suite [PART…]     all parts, or the named ones

Parts of one phase run two at a time, in the order of the list. What drives a browser runs alone: it tries what people
do, at the pace of a machine that is theirs. What a part prints comes whole when it has ended.
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from runtime.supervisor import tie_to_parent

PYTEST = [sys.executable, "-m", "pytest"]
POSTGRES = [sys.executable, "-m", "tests.support.postgres"]
# These start the whole product themselves; they run alone, each in its own call.
APART = ["--ignore=tests/e2e", "--ignore=tests/chaos", "--ignore=tests/bench"]
# Several people, or a page and a worker, write the same rows at once: there a database makes a difference. Every
# query is asked of both databases by the parts above; what a page looks like is seen on one.
AT_ONCE = ("ask", "build_order_desk", "canvas_kept", "chat", "order_desk", "programs", "two_editors", "versions")
LANES = 2
LONGEST_SECONDS = 2700.0
# Each stack starts half a dozen Pythons; without kept bytecode every one of them compiles all of the product anew.
LEFT_OUT = ("DATABASE_URL", "REDIS_URL", "PYTHONDONTWRITEBYTECODE")
_printing = threading.Lock()


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    title: str
    phase: int
    command: list[str]


PARTS = [
    Part("unit", "Units and integration, on SQLite", 1, [*PYTEST, "tests", *APART]),
    Part(
        "unit-postgres",
        "Whatever touches the database, on PostgreSQL",
        1,
        [*POSTGRES, *PYTEST, "tests", *APART, "--database-only"],
    ),
    Part("frontend", "Front end", 1, ["npm", "test", "--prefix", "frontend", "--silent"]),
    Part("e2e", "In the browser, on SQLite", 2, [*PYTEST, "tests/e2e"]),
    Part(
        "e2e-postgres",
        "Many at once in the browser, on PostgreSQL",
        3,
        [*POSTGRES, *PYTEST, *(f"tests/e2e/test_{name}.py" for name in AT_ONCE)],
    ),
    Part("chaos", "Workers killed everywhere", 4, [*PYTEST, "tests/chaos", "-s", "-k", "anywhere"]),
    Part("chaos-rest", "Workers asleep, Redis emptied", 4, [*PYTEST, "tests/chaos", "-s", "-k", "not anywhere"]),
]


def run(part: Part) -> bool:
    """Run one part and print what it printed. Returns whether it passed."""
    with _printing:
        print(f"-- {part.title}: begins  ({' '.join(part.command[-4:])})", flush=True)
    began = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            part.command, env=environment, stdout=output, stderr=subprocess.STDOUT,
            preexec_fn=tie_to_parent,  # it follows threads: a lane's thread outlives its parts
        )  # fmt: skip
        try:
            code: int | str = child.wait(LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            child.terminate()
            child.wait()
            code = f"no end after {LONGEST_SECONDS:.0f} s"
        output.seek(0)
        printed = output.read().decode(errors="replace")
    with _printing:
        print(f"\n== {part.title}\n{printed}", flush=True)
        print(
            f"== {part.title}: {'passed' if code == 0 else f'FAILED ({code})'} in {time.monotonic() - began:.0f} s",
            flush=True,
        )
    return code == 0


def main() -> int:
    wanted = sys.argv[1:] or [part.name for part in PARTS]
    unknown = set(wanted) - {part.name for part in PARTS}
    if unknown:
        print(f"No such part: {', '.join(sorted(unknown))}. Parts: {', '.join(part.name for part in PARTS)}")
        return 2
    parts = [part for part in PARTS if part.name in wanted]
    failed: list[str] = []
    for phase in sorted({part.phase for part in parts}):
        now = [part for part in parts if part.phase == phase]
        with ThreadPoolExecutor(LANES) as lanes:
            failed += [part.title for part, well in zip(now, lanes.map(run, now), strict=True) if not well]
    if failed:
        print(f"\nFailed: {'; '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
