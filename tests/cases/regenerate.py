"""Writes expected.txt of every refused flow again: `python -m tests.cases.regenerate`. Read the diff before you commit:
these are the words that people meet."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

from flows.check import check
from flows.problem import Problem
from flows.tree import TREE_CODES, check_tree
from tests.cases.beside import BESIDE_CODES, problems_beside

CASES = Path(__file__).parent / "refused"


def flow_of(case: Path) -> bytes:
    """The flow of a case; one that is large on purpose is kept packed."""
    packed = case / "flow.json.gz"
    return gzip.decompress(packed.read_bytes()) if packed.exists() else (case / "flow.json").read_bytes()


def problems_in(case: Path) -> list[Problem]:
    """What is found in a case: in its flow, or in a tree of flows, whose problems then say their file."""
    if case.name in BESIDE_CODES:
        return list(problems_beside(case))
    if case.name not in TREE_CODES:
        return check(flow_of(case)).problems
    packed = case / "tree.json.gz"
    files: dict[str, str | bytes] = json.loads(gzip.decompress(packed.read_bytes())) if packed.exists() else {}
    files |= {str(file.relative_to(case)): file.read_bytes() for file in sorted(case.rglob("*.json"))}
    return [
        replace(problem, path=f"{file}: {problem.path}".strip(": "))
        for file, checked in check_tree(files).items()
        for problem in checked.problems
    ]


def words_of(problems: list[Problem]) -> str:
    """Problems as expected.txt shows them: level, code and path, then the message, then what to do."""
    lines: list[str] = []
    for problem in problems:
        lines += [f"{problem.level} {problem.code} {problem.path or '(the flow)'}", f"  {problem.message}"]
        lines += [f"  → {problem.hint}"] if problem.hint else []
    return "\n".join(lines) + "\n"


def main() -> None:
    for case in sorted(CASES.iterdir()):
        (case / "expected.txt").write_text(words_of(problems_in(case)), encoding="utf-8")


if __name__ == "__main__":
    main()
