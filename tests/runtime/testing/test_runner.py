"""Tests of flows on the real engine: what stands in, what comes of it, and what a result tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runtime.testing.results import TestResult
from tests.runtime.testing.conftest import Try
from tests.runtime.testing.flows import (
    ASKS,
    CALLS,
    CATCHES,
    CLASSIFIES,
    CODED,
    LOOP,
    NOTE,
    SCHEMA,
    coded,
    flow,
    says,
    to,
)

Json = Any
PLAIN = flow([says()], to("reply"))


def failed(result: TestResult) -> str:
    assert result.state == "failed", result
    return " ".join(failure.message for failure in result.failures)


def passed(result: TestResult) -> TestResult:
    assert result.state == "passed", [failure.message for failure in result.failures]
    return result


# LG-tests-05, LG-tests-06
def test_words_of_a_model_are_a_text_and_its_json_anything_else(attempt: Try) -> None:
    result = attempt(
        CLASSIFIES, input={"q": "Twice?"}, mock={"nodes": {"sort": {"kind": "billing", "sure": 1}, "reply": "Dates."}},
        expect={
            "path": ["sort", "reply"], "state": {"found.kind": "billing", "found": {"kind": "billing", "sure": 1}},
            "output": {"a": "Dates."}, "visits": {"sort": 1}, "notVisited": [],
        },
    )  # fmt: skip
    assert passed(result).output == {"a": "Dates."}


# LG-tests-07
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"kind": "weather"}, "found.kind must be one of: billing, other"),
        ({"kind": "billing", "sure": 3}, "found.sure must be at most 1"),
        ("billing, I think", "JSON"),
    ],
)
def test_a_mock_of_the_wrong_shape_fails_the_node_as_a_real_answer_does(attempt: Try, answer: Json, words: str) -> None:
    mock = {"nodes": {"sort": answer, "reply": "Dates."}}
    result = attempt(CLASSIFIES, input={"q": "x"}, mock=mock, expect={"path": ["sort", "reply"]})
    assert words in failed(result)
    assert (result.error and result.error.code) == "MODEL_SHAPE"
    assert result.values.get("found") in (None, {})
    passed(attempt(CLASSIFIES, input={"q": "x"}, mock=mock, expect={"fails": "found" if words[0] == "f" else words}))


# LG-tests-09
def test_then_answers_in_turn_and_a_list_is_one_answer(attempt: Try) -> None:
    mock: Json = {
        "nodes": {"decide": {"then": [{"kind": "other"}, {"kind": "other"}, {"kind": "billing"}]}, "reply": "."}
    }
    expect = {"path": ["decide", "decide", "decide", "reply"], "visits": {"decide": 3}}
    passed(attempt(LOOP, input={"q": "x"}, mock=mock, expect=expect))
    listing = flow(
        [{"id": "list", "type": "llm", "prompt": "List.", "output": "all"}], to("list"), {"all": {"type": "list"}}
    )
    passed(attempt(listing, mock={"nodes": {"list": ["a", "b"]}}, expect={"state": {"all": ["a", "b"]}}))


# LG-tests-10
def test_one_answer_too_few_stops_the_run_and_says_where(attempt: Try) -> None:
    mock = {"nodes": {"decide": {"then": [{"kind": "other"}, {"kind": "other"}]}, "reply": "."}}
    result = attempt(LOOP, input={"q": "x"}, mock=mock, expect={"output": {"a": "."}})
    assert failed(result).startswith(
        '"decide" asked its model 3 times, and the test says what it answers the first 2 times.'
    )
    # What only the test lacks is never what a test expects, whatever words it looks for.
    assert "3 times" in failed(attempt(LOOP, input={"q": "x"}, mock=mock, expect={"fails": "3 times"}))


# LG-tests-11, LG-tests-33
def test_a_tool_returns_what_the_test_says_and_its_code_never_runs(attempt: Try) -> None:
    result = attempt(
        CALLS, input={"q": "tea"}, mock={"tools": {"fetch": {"said": "yes"}}, "nodes": {"reply": "ok"}},
        expect={"tools": [{"name": "fetch", "args": {"what": {"contains": "te"}}}], "state": {"got.said": "yes"}},
    )  # fmt: skip
    passed(result)
    (call,) = result.tools
    assert (call.name, call.args, call.ok, call.node) == ("fetch", {"what": "tea"}, True, "get")


# LG-tests-12
def test_a_tool_without_a_mock_is_an_error(attempt: Try) -> None:
    result = attempt(CALLS, input={"q": "x"}, mock={"nodes": {"reply": "ok"}}, expect={"path": ["get", "reply"]})
    assert failed(result) == (
        '"get" calls the tool "fetch", and nothing stands in for it: no test makes a real call. Say what it returns: '
        '"mock": { "tools": { "fetch": … } }.'
    )
    # Not even onError takes that for a failure of the call.
    assert "nothing stands in" in failed(attempt(CATCHES, NOTE, input={"q": "x"}, mock={"nodes": {"reply": "ok"}}))


# LG-tests-13, LG-tests-14
def test_a_call_that_goes_wrong_takes_the_way_the_flow_has_for_it(attempt: Try) -> None:
    mock: Json = {"tools": {"fetch": {"fails": "The office is closed."}}, "nodes": {"reply": "Sorry."}}
    result = attempt(
        CATCHES, NOTE, input={"q": "x"}, mock=mock,
        expect={"path": ["reply"], "tools": ["fetch", "fetch"], "output": {"a": "Sorry."}, "notVisited": ["note"]},
    )  # fmt: skip
    assert [call.error for call in passed(result).tools] == ["The office is closed."] * 2
    assert "The office is closed." in result.prompts[0].text
    assert result.error is None
    mock["tools"]["fetch"] = {"then": [{"fails": "Busy."}, {"said": "yes"}]}
    passed(
        attempt(
            CATCHES, NOTE, input={"q": "x"}, mock=mock, expect={"path": ["get", "note"], "output": {"a": "noted yes"}}
        )
    )
    plain = attempt(CALLS, input={"q": "x"}, mock={"tools": {"fetch": {"fails": "No."}}}, expect={"fails": "no."})
    assert passed(plain).error is not None


# LG-tests-18
def test_people_answer_as_the_test_says(attempt: Try) -> None:
    mock = {"nodes": {"reply": "Hi."}, "answers": {"name": "Ada", "details": {"age": 36}, "reply": True}}
    result = attempt(
        ASKS, input={"q": "sir"}, mock=mock,
        expect={
            "state": {"who": "Ada", "filled.age": 36}, "path": ["name", "details", "reply"],
            "approvalBefore": ["reply"],
            "asked": {"name": "What is your name, sir?", "details": {"contains": "Ada"}, "reply": "Answer Ada?"},
        },
    )  # fmt: skip
    assert [(asked.node, asked.kind) for asked in passed(result).asked] == [
        ("name", "ask"), ("details", "form"), ("reply", "approval")
    ]  # fmt: skip


def test_a_declined_approval_ends_and_a_closed_form_fails(attempt: Try) -> None:
    mock: Json = {"nodes": {"reply": "Hi."}, "answers": {"name": "Ada", "details": {"age": 36}, "reply": False}}
    passed(attempt(ASKS, mock=mock, expect={"path": ["name", "details"], "notVisited": ["reply"]}))
    mock["answers"]["details"] = False
    passed(attempt(ASKS, mock=mock, expect={"fails": "closed", "path": ["name"]}))


# LG-tests-20
def test_an_approval_that_nobody_speaks_for_is_approved(attempt: Try) -> None:
    mock = {"nodes": {"reply": "Hi."}, "answers": {"name": "Ada", "details": {"age": 36}}}
    result = attempt(ASKS, mock=mock, expect={"output": {"a": "Hi."}, "approvalBefore": ["reply"]})
    assert passed(result).asked[-1].answer == "yes"


# LG-tests-21
def test_after_the_last_answer_of_a_list_nobody_speaks(attempt: Try) -> None:
    twice = flow(
        [
            {
                "id": "turn", "type": "llm", "prompt": "{{q}}", "output": "found", "schema": SCHEMA,
                "approval": {"ask": "Go?"},
            }
        ],
        [
            {
                "from": "turn", "type": "conditional", "router": "again", "routes": {"more": "turn", "done": "END"},
                "when": {"more": "'found.kind' is \"other\"", "done": "anything else"},
                "limits": {"more": {"max": 5, "then": "done"}},
            }
        ],
        {"found": {"type": "object"}},
    )  # fmt: skip
    nodes = {"turn": {"then": [{"kind": "other"}, {"kind": "billing"}]}}
    passed(attempt(twice, mock={"nodes": nodes, "answers": {"turn": [True]}}, expect={"path": ["turn", "turn"]}))
    passed(attempt(twice, mock={"nodes": nodes, "answers": {"turn": [True, False]}}, expect={"path": ["turn"]}))


def test_a_question_that_nobody_answers_ends_the_test_with_words(attempt: Try) -> None:
    result = attempt(ASKS, input={"q": "sir"}, mock={"nodes": {"reply": "Hi."}}, expect={"output": {"a": "Hi."}})
    assert failed(result) == (
        'The run waits at "name", which asks "What is your name, sir?", and nobody answers. Say what is done: '
        '"mock": { "answers": { "name": "…" } }.'
    )


# LG-tests-22
def test_a_call_stops_for_what_it_lacks_and_then_for_its_approval(attempt: Try) -> None:
    fields = {"who": {"type": "string", "required": True}}
    tool = {"name": "send", "description": "Sends. RETURNS an object.", "inputs": fields}
    calls = flow(
        [
            {
                "id": "add", "type": "tool", "tool": "send", "args": {"who": "{{q}}"}, "output": "got",
                "approval": {"ask": "Send?"},
            }
        ],
        to("add"), {"got": {"type": "object"}}, tools=[tool],
    )  # fmt: skip
    mock: Json = {"tools": {"send": {}}, "answers": {"add": [{"who": "LGFLW"}, False]}}
    result = attempt(calls, mock=mock, expect={"path": [], "tools": [], "approvalBefore": ["add"]})
    assert [asked.kind for asked in passed(result).asked] == ["form", "approval"]
    mock["answers"]["add"] = True
    passed(attempt(calls, input={"q": "x"}, mock=mock, expect={"tools": ["send"]}))
    mock["answers"]["add"] = [{"who": "LGFLW"}, False]
    assert "wants one answer then, not a list" in failed(
        attempt(calls, input={"q": "x"}, mock=mock, expect={"tools": ["send"]})
    )
    mock["answers"]["add"] = {"who": "LGFLW"}
    passed(attempt(calls, mock=mock, expect={"tools": [{"name": "send", "args": {"who": "LGFLW"}}]}))


# LG-tests-23
def test_a_model_without_a_mock_is_an_error(attempt: Try) -> None:
    result = attempt(CLASSIFIES, input={"q": "x"}, mock={"nodes": {"reply": "ok"}}, expect={"path": ["sort"]})
    assert failed(result).startswith('"sort" asks a model, and nothing stands in for it: no test asks a real one.')
    assert result.path == []


# LG-tests-26
def test_a_flow_of_code_alone_needs_no_mock(attempt: Try) -> None:
    code = coded('return {"a": state["q"][::-1]}')
    passed(attempt(CODED, code, input={"q": "abc"}, expect={"output": {"a": "cba"}, "path": ["work"]}))
    passed(attempt(CODED, coded('raise ValueError("No way.")'), expect={"fails": "No way."}))


# LG-tests-29
def test_settings_of_a_test_win_over_those_of_the_file(run: Callable[..., list[TestResult]]) -> None:
    reads = {**CODED, "requires": {"settings": {"limit": {"default": 1, "description": "The limit."}}}}
    expect = {"output": {"a": {"matches": "^[0-9]$"}}}
    tests: list[Json] = [
        {"name": "file", "expect": {"output": {"a": "2"}}},
        {"name": "own", "settings": {"limit": 3}, "expect": {"output": {"a": "3"}}},
    ]
    files = {
        "flow.json": reads, "handlers.py": coded('return {"a": str(settings.limit)}'),
        "set.test.json": {"flow": "flow.json", "settings": {"limit": 2}, "tests": tests},
        "unset.test.json": {"flow": "flow.json", "tests": [{"name": "default", "expect": expect}]},
    }  # fmt: skip
    assert [passed(result).output["a"] for result in run(files)] == ["2", "3", "1"]


# LG-tests-31
def test_a_node_that_did_not_finish_is_not_in_the_path(attempt: Try) -> None:
    result = attempt(
        CALLS, input={"q": "x"}, mock={"tools": {"fetch": {"fails": "No."}}}, expect={"fails": "No.", "path": []}
    )
    assert passed(result).visits == {}


# LG-tests-33
def test_a_prompt_is_told_with_all_that_was_added_to_it(attempt: Try) -> None:
    long = "x" * 20_000
    mock = {"nodes": {"sort": {"kind": "other"}, "reply": "ok"}}
    result = passed(attempt(CLASSIFIES, input={"q": long}, mock=mock))
    sort, reply = result.prompts
    assert (sort.node, sort.visit, len(sort.text)) == ("sort", 1, 8_000)
    assert sort.length > 20_000
    short = passed(attempt(CLASSIFIES, input={"q": "tea"}, mock=mock)).prompts[0]
    assert short.text.startswith("Sort tea.") and '"enum": ["billing", "other"]' in short.text
    assert (short.reply, short.length) == ('{"kind": "other"}', len(short.text))
    assert reply.text == f"Answer {long[: 8_000 - 7]}"


# LG-tests-33
def test_what_happened_is_told_in_its_order(attempt: Try) -> None:
    mock = {"tools": {"fetch": {"then": [{"fails": "Busy."}, {"said": "yes"}]}}, "nodes": {"reply": "ok"}}
    result = passed(attempt(CATCHES, NOTE, input={"q": "x"}, mock=mock))
    assert [(event.type, event.node, event.ok) for event in result.events] == [
        ("tool", "get", False), ("failed", "get", False), ("tool", "get", True), ("step", "get", True),
        ("step", "note", True), ("end", "", True),
    ]  # fmt: skip
    asked = attempt(ASKS, mock={"nodes": {"reply": "x"}, "answers": {"name": "Ada", "details": {"age": 3}}})
    kinds = [event.type for event in passed(asked).events]
    assert kinds == [
        "asked", "answered", "step", "asked", "answered", "step", "asked", "answered", "model", "step", "end"
    ]  # fmt: skip
    routed = attempt(LOOP, mock={"nodes": {"decide": {"kind": "billing"}, "reply": "."}})
    assert [event.words for event in routed.events if event.type == "route"] == ['again took "done", to reply.']


def test_code_reaches_nothing_outside(attempt: Try) -> None:
    for call in (
        'services.http.get("http://127.0.0.1:9/x?key=1")',
        'services.http.post("http://127.0.0.1:9/x", json={})',
    ):
        code = coded(f'try:\n        await {call}\n    except Exception:\n        pass\n    return {{"a": "sent"}}')
        result = attempt(CODED, code, expect={"output": {"a": "sent"}})
        assert "in a test nothing leaves this machine" in failed(result)
        assert (result.failures[0].at, "key=1" in result.failures[0].message) == ("work", False)


def test_each_test_begins_anew(run: Callable[..., list[TestResult]]) -> None:
    remembers = flow(
        [{"id": "work", "handler": "work", "description": "Counts."}], to("work"),
        {"count": {"type": "number", "default": 0, "remembers": True}}, conversation=True,
    )  # fmt: skip
    code = coded('return {"count": state["count"] + 1, "a": str(len(state["history"]))}')
    tests = [{"name": name, "expect": {"state": {"count": 1}, "output": {"a": "0"}}} for name in ("one", "two")]
    files = {"flow.json": remembers, "handlers.py": code, "a.test.json": {"flow": "flow.json", "tests": tests}}
    assert [passed(result).test for result in run(files)] == ["one", "two"]


def test_names_choose_tests(run: Callable[..., list[TestResult]]) -> None:
    tests = [{"name": name, "mock": {"nodes": {"reply": name}}} for name in ("one", "two")]
    files = {"flow.json": PLAIN, "a.test.json": {"flow": "flow.json", "tests": tests}}
    assert [result.test for result in run(files, "two")] == ["two"]
