"""Pasting: what is taken gets another name, what is the same is shared, and the flow that was there stays as it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.edits import naming
from flows.edits.references import references
from tests.flows.edits.edited import codes, edge, edited, node
from tests.flows.flow_of import every_kind, question

Json = Any


def copied(document: Json, *ids: str) -> Json:
    """What a page copies: nodes, the edges that leave them, and the channels and tools there are."""
    document = json.loads(json.dumps(document))
    return {
        "op": "paste",
        "nodes": [each for each in document["nodes"] if each["id"] in ids],
        "edges": [each for each in document["edges"] if each["from"] in ids],
        "channels": document["state"],
        "tools": document.get("tools", []),
    }


def test_a_copy_in_the_same_flow_gets_names_of_its_own() -> None:
    paste = copied(every_kind(), "which", "count", "reply")
    positions = {"which": {"x": 10, "y": 20}}
    applied = edited(every_kind(), {**paste, "positions": positions, "offset": {"x": 5, "y": 5}})
    assert applied.renamed == {"which": "which_2", "count": "count_2", "reply": "reply_2"}
    assert edge(applied, "which_2")["to"] == "count_2"
    # "count" led to a node that was not copied.
    assert edge(applied, "count_2") is None and edge(applied, "reply_2")["to"] == "END"
    assert applied.document["state"] == every_kind()["state"] and applied.document["tools"] == every_kind()["tools"]
    assert applied.layout["nodes"] == {"which_2": {"x": 15.0, "y": 25.0}}
    assert applied.document["nodes"][:6] == every_kind()["nodes"]
    again = edited(applied.document, paste)
    assert again.renamed["reply"] == "reply_3"


def test_a_copy_from_another_flow_brings_what_it_needs() -> None:
    other = every_kind()
    other["state"]["answer"] = {"type": "object", "description": "Something else."}
    other["tools"][0]["name"] = "look"
    other["nodes"][2]["tool"] = "look"
    applied = edited(question(), copied(other, "plan", "change", "reply"))
    assert applied.renamed == {"answer": "answer_2", "reply": "reply_2"}
    state = applied.document["state"]
    assert state["answer_2"] == other["state"]["answer"] and state["answer"] == question()["state"]["answer"]
    assert "details" in state and [each["name"] for each in applied.document["tools"]] == ["look"]
    assert node(applied, "reply_2")["output"] == "answer_2" and node(applied, "change")["approval"]["why"] == "answer_2"
    assert (
        node(applied, "plan")["onError"] == "reply_2" and node(applied, "change")["approval"]["onReject"] == "reply_2"
    )
    # The route to "which", which was not copied, went with its sentence and its limit.
    assert edge(applied, "plan")["routes"] == {"talk": "reply_2"} and "limits" not in edge(applied, "plan")
    nodes = {each["id"] for each in applied.document["nodes"]} | {"END"}
    assert {each.text for each in references(applied.document, "node", "next")} <= nodes


def test_tools_and_code_that_do_something_else_get_names_of_their_own() -> None:
    other = every_kind()
    other["tools"][0]["description"] = "GETs something else. Returns text."
    other["nodes"][4]["description"] = "Counts something else."
    other["edges"][1]["when"]["change"] = "'plan.wish' is \"swap\""
    applied = edited(every_kind(), copied(other, "plan", "which", "count", "change", "reply"))
    assert node(applied, "change_2")["tool"] == "changeOrder_2" and applied.renamed["changeOrder"] == "changeOrder_2"
    assert node(applied, "count_2")["handler"] == "countTry_2" and node(applied, "count")["handler"] == "countTry"
    assert edge(applied, "plan_2")["router"] == "routePlan_2"
    same = edited(every_kind(), copied(every_kind(), "count"))
    assert node(same, "count_2")["handler"] == "countTry"


def test_a_copy_into_an_empty_flow_begins_it() -> None:
    applied = edited({}, copied(question(), "reply"))
    assert applied.document["start"] == "reply" and applied.renamed == {}
    assert applied.document["edges"] == [{"from": "reply", "to": "END"}]


def test_a_copy_that_is_none_is_refused() -> None:
    twice = copied(question(), "reply")
    twice["nodes"] *= 2
    assert codes(question(), twice) == [(0, "NODE_ID_TWICE")]
    assert codes(question(), {"op": "paste", "nodes": [{"id": "a b"}]}) == [(0, "NODE_ID_INVALID")]
    assert codes(question(), {"op": "paste", "nodes": [{"id": "a"}], "channels": {"a b": {}}}) == [(0, "NAME_INVALID")]
    assert codes(question(), {"op": "paste", "nodes": [{"id": "a"}], "tools": [{}]}) == [(0, "NAME_INVALID")]


def test_two_long_names_that_are_cut_alike_stay_two() -> None:
    flow = question()
    long = ["y" * 63 + end for end in "ab"]
    for name in long:
        flow["state"][name] = {"type": "string", "description": "One."}
        flow["nodes"].append({"id": name, "type": "llm", "prompt": f"{{{{{name}}}}}", "output": name})
    paste = copied(flow, *long)
    paste["channels"] = {name: {"type": "string", "description": "Another."} for name in long}
    applied = edited(flow, paste)
    new = ["y" * 62 + ending for ending in ("_2", "_3")]
    assert [each["id"] for each in applied.document["nodes"][-2:]] == new
    assert [node(applied, id)["prompt"] for id in new] == [f"{{{{{name}}}}}" for name in new]


def test_a_large_copy_is_gone_through_as_often_as_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []
    monkeypatch.setattr(naming, "references", lambda *given: [reads.append(1), *references(*given)][1:])
    counted = []
    for many in (2, 40):
        flow = question()
        for number in range(many):
            flow["state"][f"c{number}"] = {"type": "string", "description": "One."}
            flow["nodes"].append({"id": f"n{number}", "type": "llm", "prompt": "x", "output": f"c{number}"})
        paste = copied(flow, *(f"n{number}" for number in range(many)))
        paste["channels"] = {name: {**each, "description": "Another."} for name, each in paste["channels"].items()}
        reads.clear()
        assert node(edited(flow, paste), f"n{many - 1}_2")["output"] == f"c{many - 1}_2"
        counted.append(len(reads))
    assert counted[0] == counted[1]
