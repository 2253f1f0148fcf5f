"""The cases whose mistakes are in files beside a flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from flows.beside.around import Around
from flows.beside.doors import BESIDE_CODES, check_beside
from flows.problem import Problem
from flows.words.beside import kind_of_file

__all__ = ["BESIDE_CODES", "problems_beside"]


def problems_beside(case: Path) -> Iterator[Problem]:
    """What is found in every file beside the flow of a case; each path begins with the file."""
    files: dict[str, str | bytes] = {
        file.relative_to(case).as_posix(): file.read_bytes() for file in sorted(case.rglob("*.json"))
    }
    around = Around.of(files)
    for name, text in files.items():
        if kind_of_file(name):
            for problem in check_beside(name, text, around).problems:
                yield replace(problem, path=f"{name}: {problem.path}".strip(": "))
