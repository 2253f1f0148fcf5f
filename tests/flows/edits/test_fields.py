"""Setting a field of anything: reached by its path, made where it is missing, refused where it cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from flows.edits.apply import EditRefused
from tests.flows.edits.edited import codes, edited
from tests.flows.flow_of import every_kind

Json = Any


@pytest.mark.parametrize(
    ("on", "path", "value", "where"),
    [
        ({"node": "reply"}, ["prompt"], "Hi", lambda d: d["nodes"][5]["prompt"]),
        ({"node": "reply"}, ["approval", "ask"], "Ok?", lambda d: d["nodes"][5]["approval"]["ask"]),
        ({"node": "which"}, ["show", 1], "plan", lambda d: d["nodes"][3]["show"][1]),
        ({"node": "reply"}, ["a", "b", 0, "c"], 1, lambda d: d["nodes"][5]["a"]["b"][0]["c"]),
        ({"edge": {"from": "plan"}}, ["when", "change"], "x", lambda d: d["edges"][1]["when"]["change"]),
        ({"edge": {"from": "plan", "to": "reply"}}, ["router"], "go", lambda d: d["edges"][1]["router"]),
        ({"channel": "plan"}, ["type"], "any", lambda d: d["state"]["plan"]["type"]),
        ({"tool": "changeOrder"}, ["inputs", "new"], {"type": "date"}, lambda d: d["tools"][0]["inputs"]["new"]),
        ({"flow": True}, ["suggestions", 0], "Hello?", lambda d: d["suggestions"][0]),
        ({"flow": True}, ["requires", "env", 1], "KEY", lambda d: d["requires"]["env"][1]),
    ],
)  # fmt: skip
def test_a_field_of_anything_can_be_set_and_removed(on: Json, path: Json, value: Json, where: Any) -> None:
    applied = edited(every_kind(), {"op": "setField", "on": on, "path": path, "value": value})
    assert where(applied.document) == value
    removed = edited(applied.document, {"op": "setField", "on": on, "path": path})
    with pytest.raises((KeyError, IndexError)):
        where(removed.document)


def test_null_is_a_value_and_nothing_is_none() -> None:
    set_null = {"op": "setField", "on": {"channel": "plan"}, "path": ["default"], "value": None}
    assert edited(every_kind(), set_null).document["state"]["plan"]["default"] is None
    del set_null["value"]
    assert edited(every_kind(), set_null).changes == []


def test_a_new_field_of_the_flow_stands_where_the_language_lists_it() -> None:
    flow = every_kind()
    del flow["suggestions"]
    applied = edited(flow, {"op": "setField", "on": {"flow": True}, "path": ["suggestions"], "value": ["A?"]})
    keys = list(applied.document)
    assert keys.index("conversation") < keys.index("suggestions") < keys.index("inputs")


@pytest.mark.parametrize(
    ("on", "path", "code"),
    [
        ({"node": "nobody"}, ["prompt"], "NOT_FOUND"),
        ({"node": "reply"}, ["id"], "FIELD_IS_NAME"),
        ({"tool": "changeOrder"}, ["name"], "FIELD_IS_NAME"),
        ({"edge": {"from": "reply"}}, ["from"], "FIELD_IS_NAME"),
        ({"flow": True}, ["id"], "FIELD_IS_STORED"),
        ({"flow": True}, ["nodes"], "FIELD_IS_SECTION"),
        ({"flow": True}, ["state", "x"], "FIELD_IS_SECTION"),
        ({"node": "reply"}, ["prompt", "x"], "FIELD_UNREACHABLE"),
        ({"node": "which"}, ["show", 9], "FIELD_UNREACHABLE"),
        ({"node": "which"}, ["show", "x"], "FIELD_UNREACHABLE"),
        ({"node": "reply"}, ["list", 3], "FIELD_UNREACHABLE"),
        ({"channel": "none"}, ["type"], "NOT_FOUND"),
        ({"tool": "none"}, ["description"], "NOT_FOUND"),
        ({"edge": {"from": "plan", "to": "details"}}, ["when"], "EDGE_NOT_FOUND"),
        ({}, ["x"], "MISSING_KEY"),
        ({"node": "reply", "channel": "x"}, ["x"], "UNKNOWN_KEY"),
    ],
)
def test_a_field_that_cannot_be_set_is_refused(on: Json, path: Json, code: str) -> None:
    assert codes(every_kind(), {"op": "setField", "on": on, "path": path, "value": "v"}) == [(0, code)]


def test_what_was_seen_must_still_be_there() -> None:
    change = {"op": "setField", "on": {"channel": "plan"}, "path": ["type"], "value": "any", "was": "object"}
    assert edited(every_kind(), change).document["state"]["plan"]["type"] == "any"
    assert codes(every_kind(), {**change, "was": "list"}) == [(0, "FIELD_CHANGED")]
    # Who wants what is there already has it.
    assert edited(every_kind(), {**change, "was": "list", "value": "object"}).changes == []


@pytest.mark.parametrize(
    ("operation", "message", "hint"),
    [
        (
            {"op": "setField", "on": {"flow": False}, "path": ["name"], "value": "X"},
            '"on.flow" of operation "setField" is false, and it can only be true.',
            "Write true, or remove it. True says the flow itself; a part of it is named by "
            '"node", "edge", "channel" or "tool" instead.',
        ),
        (
            {"op": "addNode", "node": {"id": None, "type": "llm"}},
            "The id of a node must be text, and it is nothing (null).",
            'Write one, such as "reply". Use up to 64 letters, digits, _ and -, and begin with a letter.',
        ),
        (
            {"op": "addTool", "tool": {"name": 7}},
            "The name of a tool must be text, and it is a number.",
            'Write one, such as "orders". Use up to 64 letters, digits and _, begin with a letter, and use no '
            "Python keyword.",
        ),
    ],
)
def test_a_value_that_cannot_stand_there_is_said_with_what_to_write(operation: Json, message: str, hint: str) -> None:
    with pytest.raises(EditRefused) as refused:
        edited(every_kind(), operation)
    assert [(each.message, each.hint) for each in refused.value.problems] == [(message, hint)]
