"""One door for all files beside a flow, by their names; and every code that they can be refused with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flows.beside import answers, evals, expectations, mocks, reading, tests, triggers
from flows.beside.around import Around
from flows.beside.evals import check_eval
from flows.beside.reading import CheckedBeside
from flows.beside.tests import check_test
from flows.beside.triggers import check_triggers
from flows.checks import CODES as FLOW_CODES
from flows.problem import Rule
from flows.tree import TREE_CODES
from flows.words.base import Json
from flows.words.beside import kind_of_file

DOORS: dict[str, Callable[[str | bytes | Json, Around | None, str], CheckedBeside[Any]]] = {
    "triggers": check_triggers,
    "test": check_test,
    "eval": check_eval,
}


def check_beside(file: str, raw: str | bytes | Json, around: Around | None = None) -> CheckedBeside[Any]:
    """Check a file beside a flow, by its name: triggers.json, *.test.json or *.eval.json. Raises KeyError."""
    return DOORS[kind_of_file(file)](raw, around, file)


BESIDE_RULES: tuple[Rule, ...] = tuple(
    each
    for module in (reading, triggers, mocks, answers, expectations, tests, evals)
    for each in vars(module).values()
    if isinstance(each, Rule) and each.code not in FLOW_CODES and each.code not in TREE_CODES
)

BESIDE_CODES: tuple[str, ...] = tuple(dict.fromkeys(each.code for each in BESIDE_RULES))
"""Every code that only such a file can have. Each has a case in tests/cases/refused, beside its flow."""
