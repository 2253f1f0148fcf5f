"""Tests of flows with flows inside them: a step is named by its way, and leaves the path before what runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.testing.results import TestResult
from tests.runtime.testing.conftest import Try
from tests.runtime.testing.flows import OBJECT, coded, flow, says, to
from tests.runtime.testing.test_runner import failed, passed

Json = Any

CHILD = flow(
    [
        {"id": "look", "type": "tool", "tool": "fetch", "args": {"what": "{{q}}"}, "output": "got"},
        {"id": "which", "type": "ask", "ask": "Which {{q}}?", "output": "chosen"},
        says(id="decide", prompt="{{got}} {{chosen}}"),
    ],
    to("look", "which", "decide"),
    {"got": OBJECT, "chosen": {"type": "string"}},
    tools=[{"name": "fetch", "description": "Fetches. RETURNS an object."}],
    id="6f1dfb1e-0000-4000-8000-000000000002", name="Child",
)  # fmt: skip
PARENT = flow(
    [
        {"id": "find", "type": "flow", "flow": "child/flow.json", "input": {"q": "{{q}}"}, "output": {"a": "found"}},
        says(prompt="Found {{found}}"),
    ],
    to("find", "reply"),
    {"found": {"type": "string"}},
)
MOCK: Json = {
    "nodes": {"find/decide": "Alfreds.", "reply": "Here."},
    "tools": {"fetch": {"x": 1}},
    "answers": {"find/which": "B"},
}  # fmt: skip


# LG-tests-27, LG-tests-28
def test_a_childs_steps_are_stood_in_for_and_come_before_it(attempt: Try) -> None:
    result = attempt(
        PARENT, more={"child/flow.json": CHILD}, input={"q": "tea"}, mock=MOCK,
        expect={
            "path": ["find/look", "find/which", "find/decide", "find", "reply"], "state": {"found": "Alfreds."},
            "tools": ["fetch"], "asked": {"find/which": "Which tea?"}, "visits": {"find/decide": 1, "find": 1},
        },
    )  # fmt: skip
    assert [(prompt.node, prompt.text) for prompt in passed(result).prompts] == [
        ("find/decide", '{"x": 1} B'), ("reply", "Found Alfreds.")
    ]  # fmt: skip
    assert result.tools[0].node == "find/look"


# LG-tests-27
def test_what_a_child_lacks_is_said_by_its_way(attempt: Try) -> None:
    mock = {**MOCK, "nodes": {"reply": "Here."}}
    result = attempt(PARENT, more={"child/flow.json": CHILD}, mock=mock, expect={"path": ["reply"]})
    assert failed(result).startswith('"find/decide" asks a model')
    assert result.failures[0].at == "find/decide"


def test_each_flow_has_its_own_code(attempt: Try) -> None:
    inner = flow([{"id": "work", "handler": "work", "description": "Writes 'a'."}], to("work"), name="Inner")
    outer = flow(
        [
            {"id": "run", "type": "flow", "flow": "inner/flow.json", "input": {"q": "{{q}}"}, "output": {"a": "b"}},
            {"id": "work", "handler": "work", "description": "Writes 'a'."},
        ],
        to("run", "work"),
        {"b": {"type": "string"}},
    )
    more = {"inner/flow.json": inner, "inner/handlers.py": coded('return {"a": "inner " + state["q"]}')}
    code = coded('return {"a": "outer " + state["b"]}')
    passed(attempt(outer, code, more, input={"q": "x"}, expect={"output": {"a": "outer inner x"}}))
    del more["inner/handlers.py"]
    result = attempt(outer, code, more, input={"q": "x"})
    assert result.state == "refused" and "not beside it: work" in result.failures[0].message


def test_agents_are_run_by_their_names(attempt: Try) -> None:
    asks = flow(
        [
            {
                "id": "ask", "type": "agent", "agent": "{{q}}", "agents": ["helper"], "input": {"q": "it"},
                "output": "said",
            }
        ],
        to("ask"), {"said": OBJECT},
    )  # fmt: skip
    registry = {"agents": {"helper": {"flow": "helper/flow.json"}}}
    helper = flow([says()], to("reply"), name="Helper")
    more = {"agents.json": registry, "helper/flow.json": helper}
    mock = {"nodes": {"ask/helper/reply": "Yes."}}
    passed(
        attempt(
            asks, more=more, input={"q": "helper"}, mock=mock,
            expect={"path": ["ask/helper/reply", "ask"], "state": {"said.a": "Yes.", "said.agent": "helper"}},
        )
    )  # fmt: skip
    passed(attempt(asks, more=more, input={"q": "nobody"}, mock=mock, expect={"fails": "may not call"}))


# LG-tests-31
def test_a_fan_outs_copies_are_one_entry(attempt: Try, run: Callable[..., list[TestResult]]) -> None:
    spread = flow(
        [
            {"id": "spread", "type": "fanout", "over": "items", "to": "each", "as": "item"},
            {"id": "each", "type": "llm", "prompt": "Do {{item}}.", "output": "done"},
            {"id": "work", "handler": "work", "description": "Writes 'a'."},
        ],
        to("each", "work"),
        {"items": {"type": "list"}, "done": {"type": "list", "reducer": "append"}}, inputs=["items"],
    )  # fmt: skip
    code = coded('return {"a": " ".join(each["word"] for each in state["done"])}')
    mock: Json = {"nodes": {"each": {"then": [{"word": "one"}, {"word": "two"}, {"word": "three"}]}}}
    result = attempt(
        spread, code, input={"items": ["a", "b", "c"]}, mock=mock,
        expect={"path": ["spread", "each", "work"], "visits": {"each": 3}, "output": {"a": {"length": 13}}},
    )  # fmt: skip
    assert sorted(prompt.text for prompt in passed(result).prompts) == ["Do a.", "Do b.", "Do c."]
    assert "4 times" in failed(attempt(spread, code, input={"items": [1, 2, 3, 4]}, mock=mock))
