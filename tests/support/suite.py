"""`make test`: every part of the suite, each in a process of its own, with what each took.

python -m tests.support.suite [PART…]     all parts, or the named ones

As many parts run at once as the machine has cores, two at least and four at most: each is one process that computes and
several that wait. They are taken in the order of the list, the longest first. What a part prints comes whole when it
has ended.
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
# The tests of the editor: half of what a browser does.
EDITOR = (
    "alone", "ask", "build_order_desk", "building", "cannot_run", "canvas", "canvas_kept", "editor_looks", "flow_tests",
    "paste_tool", "panels", "two_editors", "unit_code",
)  # fmt: skip
LANES = min(4, max(2, os.cpu_count() or 2))
LONGEST_SECONDS = 2700.0
# Each stack starts half a dozen Pythons; without kept bytecode every one of them compiles all of the product anew.
LEFT_OUT = ("DATABASE_URL", "REDIS_URL", "PYTHONDONTWRITEBYTECODE")
_printing = threading.Lock()


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    title: str
    command: list[str]


_EDITOR = [f"tests/e2e/test_{name}.py" for name in EDITOR]

# What waits stands beside what computes.
PARTS = [
    Part("e2e-editor", "The editor in the browser, on SQLite", [*PYTEST, *_EDITOR]),
    Part("chaos", "Workers killed everywhere", [*PYTEST, "tests/chaos", "-s", "-k", "anywhere"]),
    Part(
        "e2e",
        "Everything else in the browser, on SQLite",
        [*PYTEST, "tests/e2e", *(f"--ignore={file}" for file in _EDITOR)],
    ),
    Part("unit", "Units and integration, on SQLite", [*PYTEST, "tests", *APART, "--ignore=tests/runtime"]),
    Part("chaos-rest", "Workers asleep, Redis emptied", [*PYTEST, "tests/chaos", "-s", "-k", "not anywhere"]),
    Part("unit-runtime", "Runs, services and code, on SQLite", [*PYTEST, "tests/runtime"]),
    Part(
        "unit-postgres",
        "Whatever touches the database, on PostgreSQL",
        [*POSTGRES, *PYTEST, "tests", *APART, "--database-only"],
    ),
    Part("e2e-postgres", "Many at once, on PostgreSQL", [*POSTGRES, *PYTEST, "tests/e2e", "-m", "at_once"]),
    Part("frontend", "Front end", ["npm", "test", "--prefix", "frontend", "--silent"]),
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
    began = time.monotonic()
    with ThreadPoolExecutor(LANES) as lanes:
        failed = [part.title for part, well in zip(parts, lanes.map(run, parts), strict=True) if not well]
    print(f"\n{len(parts)} parts in {time.monotonic() - began:.0f} s, {LANES} at a time", flush=True)
    if failed:
        print(f"Failed: {'; '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
