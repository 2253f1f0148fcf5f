"""Differences in words: each is said once, with its sign, and equal documents say nothing."""

from __future__ import annotations

import pytest

from flows.edits.difference import layout_lines, lines, unit_lines
from tests.flows.edits.edited import edited
from tests.flows.edits.random_edits import broken
from tests.flows.flow_of import every_kind, question


def said(*operations: object) -> list[tuple[str, str]]:
    applied = edited(every_kind(), *operations)
    return [(line.sign, line.words) for line in lines(every_kind(), applied.document)]


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        (
            [{"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": "Hi"}],
            [("~", '"prompt" of node "reply" changed')],
        ),
        (
            [{"op": "setField", "on": {"node": "reply"}, "path": ["approval"], "value": {"ask": "Ok?"}}],
            [("~", '"approval" of node "reply" added')],
        ),
        ([{"op": "renameNode", "id": "count", "to": "tally"}], [
            ("~", 'Node "count" renamed to "tally"'),
        ]),
        ([{"op": "removeNodes", "ids": ["count"]}], [
            ("-", 'Node "count" removed'),
            ("~", '"which" leads to "change" instead of "count"'),
            ("-", '"count" leads no more to "change"'),
        ]),
        ([{"op": "connect", "from": "which", "to": "END", "route": "done", "when": "'choice' is empty"}], [
            ("~", 'The way on from "which" is now chosen by routes'),
            ("+", 'Route "done" from "which" added, to "END"'),
            ("+", 'Route "count" from "which" added, to "count"'),
        ]),
        ([{"op": "disconnect", "from": "plan", "to": "which"}], [
            ("~", 'The way on from "plan" is now always the same'),
            ("+", '"plan" leads to "reply"'),
            ("-", 'Route "change" from "plan" removed'),
            ("-", 'Route "talk" from "plan" removed'),
            ("~", 'Limit of the route "change" from "plan" removed'),
        ]),
        ([{"op": "setField", "on": {"edge": {"from": "plan"}}, "path": ["when", "change"], "value": "x"}], [
            ("~", 'Condition of the route "change" from "plan" changed'),
        ]),
        ([{"op": "addChannel", "name": "note", "channel": {"type": "string"}}], [("+", 'Channel "note" added')]),
        ([{"op": "removeTool", "name": "changeOrder"}], [("-", 'Tool "changeOrder" removed')]),
        ([{"op": "setField", "on": {"flow": True}, "path": ["description"], "value": "X"}], [
            ("~", '"description" of the flow changed'),
        ]),
    ],
)  # fmt: skip
def test_an_edit_in_words(operations: list[object], expected: list[tuple[str, str]]) -> None:
    assert said(*operations) == expected


@pytest.mark.parametrize("name", broken())
def test_the_same_says_nothing_and_anything_can_be_compared(name: str) -> None:
    assert lines(broken()[name], broken()[name]) == []
    for other in broken().values():
        if other != broken()[name]:
            assert lines(broken()[name], other)
    assert lines(None, broken()[name]) or broken()[name] == {}


def test_a_line_carries_what_was_and_what_is() -> None:
    applied = edited(every_kind(), {"op": "setField", "on": {"node": "plan"}, "path": ["onError"]})
    (line,) = lines(every_kind(), applied.document)
    assert line.wire() == {
        "sign": "~", "what": "node", "name": "plan", "words": '"onError" of node "plan" removed', "path": ["onError"],
        "old": "reply", "node": "plan",
    }  # fmt: skip


def test_layout_and_code_are_said_too() -> None:
    old = {"nodes": {"a": {"x": 1, "y": 1}}, "comments": [{"id": "c"}]}
    new = {"nodes": {"a": {"x": 2, "y": 1}, "b": {"x": 0, "y": 0}}, "comments": [{"id": "d"}]}
    assert [line.words for line in layout_lines(old, new)] == ["2 nodes moved", "Comment removed", "Comment added"]
    changed = unit_lines({"tool:a": "1", "tool:b": "2"}, {"tool:b": "3", "router:c": "4"})
    assert [(line.sign, line.words) for line in changed] == [
        ("-", 'Code of tool "a" removed'), ("~", 'Code of tool "b" changed'), ("+", 'Code of router "c" added'),
    ]  # fmt: skip
    assert lines(question(), question()) == []


def test_parts_without_a_name_are_told_apart_however_many_there_are() -> None:
    said = lines({}, {"nodes": [0] * 100_000 + [{"id": "?#2"}, {"id": "?#2"}]})
    assert len(said) == 100_002 == len({line.name for line in said})
