"""The files beside a flow: what is taken, what is refused, and where a default stands."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.beside.around import Around
from flows.beside.doors import check_beside
from flows.beside.evals import check_dataset, check_eval
from flows.beside.tests import check_test
from flows.beside.triggers import check_triggers
from flows.problem import Problem
from flows.schemas import SCHEMAS
from flows.words.cron import parse
from flows.words.evalfile import FlowEvals
from flows.words.matcher import is_matcher
from flows.words.testfile import FlowTests
from flows.words.trigger import ScheduleTrigger, WebhookTrigger
from tests.flows.flow_of import every_kind, question
from tests.flows.later_kinds import batch

Json = Any


def around(flow: Json, **files: Json) -> Around:
    return Around.of({"flow.json": json.dumps(flow), **{name: json.dumps(each) for name, each in files.items()}})


def codes(problems: list[Problem]) -> list[str]:
    return [problem.code for problem in problems]


def file_of(*each: Json, **more: Json) -> Json:
    return {"flow": "../flow.json", **more, "tests": list(each)}


def one(**said: Json) -> Json:
    return {"name": "Answers", "input": {"question": "Where?"}, "mock": {"nodes": {"reply": "There."}}, **said}


TRIGGERS = {
    "flow": "./flow.json",
    "triggers": [
        {
            "id": "daily-report",
            "type": "schedule",
            "schedule": "0 8 * * mon-fri",
            "timezone": "Europe/Nicosia",
            "input": {"question": "What came in before {{now}}?"},
            "deliver": {
                "to": "webhook",
                "urlFrom": "SLACK_WEBHOOK_URL",
                "format": "table",
                "body": {"text": "```\n{{outputs.answer}}\n```", "by": "{{trigger.id}}", "at": "{{now}}"},
            },
        },
        {"id": "new-order", "type": "event", "event": "order.created", "input": {"question": "{{event.data}}"}},
        {
            "id": "ticket",
            "type": "webhook",
            "path": "/support-ticket",
            "method": "POST",
            "enabled": False,
            "input": {"question": "{{webhook.body.subject}} {{webhook.query.q}} {{webhook.method}} {{webhook.path}}"},
        },
    ],
}
EVALS = {
    "flow": "../flow.json",
    "criteria": {
        "correctness": {"description": "It agrees with the facts.", "weight": 0.6},
        "groundedness": {"description": "It claims nothing else.", "weight": 0.4},
    },
    "metrics": {"latencyMs": {"max": 5000}, "tokens": {"max": 900}, "toolCalls": {"max": 2}, "llmCalls": {"max": 1}},
    "thresholds": {"overall": 0.85, "criteria": {"correctness": 0.9}},
    "evals": [
        {
            "name": "City",
            "input": {"question": "Where?"},
            "reference": {"facts": ["City: Berlin"], "answer": "Berlin."},
        },
        {"name": "Short", "input": {"question": "Where?"}, "metrics": {"tokens": {"max": 100}}},
    ],
}
TESTS = file_of(
    one(
        expect={
            "state": {"answer": "There."},
            "output": {"answer": {"notEmpty": True, "contains": "Th", "length": 6}},
            "path": ["reply"],
            "visits": {"reply": 1},
            "notVisited": [],
            "tools": [],
        }
    )
)


# Triggers


def test_triggers_that_are_right() -> None:
    # LG-triggers-01, LG-triggers-02, LG-triggers-03, LG-triggers-06, LG-triggers-07, LG-triggers-08, LG-triggers-10,
    # LG-triggers-11, LG-triggers-16
    found = check_triggers(TRIGGERS, around(question()), "triggers.json")
    assert found.ok and found.problems == []
    assert found.word and found.word.plain() == TRIGGERS


def test_what_a_trigger_is_when_it_does_not_say() -> None:
    # LG-triggers-10, LG-triggers-14
    raw = {
        "flow": "./flow.json",
        "triggers": [
            {"id": "a", "type": "webhook", "path": "/a"},
            {
                "id": "b",
                "type": "schedule",
                "schedule": "0 * * * *",
                "deliver": {"to": "webhook", "url": "http://localhost:9/", "body": {}},
            },
        ],
    }
    found = check_triggers(raw, around(question()), "triggers.json")
    assert found.ok and found.word
    hook, clock = found.word.triggers
    assert isinstance(hook, WebhookTrigger) and hook.method == "POST" and hook.enabled and hook.input == {}
    assert isinstance(clock, ScheduleTrigger) and clock.timezone is None
    # LG-triggers-12: an address of this machine may be written out, for trying things.
    assert clock.deliver and clock.deliver.format == "json" and clock.deliver.url == "http://localhost:9/"


@pytest.mark.parametrize(
    ("text", "field", "values"),
    [
        ("*/20 * * * *", "minutes", {0, 20, 40}),
        ("5 * * * *", "minutes", {5}),
        ("5/30 * * * *", "minutes", {5, 35}),
        ("0 9-17/4 * * *", "hours", {9, 13, 17}),
        ("0 8 1,15 * *", "days", {1, 15}),
        ("0 8 * jan,MAR-may *", "months", {1, 3, 4, 5}),
        ("0 8 * * mon-fri", "weekdays", {1, 2, 3, 4, 5}),
        ("0 8 * * 7", "weekdays", {0}),
    ],
)  # LG-triggers-03, LG-triggers-04
def test_what_a_schedule_means(text: str, field: str, values: set[int]) -> None:
    assert getattr(parse(text), field) == values


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"method": "PUT"}, "NOT_ONE_OF", '"method" of trigger "a" is "PUT", which is not one of "POST" or "GET".'),
        ({"type": "cron"}, "NOT_ONE_OF", "which is not one of"),
        ({"headers": {}}, "UNKNOWN_KEY", '"headers" is not a word of trigger "a".'),
        ({"module": "os"}, "UNKNOWN_KEY", '"module" is not a word of trigger "a".'),  # LG-triggers-19
        ({"input": {"question": "{{event.data | upper}}"}}, "TEMPLATE_NOT_A_PATH", "is not a path"),
    ],
)  # LG-triggers-02, LG-triggers-06, LG-triggers-19
def test_triggers_that_are_refused(change: Json, code: str, words: str) -> None:
    raw = {"flow": "./flow.json", "triggers": [{"id": "a", "type": "webhook", "path": "/a", **change}]}
    found = check_triggers(raw, around(question()), "triggers.json")
    assert codes(found.problems) == [code] and words in found.problems[0].message


def test_triggers_need_their_version() -> None:
    # LG-triggers-01, LG-versions-04
    found = check_triggers(TRIGGERS, around({**question(), "version": "0.19"}), "triggers.json")
    assert codes(found.problems) == ["VERSION_TOO_LOW"]
    assert found.problems[0].message == "A file of triggers needs version 0.20, and the flow says 0.19."


def test_a_broken_trigger_hides_no_other() -> None:
    raw = copy.deepcopy(TRIGGERS)
    raw["triggers"][0]["schedule"] = 8
    raw["triggers"][1]["event"] = "order.*"
    found = check_triggers(raw, around(question()), "triggers.json")
    assert codes(found.problems) == ["WRONG_TYPE", "EVENT_NAME_INVALID"]
    assert found.word and [trigger.id for trigger in found.word.triggers] == ["new-order", "ticket"]


# Tests


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


# Evals


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


# All of them


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
    for flow in (question(), every_kind(), PARENT, batch()):
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
