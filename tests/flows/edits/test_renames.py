"""A rename reaches everything that says the name, and nothing that only looks like it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.check import check
from flows.edits.apply import apply, written
from flows.edits.changes import Sketch, make, reverse
from flows.edits.code import renamed as renamed_code
from flows.edits.references import references
from flows.edits.work import UnitMove
from flows.words import template, when
from runtime.processes import ROOT
from tests.flows.edits.edited import codes, edge, edited, found, node
from tests.flows.flow_of import every_kind, question

Json = Any
EXAMPLES = sorted((ROOT / "flows/examples").glob("*/flow.json"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.parent.name)
def test_everything_of_an_example_can_be_renamed_and_renamed_back(file: Path) -> None:
    first = json.loads(file.read_text(encoding="utf-8"))
    assert check(first).problems == []
    there: list[Json] = [
        *({"op": "renameNode", "id": each["id"], "to": f"{each['id']}_x"} for each in first["nodes"]),
        *({"op": "renameChannel", "name": name, "to": f"{name}_x"} for name in first["state"]),
        *({"op": "renameTool", "name": each["name"], "to": f"{each['name']}_x"} for each in first.get("tools", [])),
    ]
    for each in first["edges"]:
        for route in each.get("routes", {}):
            there.append({"op": "renameRoute", "from": f"{each['from']}_x", "route": route, "to": f"{route}-x"})
    changed = edited(first, *there)
    # Code and what it is written from name channels in words: those stay, and where it matters it is said.
    assert {problem.code for problem in changed.problems} <= {"DESCRIPTION_VAGUE", "ANSWER_UNREAD"}
    old = {each.text for each in references(first, "channel", "node", "tool", "route")}
    new = {each.text for each in references(changed.document, "channel", "node", "tool", "route")}
    assert old & new <= {"history", "END"}
    back = []
    for one in reversed(there):
        if one["op"] == "renameNode":
            back.append({"op": "renameNode", "id": one["to"], "to": one["id"]})
        elif one["op"] == "renameRoute":
            back.append({"op": "renameRoute", "from": one["from"], "route": one["to"], "to": one["route"]})
        else:
            back.append({"op": one["op"], "name": one["to"], "to": one["name"]})
    assert written(edited(changed.document, *back).document) == written(first)


def test_a_node_is_renamed_wherever_it_is_named() -> None:
    applied = edited(
        every_kind(),
        {"op": "move", "positions": {"details": {"x": 1, "y": 2}}},
        {"op": "renameNode", "id": "details", "to": "ask_first"},
        {"op": "renameNode", "id": "reply", "to": "say"},
    )
    assert applied.document["start"] == "ask_first"
    assert edge(applied, "plan")["limits"]["change"]["per"] == "ask_first"
    assert edge(applied, "plan")["routes"]["talk"] == "say"
    assert node(applied, "plan")["onError"] == "say" and node(applied, "change")["approval"]["onReject"] == "say"
    # The channel "details" is called as before.
    assert node(applied, "ask_first")["output"] == "details" and node(applied, "change")["approval"]["show"] == [
        "details"
    ]
    assert list(applied.layout["nodes"]) == ["ask_first"]
    assert found(applied) == []


def test_a_channel_is_renamed_wherever_it_is_read_or_written() -> None:
    applied = edited(
        every_kind(),
        {"op": "renameChannel", "name": "details", "to": "facts"},
        {"op": "renameChannel", "name": "plan", "to": "wishes"},
        {"op": "renameChannel", "name": "answer", "to": "said"},
        {"op": "renameChannel", "name": "question", "to": "asked"},
        {"op": "renameChannel", "name": "choice", "to": "chosen"},
    )
    flow = applied.document
    assert (flow["inputs"], flow["outputs"]) == (["asked"], ["said"])
    assert node(applied, "plan")["prompt"] == "What is wished? {{asked}} {{history}}"
    assert edge(applied, "plan")["when"]["change"] == "'wishes.wish' is \"change\""
    assert node(applied, "change")["args"] == {"orderId": "{{facts.orderId}}", "lines": ["{{chosen}}"]}
    approval = node(applied, "change")["approval"]
    assert (approval["ask"], approval["show"], approval["edit"]) == ("Change {{facts.orderId}}?", ["facts"], ["chosen"])
    assert approval["why"] == "said"
    # The order of the state stays; a node of the channel's name, and words that are code's, stay as well.
    assert list(flow["state"])[:3] == ["asked", "facts", "wishes"]
    assert [each["id"] for each in flow["nodes"]][:2] == ["details", "plan"]
    assert "Reads 'choice'" in node(applied, "count")["description"]


def test_templates_follow_in_fields_that_no_word_declares() -> None:
    flow = question()
    flow["nodes"][0]["later"] = {"deep": ["{{ question.a }} and {{questions}}"]}
    flow["nodes"].append({"id": "x", "type": "wizard", "spell": "{{question}}", "onError": "reply"})
    applied = edited(
        flow, {"op": "renameChannel", "name": "question", "to": "q"}, {"op": "renameNode", "id": "reply", "to": "r"}
    )
    assert node(applied, "r")["later"] == {"deep": ["{{ q.a }} and {{questions}}"]}
    assert node(applied, "x") == {"id": "x", "type": "wizard", "spell": "{{q}}", "onError": "r"}


def test_a_route_is_renamed_in_everything_its_edge_says() -> None:
    applied = edited(every_kind(), {"op": "renameRoute", "from": "plan", "route": "talk", "to": "chat"})
    assert edge(applied, "plan") == {
        **every_kind()["edges"][1],
        "routes": {"change": "which", "chat": "reply"},
        "when": {"change": "'plan.wish' is \"change\"", "chat": "anything else"},
        "limits": {"change": {"max": 3, "then": "chat", "per": "details"}},
    }


def test_code_goes_with_its_name() -> None:
    applied = edited(every_kind(), {"op": "renameTool", "name": "changeOrder", "to": "alter"})
    assert node(applied, "change")["tool"] == "alter" and applied.moves == [UnitMove("tool", "changeOrder", "alter")]
    handler = {"op": "setField", "on": {"node": "count"}, "path": ["handler"], "value": "tally"}
    assert edited(every_kind(), handler).moves == [UnitMove("handler", "countTry", "tally")]
    router = {"op": "setField", "on": {"edge": {"from": "plan"}}, "path": ["router"], "value": "choose"}
    assert edited(every_kind(), router).moves == [UnitMove("router", "routePlan", "choose")]
    # While another node runs it, the code stays where it is.
    shared = every_kind()
    shared["nodes"].append({"id": "again", "handler": "countTry"})
    assert edited(shared, handler).moves == []


CODE = """\
async def count(state, *, services, settings, env):
    # count is said here
    found = count(state) if "count" in state else services.count(1)
    return {"count": state["count"], "n": helper.count(found), "s": sum(x for x in count (found))}
"""


def test_only_the_function_is_renamed_in_code() -> None:
    assert renamed_code(CODE, "count", "tally") == (
        CODE.replace("def count(", "def tally(")
        .replace("= count(state)", "= tally(state)")
        .replace("count (found)", "tally (found)")
    )
    assert renamed_code("def broken(:\n  '", "broken", "b") == "def broken(:\n  '"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{a}} {{ a.b }} {{a.0}}", "{{z}} {{ z.b }} {{z.0}}"),
        ("{{ab}} {{b.a}} a {a} {{a | upper}} {{{a}}}", "{{ab}} {{b.a}} a {a} {{a | upper}} {{{z}}}"),
        ("{{a}}{{a}}", "{{z}}{{z}}"),
        ("{{a.a}}", "{{z.a}}"),
    ],
)
def test_templates(text: str, expected: str) -> None:
    assert template.renamed(text, "a", "z") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'a' is \"a\" and `a.b` is not empty", "'z' is \"a\" and `z.b` is not empty"),
        ("'ab' is empty or 'b.a' is true", "'ab' is empty or 'b.a' is true"),
        ("it says \"look at 'a'\"", "it says \"look at 'a'\""),
        ("the person's wish in 'a' is clear", "the person's wish in 'a' is clear"),
        ("what 'a' holds is clear", "what 'z' holds is clear"),
    ],
)
def test_sentences(text: str, expected: str) -> None:
    assert when.renamed(text, "a", "z") == expected


def test_names_are_free() -> None:
    assert codes(every_kind(), {"op": "renameTool", "name": "changeOrder", "to": "no name"}) == [(0, "NAME_INVALID")]


def test_a_node_keeps_its_place_where_one_of_that_name_once_stood() -> None:
    layout = {"nodes": {"gone": {"x": 1, "y": 2}, "reply": {"x": 3, "y": 4}}, "comments": []}
    applied = apply(Sketch(question(), layout), [{"op": "renameNode", "id": "reply", "to": "gone"}])
    assert applied.layout["nodes"] == {"gone": {"x": 3, "y": 4}}
    before = Sketch(applied.document, applied.layout)
    make(before, reverse(applied.changes))
    assert (before.document, before.layout) == (question(), layout)
