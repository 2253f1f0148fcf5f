"""*.eval.json: what is taken and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from flows.beside.evals import check_dataset, check_eval
from tests.flows.files_beside import EVALS, around, codes
from tests.flows.flow_of import question

Json = Any


def test_evals_that_are_right() -> None:
    # LG-evals-01, LG-evals-02, LG-evals-04, LG-evals-05, LG-evals-06, LG-evals-07, LG-evals-08,
    # LG-evals-09, LG-evals-12
    found = check_eval(EVALS, around(question()), "evals/a.eval.json")
    assert found.problems == [] and found.word and found.word.plain() == EVALS


def test_cases_in_a_file_of_their_own() -> None:
    # LG-evals-02
    raw = {**{key: each for key, each in EVALS.items() if key != "evals"}, "dataset": "./cases.json"}
    known = around(question(), **{"evals/cases.json": EVALS["evals"]})
    found = check_eval(raw, known, "evals/a.eval.json")
    assert found.problems == [] and found.word and found.word.evals is None
    assert check_dataset(EVALS["evals"], found.word, known) == []
    wrong = [{"name": "A", "input": {"qestion": "x"}}, {"name": "A"}, 3]
    assert codes(check_dataset(wrong, found.word, known)) == ["TEST_INPUT_NOT_FOUND", "EVAL_NAME_TWICE", "WRONG_TYPE"]
    assert codes(check_dataset({"name": "A"}, found.word, known)) == ["WRONG_TYPE"]


@pytest.mark.parametrize("key", ["knowledge", "answers", "judge"])
def test_what_else_an_eval_may_not_stand_in_for(key: str) -> None:
    # LG-evals-11
    raw = {**EVALS, "evals": [{"name": "A", "mock": {key: {}}}]}
    assert codes(check_eval(raw, around(question()), "evals/a.eval.json").problems) == ["UNKNOWN_KEY"]


def test_a_judge_is_never_named() -> None:
    # LG-evals-13
    found = check_eval({**EVALS, "judge": "gpt"}, around(question()), "evals/a.eval.json")
    assert codes(found.problems) == ["UNKNOWN_KEY"]


def test_evals_need_their_version() -> None:
    # LG-evals-01, LG-versions-04
    found = check_eval(EVALS, around({**question(), "version": "0.17"}), "evals/a.eval.json")
    assert [each.message for each in found.problems] == ["A file of evals needs version 0.18, and the flow says 0.17."]


def test_weights_that_add_up_nearly() -> None:
    # LG-evals-07
    criteria = {name: {"description": "x", "weight": weight} for name, weight in (("a", 0.1), ("b", 0.2), ("c", 0.7))}
    raw = {**EVALS, "criteria": criteria, "thresholds": {}}
    assert check_eval(raw, around(question()), "evals/a.eval.json").problems == []
