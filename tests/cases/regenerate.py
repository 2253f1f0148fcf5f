"""Writes expected.txt of every refused flow again: `python -m tests.cases.regenerate`. Read the diff before you commit:
these are the words that people meet."""

from __future__ import annotations

import gzip
from pathlib import Path

from flows.check import check
from flows.problem import Problem

CASES = Path(__file__).parent / "refused"


def flow_of(case: Path) -> bytes:
    """The flow of a case; one that is large on purpose is kept packed."""
    packed = case / "flow.json.gz"
    return gzip.decompress(packed.read_bytes()) if packed.exists() else (case / "flow.json").read_bytes()


def words_of(problems: list[Problem]) -> str:
    """Problems as expected.txt shows them: level, code and path, then the message, then what to do."""
    lines: list[str] = []
    for problem in problems:
        lines += [f"{problem.level} {problem.code} {problem.path or '(the flow)'}", f"  {problem.message}"]
        lines += [f"  → {problem.hint}"] if problem.hint else []
    return "\n".join(lines) + "\n"


def main() -> None:
    for case in sorted(CASES.iterdir()):
        (case / "expected.txt").write_text(words_of(check(flow_of(case)).problems), encoding="utf-8")


if __name__ == "__main__":
    main()
