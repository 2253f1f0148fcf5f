"""`make test`: every part of the suite, each in a process of its own, with what each took.

python -m tests.support.suite [PART…]     all parts, or the named ones
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import time

from runtime.supervisor import tie_to_parent

PYTEST = [sys.executable, "-m", "pytest"]
POSTGRES = [sys.executable, "-m", "tests.support.postgres"]
# These start the whole product themselves; they run alone, each in its own call.
APART = ["--ignore=tests/e2e", "--ignore=tests/chaos", "--ignore=tests/bench"]


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    title: str
    command: list[str]


PARTS = [
    Part("unit", "Units and integration, on SQLite", [*PYTEST, "tests", *APART]),
    Part(
        "unit-postgres",
        "Whatever touches the database, on PostgreSQL",
        [*POSTGRES, *PYTEST, "tests", *APART, "--database-only"],
    ),
    Part("frontend", "Front end", ["npm", "test", "--prefix", "frontend", "--silent"]),
    Part("e2e", "In the browser, on SQLite", [*PYTEST, "tests/e2e"]),
    Part("e2e-postgres", "In the browser, on PostgreSQL", [*POSTGRES, *PYTEST, "tests/e2e"]),
    # The two long attacks need a machine of their own: `make chaos` runs them too.
    Part("chaos", "Workers killed, Redis emptied", [*PYTEST, "tests/chaos", "-s", "-k", "not anywhere and not slept"]),
]


def run(part: Part) -> bool:
    """Run one part with its output on the terminal. Returns whether it passed."""
    print(f"\n== {part.title}  ({' '.join(part.command[-4:])})", flush=True)
    began = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    code = subprocess.run(part.command, check=False, env=environment, preexec_fn=tie_to_parent).returncode
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
    failed = [part.title for part in PARTS if part.name in wanted and not run(part)]
    if failed:
        print(f"\nFailed: {'; '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
