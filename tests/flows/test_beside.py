"""What holds for every file beside a flow: its schema, its flow, and that nothing breaks its check."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.beside.doors import check_beside
from flows.beside.evals import check_eval
from flows.beside.tests import check_test
from flows.schemas import SCHEMAS
from flows.words.evalfile import FlowEvals
from flows.words.testfile import FlowTests
from tests.cases.regenerate import CASES, problems_in
from tests.flows.files_beside import EVALS, TESTS, TRIGGERS, around, codes, file_of, one
from tests.flows.flow_of import every_kind, question
from tests.flows.later_kinds import batch

Json = Any


DOORS = [
    ("triggers.json", TRIGGERS, "triggers"),
    ("tests/a.test.json", TESTS, "test"),
    ("evals/a.eval.json", EVALS, "eval"),
]


@pytest.mark.parametrize(("file", "raw", "kind"), DOORS)
def test_the_published_schemas(file: str, raw: Json, kind: str) -> None:
    made = SCHEMAS[kind]()
    jsonschema.Draft202012Validator.check_schema(made)
    validator = jsonschema.Draft202012Validator(made)
    assert not list(validator.iter_errors(raw))
    assert list(validator.iter_errors({**raw, "unknown": 1}))
    assert list(validator.iter_errors({key: each for key, each in raw.items() if key != "flow"}))


def test_the_schema_of_flows() -> None:
    made = SCHEMAS["flow"]()
    jsonschema.Draft202012Validator.check_schema(made)
    for flow in (question(), every_kind(), batch()):
        assert not list(jsonschema.Draft202012Validator(made).iter_errors(flow))


@pytest.mark.parametrize(("file", "raw", "kind"), DOORS)
def test_a_file_about_a_flow_that_is_not_there(file: str, raw: Json, kind: str) -> None:
    found = check_beside(file, {**raw, "flow": "../floww.json"}, around(question()))
    assert "FLOW_NOT_FOUND" in codes(found.problems)
    found = check_beside(file, {**raw, "flow": "/etc/flow.json"}, around(question()))
    assert "FLOW_ADDRESS_INVALID" in codes(found.problems)


@pytest.mark.parametrize(("file", "raw", "kind"), DOORS)
@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"flow": 1}', '{"flow": "a", "flow": "b"}', "null", "[" * 200, b"\xff"]
)
def test_what_is_no_such_file(file: str, raw: Json, kind: str, text: str | bytes) -> None:
    assert not check_beside(file, text, around(question())).ok
    assert not check_beside(file, text).ok


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=6) | st.sampled_from(["reply", "{{x}}", "a/b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def places(value: Json) -> list[tuple[Json, Json]]:
    """Every (container, key) of a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, each in inner for place in ((value, key), *places(each))]


@pytest.mark.parametrize(("file", "raw", "kind"), DOORS)
@given(chosen=st.lists(st.tuples(st.integers(0, 500), JSON), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_no_file_breaks_its_check(file: str, raw: Json, kind: str, chosen: list[tuple[int, Json]]) -> None:
    mutated = copy.deepcopy(raw)
    for number, value in chosen:
        found = places(mutated)
        container, key = found[number % len(found)]
        container[key] = copy.deepcopy(value)
    known = around(every_kind() if chosen[0][0] % 2 else question())
    for each in (check_beside(file, mutated, known), check_beside(file, json.dumps(mutated))):
        assert all(problem.code and problem.message for problem in each.problems)


def test_many_tests_are_checked_in_time() -> None:
    many = file_of(*(one(name=f"Test {number}", expect={"path": ["route"]}) for number in range(490)))
    assert len(check_test(many, around(question()), "tests/a.test.json").problems) == 490


def test_what_is_read_has_its_types() -> None:
    assert isinstance(check_test(TESTS).word, FlowTests) and isinstance(check_eval(EVALS).word, FlowEvals)


REFUSED = {
    "LG-triggers-04": "SCHEDULE_INVALID",
    "LG-triggers-05": "EVENT_NAME_INVALID",
    "LG-triggers-06": "WEBHOOK_PATH_INVALID",
    "LG-triggers-09": "TRIGGER_READS_UNKNOWN",
    "LG-triggers-12": "DELIVERY_ADDRESS",
    "LG-triggers-13": "DELIVERY_READS",
    "LG-triggers-19": "TRIGGER_INPUT_UNKNOWN",
    "LG-tests-08": "MOCK_WRAPPED",
    "LG-tests-15": "FAILS_FROM_TOOLS",
    "LG-tests-17": "TEST_TOOL_NOT_FOUND",
    "LG-tests-19": "ANSWER_WRONG_KIND",
    "LG-tests-24": "MOCK_NEEDED",
    "LG-tests-25": "MOCK_WRONG_KIND",
    "LG-tests-29": "TEST_SETTING_NOT_FOUND",
    "LG-tests-30": "MATCHER_UNKNOWN",
    "LG-tests-32": "TEST_NODE_NOT_FOUND",
    "LG-evals-03": "EVALS_OR_DATASET",
    "LG-evals-05": "EVAL_NAME_TWICE",
    "LG-evals-07": "WEIGHTS_NOT_ONE",
    "LG-evals-11": "MOCK_OF_MODEL",
    "LG-evals-12": "THRESHOLD_UNKNOWN",
}
"""Requirement → the code of its refusal, whose words stand in tests/cases/refused."""


@pytest.mark.parametrize("requirement", REFUSED)
def test_the_refusal_of_a_requirement(requirement: str) -> None:
    code = REFUSED[requirement]
    problems = [problem for problem in problems_in(CASES / code) if problem.code == code]
    assert problems and all(problem.level == "error" and problem.hint for problem in problems)
