"""The words of every refusal, as people meet them. `python -m tests.cases.regenerate` writes them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.checks import CODES
from flows.tree import TREE_CODES
from tests.cases.beside import BESIDE_CODES
from tests.cases.regenerate import CASES, problems_in, words_of

FOLDERS = sorted(CASES.iterdir())


@pytest.mark.parametrize("case", FOLDERS, ids=lambda case: case.name)
def test_the_words_of_a_refusal(case: Path) -> None:
    problems = problems_in(case)
    assert case.name in {problem.code for problem in problems}
    assert words_of(problems) == (case / "expected.txt").read_text(encoding="utf-8")


def test_each_code_has_a_case() -> None:
    assert {case.name for case in FOLDERS} == {*CODES, *TREE_CODES, *BESIDE_CODES}


def test_each_refusal_says_what_to_do() -> None:
    silent = {(case.name, problem.code) for case in FOLDERS for problem in problems_in(case) if not problem.hint}
    assert not silent
