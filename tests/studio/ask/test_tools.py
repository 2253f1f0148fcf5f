"""The tools and the prompt: derived from the operations and the reference, readable by any endpoint, never too long."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from flows import reference, runnable
from flows.check import check
from flows.edits.operations import OPERATIONS
from studio.ask import prompt, tools
from studio.ask.talk import claims_edits
from studio.ask.tools import BadCall
from studio.ask.working import Working
from tests.studio.ask.conftest import FLOW

Json = Any


def schemas(value: Json) -> Iterator[dict[str, Json]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from schemas(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from schemas(inner)


def test_each_operation_is_a_tool_or_left_out_by_name() -> None:  # LG-studio-02
    own = {"read_reference", "read_flow", "check_readiness", "describe_flow_contract"}
    assert set(tools.names()) == own | (set(OPERATIONS) - tools.NOT_FOR_MODELS)
    assert set(OPERATIONS) >= tools.NOT_FOR_MODELS
    for each in tools.declared():
        function = each["function"]
        assert each["type"] == "function" and len(function["description"]) > 15
        assert function["parameters"]["additionalProperties"] is False
        for name, field in function["parameters"]["properties"].items():
            assert field.get("description"), f"{function['name']} does not say what {name} is"
        for schema in schemas(function["parameters"]):
            assert not schema.keys() & {"$ref", "$defs", "discriminator", "title"}
    text = json.dumps(tools.declared())
    assert '"position"' not in text and '"was"' not in text


def test_the_overview_is_always_in_front_and_a_topic_is_one_call() -> None:  # LG-doc-01 LG-doc-02
    system, user = prompt.messages("Why?", FLOW, check(FLOW), [], [])
    assert reference.overview() in system["content"]
    assert user["content"].endswith("<ask>\nWhy?\n</ask>")
    working = Working(FLOW, {})
    for topic in reference.topics():
        result = working.do(tools.read("read_reference", json.dumps({"topic": topic.name})))
        assert result.ok and result.given == topic.text
    unknown = working.do(tools.read("read_reference", '{"topic": "aproval"}'))
    assert not unknown.ok and '"approval"' in unknown.message
    offered = next(each for each in tools.declared() if each["function"]["name"] == "read_reference")
    assert all(topic.name in offered["function"]["description"] for topic in reference.topics())


BROKEN = [
    ("addNode", '{"node": {"id": "a"}', "ARGUMENTS_BROKEN"),
    ("addNode", "[]", "ARGUMENTS_BROKEN"),
    ("addNode", '"a"', "ARGUMENTS_BROKEN"),
    ("addNode", '{"node": {"id": "a"}, "node": {}}', "ARGUMENTS_BROKEN"),
    ("addNode", "{}", "ARGUMENTS_WRONG"),
    ("addNode", '{"node": 7}', "ARGUMENTS_WRONG"),
    ("setField", '{"on": {"nod": "a"}, "path": ["x"], "value": 1}', "ARGUMENTS_WRONG"),
    ("setField", '{"on": {"node": "a"}, "path": [], "value": 1}', "ARGUMENTS_WRONG"),
    ("describe_flow_contract", "{}", "ARGUMENTS_WRONG"),
    ("describe_flow_contract", '{"title": "x"}', "ARGUMENTS_WRONG"),
    ("read_reference", "{}", "ARGUMENTS_WRONG"),
    ("read_reference", '{"topic": 5}', "ARGUMENTS_WRONG"),
    ("read_flow", '{"part": "a", "more": "b"}', "ARGUMENTS_WRONG"),
    ("setDocument", '{"text": "{}"}', "TOOL_UNKNOWN"),
    ("", "{}", "TOOL_UNKNOWN"),
]


@pytest.mark.parametrize(("tool", "arguments", "code"), BROKEN)
def test_what_cannot_be_read_is_told_in_words(tool: str, arguments: str, code: str) -> None:
    with pytest.raises(BadCall) as bad:
        tools.read(tool, arguments)
    assert bad.value.code == code and len(bad.value.message) > 20


def test_what_models_often_write_is_understood() -> None:
    working = Working({**FLOW, "suggestions": ["Hello?"]}, {})
    null = tools.read("setField", '{"on": {"flow": true}, "path": ["suggestions"], "value": null}')
    assert working.do(null).ok and "suggestions" not in working.draft.document
    again = working.do(null)
    assert (again.ok, again.progress, again.edited) == (True, False, False)
    placed = tools.read("addNode", '{"op": "addNode", "node": {"id": "a", "handler": "a"}, "position": {"x": "left"}}')
    assert working.do(placed).ok
    several = tools.read("describe_flow_contract", '{"name": "Desk", "inputs": []}')
    assert working.do(several).words == [each.words() for each in several.operations]
    assert (working.draft.document["name"], working.draft.document["inputs"]) == ("Desk", [])
    assert working.do(tools.read("check_readiness", "")).ok


def test_an_edit_that_fails_in_its_middle_leaves_nothing() -> None:
    working = Working(FLOW, {})
    failed = working.do(tools.read("removeNodes", '{"ids": ["reply", "nobody"]}'))
    assert not failed.ok and failed.code and not working.changed
    assert json.dumps(working.draft.document) == json.dumps(FLOW)


def test_a_word_that_cannot_run_here_is_told_and_never_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    # Every word can by now; one that cannot is a matter of its declaration.
    monkeypatch.setattr(runnable, "_is_barred", lambda each: each.key == "users")
    working = Working(FLOW, {})
    edit = {"on": {"flow": True}, "path": ["requires", "users"], "value": True}
    assert working.do(tools.read("setField", json.dumps(edit))).ok
    assert [each.code for each in working.new_problems()] == ["WORD_CANNOT_RUN"]
    assert [each.code for each in working.new_errors()] == ["WORD_CANNOT_RUN"]
    # One that stands there already blocks no other edit.
    asking = Working(working.draft.document, {})
    assert asking.do(tools.read("setField", json.dumps({**edit, "path": ["description"], "value": "Asks."}))).ok
    assert asking.new_errors() == []


def test_parts_are_read_by_name() -> None:
    working = Working(FLOW, {})

    def part(name: str) -> Json:
        return working.do(tools.read("read_flow", json.dumps({"part": name}))).given

    assert part("reply") == {"node": FLOW["nodes"][0], "edges": [FLOW["edges"][0]]}
    assert part("answer") == {"channel": {"answer": FLOW["state"]["answer"]}}
    assert part("placeOrder") == {"tool": FLOW["tools"][0]}
    assert working.do(tools.read("read_flow", "")).given == FLOW
    assert working.do(tools.read("read_flow", '{"part": "nobody"}')).code == "PART_UNKNOWN"


def test_a_long_flow_is_given_as_an_outline() -> None:
    nodes = [{"id": f"step_{n}", "type": "llm", "prompt": "x" * 200, "output": "answer"} for n in range(300)]
    long = {**FLOW, "nodes": nodes, "start": "step_0"}
    user = prompt.messages("Why?", long, check(long), [], [])[1]["content"]
    assert "<outline>" in user and "node step_299 (llm), writes answer" in user and "x" * 200 not in user
    assert len(user) < prompt.WHOLE + 10_000
    assert isinstance(Working(long, {}).do(tools.read("read_flow", "")).given, str)


def test_outlines_of_broken_flows_do_not_break() -> None:
    for broken in (
        {},
        {"nodes": 5, "state": [], "edges": [None, 3, {"routes": 1}], "tools": [{}]},
        {"nodes": [{"id": 5}]},
    ):
        assert isinstance(prompt.outline(broken), str)
        working = Working(broken, {})
        for name in ("", "reply"):
            working.do(tools.read("read_flow", json.dumps({"part": name})))
        assert working.do(tools.read("check_readiness", "{}")).ok


CLAIMS = {
    "I have added an approval.": True,
    "I've changed the prompt.": True,
    "Done. The step was renamed.": True,
    "The prompt has been updated as you asked.": True,
    "Added a step that sums up.": True,
    "It answers the question with the conversation in view.": False,
    "You could add an approval to the step place.": False,
    "Once the order has been created, the last step says so.": False,
    "Which of the two prompts do you mean?": False,
}


@pytest.mark.parametrize(("words", "claims"), CLAIMS.items())
def test_words_that_sound_like_edits_are_known(words: str, claims: bool) -> None:
    assert claims_edits(words) is claims
