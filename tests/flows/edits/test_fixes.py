"""What puts a problem right at one press: it can be done, and the problem is gone."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from flows.check import check
from flows.edits.apply import apply
from flows.edits.changes import Sketch
from flows.edits.fixes import fix_of
from flows.problem import Problem
from flows.words import strictjson
from flows.words.strictjson import JsonRefused
from tests.cases.regenerate import CASES, flow_of
from tests.flows.flow_of import every_kind, question

Json = Any
NEAR = 'Did you mean "y"?'
RAISE = 'Raise "version" to "0.17" or later; raising it never breaks a flow.'


def fixed(document: Json, code: str) -> Json:
    """The flow once the first problem with the code was put right."""
    problem = next(each for each in check(document).problems if each.code == code)
    return apply(Sketch(document, {"nodes": {}, "comments": []}), fix_of(document, problem)).document


def cases() -> list[tuple[str, Json, Problem]]:
    """Every problem of the refused flows that has a fix."""
    found: list[tuple[str, Json, Problem]] = []
    for case in sorted(CASES.iterdir()):
        if not (case / "flow.json").exists():
            continue
        try:
            document = strictjson.loads(flow_of(case))
        except JsonRefused:
            continue
        found += [(case.name, document, each) for each in check(document).problems if fix_of(document, each)]
    return found


@pytest.mark.parametrize(("name", "document", "problem"), cases())
def test_a_fix_puts_its_problem_right(name: str, document: Json, problem: Problem) -> None:
    before = copy.deepcopy(document)
    made = apply(Sketch(document, {"nodes": {}, "comments": []}), fix_of(document, problem))
    assert problem not in check(made.document).problems
    assert document == before


def test_what_kinds_of_fixes_there_are() -> None:
    assert {"VERSION_TOO_LOW", "UNKNOWN_KEY", "NOT_ONE_OF", "CHANNEL_NOT_DECLARED", "NODE_NOT_FOUND"} <= {
        problem.code for _, _, problem in cases()
    }


def test_a_version_is_raised() -> None:
    # LG-versions-03, LG-versions-04
    old = {**every_kind(), "version": "0.9"}
    problems = check(old).problems
    fix = fix_of(old, problems[0], problems)
    assert {problem.code for problem in problems} == {"VERSION_TOO_LOW"} and len(problems) > 1
    made = apply(Sketch(old, {"nodes": {}, "comments": []}), fix)
    assert check(made.document).problems == check(every_kind()).problems


def test_a_key_is_renamed_or_dropped() -> None:
    flow = question()
    flow["nodes"][0]["promt"] = flow["nodes"][0].pop("prompt")
    assert fixed(flow, "UNKNOWN_KEY")["nodes"][0]["prompt"] == question()["nodes"][0]["prompt"]
    flow = {**question(), "colour": "blue"}
    assert fixed(flow, "UNKNOWN_KEY") == question()
    # One that is near, where the right one stands already, says nothing more.
    flow = question()
    flow["nodes"][0]["promt"] = "old"
    assert fixed(flow, "UNKNOWN_KEY") == question()


def test_a_name_in_a_template_is_put_right() -> None:
    flow = question()
    flow["nodes"][0]["prompt"] = "Answer {{questoin}}, {{history}}"
    assert fixed(flow, "CHANNEL_NOT_DECLARED")["nodes"][0]["prompt"] == "Answer {{question}}, {{history}}"


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (None, Problem("X", "error", "", "x", "")),
        ([], Problem("X", "error", "nodes[0].prompt", "x", 'Did you mean "a"?')),
        ({"nodes": [{"id": "a", "type": "x"}, {"id": "a"}]}, Problem("X", "error", "nodes[0].type", '"x"', NEAR)),
        ({"nodess": []}, Problem("UNKNOWN_KEY", "error", "nodess", '"nodess"', 'Did you mean "nodes"?')),
        ({"nodes": 3}, Problem("X", "error", "nodes[0].type", '"x"', 'Did you mean "y"?')),
        ({"state": {"a": 3}}, Problem("UNKNOWN_KEY", "error", "state.b.c", "x", "Remove it. ")),
        ({"a": {"b": "x"}}, Problem("X", "error", "a..b", '"x"', 'Did you mean "y"?')),
        ({"version": 3}, Problem("X", "error", "x", "", RAISE)),
    ],
)  # fmt: skip
def test_where_a_person_has_to_decide(document: Json, problem: Problem) -> None:
    assert fix_of(document, problem) == []
