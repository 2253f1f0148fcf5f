"""*.test.json: what is taken and what is refused before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from flows.beside.tests import check_test
from flows.words.matcher import is_matcher
from tests.flows.files_beside import TESTS, around, codes, file_of, one
from tests.flows.flow_of import question
from tests.flows.later_kinds import batch

Json = Any


def test_tests_that_are_right() -> None:
    # LG-tests-01, LG-tests-02, LG-tests-04, LG-tests-30
    found = check_test(TESTS, around(question()), "tests/answers.test.json")
    assert found.problems == [] and found.word
    assert found.word.plain() == TESTS and found.word.handlers is None


def test_a_file_of_tests_has_no_version() -> None:
    # LG-tests-02, LG-versions-06: the version of the flow counts.
    found = check_test({**TESTS, "version": "0.33"}, around(question()), "tests/a.test.json")
    assert codes(found.problems) == ["UNKNOWN_KEY"]
    old = {**question(), "version": "0.15"}
    found = check_test(TESTS, around(old), "tests/a.test.json")
    assert [problem.message for problem in found.problems] == [
        "A file of tests needs version 0.16, and the flow says 0.15."
    ]


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ({"settings": {"most": 3}}, "tests[0].settings"),  # LG-tests-29
        ({"mock": {"nodes": {"reply": {"then": ["a", "b"]}}}}, "tests[0].mock.nodes.reply"),  # LG-tests-09
        ({"mock": {"nodes": {"reply": "a"}, "reads": {}}}, "tests[0].mock.reads"),  # LG-tests-16
    ],
)
def test_what_came_with_a_later_version(said: Json, path: str) -> None:
    flow = {**question(), "version": "0.16", "requires": {"settings": {"most": {"default": 5}}}}
    found = check_test(file_of(one(**said)), around(flow), "tests/a.test.json")
    assert [(each.code, each.path) for each in found.problems] == [("VERSION_TOO_LOW", path)]
    assert "needs version 0.17" in found.problems[0].message
    assert check_test(file_of(one(**said)), around({**flow, "version": "0.17"}), "tests/a.test.json").ok


def test_an_unknown_expectation_is_refused_by_name() -> None:
    # LG-tests-30
    found = check_test(file_of(one(expect={"outputs": {}})), around(question()), "tests/a.test.json")
    assert [(each.code, each.message, each.hint) for each in found.problems] == [
        ("UNKNOWN_KEY", '"outputs" is not a word of "expect" of test "Answers".', 'Did you mean "output"?')
    ]


def test_a_tool_mock_on_a_flow_without_tools() -> None:
    # LG-tests-17
    test = one(mock={"nodes": {"reply": "There."}, "tools": {"find": {}}})
    found = check_test(file_of(test), around(question()), "tests/a.test.json")
    assert codes(found.problems) == ["TEST_TOOL_NOT_FOUND"] and "declares no tools" in found.problems[0].message


@pytest.mark.parametrize(
    ("node", "answer", "taken"),
    [
        ("which", "This one", True),
        ("which", "", False),
        ("which", True, False),
        ("which", {"a": 1}, False),
        ("details", {"orderId": "A1"}, True),
        ("details", "A1", False),
        ("details", False, True),
        ("place", True, True),
        ("place", False, True),
        ("place", "yes", False),
        ("place", [{"orderId": "A1"}, False], True),
        ("place", [{"orderId": "A1"}, "no"], False),
    ],
)  # LG-tests-18, LG-tests-19, LG-tests-22
def test_answers_of_people(node: str, answer: Json, taken: bool) -> None:
    flow = question()
    flow["tools"] = [
        {"name": "order", "description": "POSTs it.", "inputs": {"orderId": {"type": "string", "required": True}}}
    ]
    flow["state"] |= {"chosen": {"type": "string"}, "form": {"type": "object"}, "placed": {"type": "object"}}
    flow["nodes"] += [
        {"id": "which", "type": "ask", "ask": "Which?", "output": "chosen"},
        {
            "id": "details",
            "type": "form",
            "fields": {"orderId": {"type": "string", "required": True}},
            "output": "form",
        },
        {"id": "place", "type": "tool", "tool": "order", "args": {}, "output": "placed", "approval": {"ask": "Order?"}},
    ]
    found = check_test(
        file_of(one(mock={"nodes": {"reply": "There."}, "answers": {node: answer}})), around(flow), "tests/a.test.json"
    )
    assert codes(found.problems) == ([] if taken else ["ANSWER_WRONG_KIND"])


def test_a_form_that_would_ask_again() -> None:
    # LG-tests-19
    flow = question()
    flow["state"]["form"] = {"type": "object"}
    flow["nodes"].append({"id": "details", "type": "form", "fields": {"day": {"type": "date"}}, "output": "form"})
    test = one(mock={"nodes": {"reply": "There."}, "answers": {"details": {"day": "tomorrow"}}})
    found = check_test(file_of(test), around(flow), "tests/a.test.json")
    assert codes(found.problems) == ["ANSWER_WRONG_KIND"] and "what its form refuses" in found.problems[0].message


PARENT = {
    **question(),
    "start": "find",
    "nodes": [
        {
            "id": "find",
            "type": "flow",
            "flow": "./flows/find.json",
            "input": {"question": "{{question}}"},
            "output": {"answer": "answer"},
        }
    ],
    "edges": [{"from": "find", "to": "END"}],
    "conversation": False,
}
CHILD = {**question(), "conversation": False}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("find/reply", ""),
        ("find", "MOCK_WRONG_KIND"),
        ("find/repply", "TEST_NODE_NOT_FOUND"),
        ("find/reply/deeper", "TEST_NODE_NOT_FOUND"),
        ("reply", "TEST_NODE_NOT_FOUND"),
    ],
)  # LG-tests-25, LG-tests-27, LG-tests-32
def test_steps_inside_a_flow_that_is_run(name: str, code: str) -> None:
    test = one(mock={"nodes": {name: "There."}}, expect={"path": ["find/reply", "find"]})
    found = check_test(file_of(test), around(PARENT, **{"flows/find.json": CHILD}), "tests/a.test.json")
    assert codes(found.problems) == ([code] if code else [])


def test_nothing_is_said_of_steps_that_cannot_be_read() -> None:
    test = one(mock={"nodes": {"find/reply": "There."}}, expect={"path": ["find/anything", "find"]})
    found = check_test(file_of(test), around(PARENT, **{"flows/find.json": [1]}), "tests/a.test.json")
    assert found.problems == []


def test_a_tools_node_that_is_expected_to_fail() -> None:
    # LG-tests-15: refused before it runs; the error beside the call is what may be expected.
    mock = {
        "nodes": {"plan": [{"name": "readOrders", "args": {}}], "reply": "Sorry."},
        "tools": {"readOrders": {"fails": "Down."}},
    }
    flow = batch()
    fine = one(mock=mock, expect={"state": {"results.0.error": {"contains": "Down"}}})
    assert check_test(file_of(fine), around(flow), "tests/a.test.json").problems == []


def test_a_run_that_need_not_finish_needs_no_mock() -> None:
    # LG-tests-24
    bare = one(mock={}, expect={"fails": "No answer"})
    assert check_test(file_of(bare), around(question()), "tests/a.test.json").problems == []
    assert codes(check_test(file_of(one(mock={})), around(question()), "tests/a.test.json").problems) == ["MOCK_NEEDED"]


def test_all_mistakes_are_named_at_once() -> None:
    # LG-tests-32
    test = one(
        mock={"nodes": {"replly": "x"}, "tools": {"find": 1}},
        expect={"path": ["route"], "approvalBefore": ["reply"], "output": {"anser": {"notEmty": True}}},
    )
    found = check_test(file_of(test, 7), around(question()), "tests/a.test.json")
    assert set(codes(found.problems)) == {
        "TEST_NODE_NOT_FOUND", "TEST_TOOL_NOT_FOUND", "APPROVAL_NOT_THERE", "TEST_CHANNEL_NOT_FOUND", "MATCHER_UNKNOWN",
        "MOCK_NEEDED", "WRONG_TYPE",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "matches"),
    [
        ({"notEmpty": True}, True),
        ({"min": 1, "max": 3}, True),
        ({"category": "billing"}, False),
        ({"oneOf": [{"type": "order"}]}, True),
        ("text", False),
        ([], False),
    ],
)
def test_a_matcher_and_a_value(value: Json, matches: bool) -> None:
    assert is_matcher(value) is matches
