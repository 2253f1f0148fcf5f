"""What each operation does: to the part it names, to all that names that part, and to nothing else."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from flows.check import check
from flows.edits.apply import EditRefused, apply, written
from flows.edits.operations import OPERATIONS
from flows.edits.work import Work
from tests.flows.edits.edited import codes, edge, edited, found, node
from tests.flows.flow_of import every_kind, question

Json = Any


# Nodes


def test_the_first_node_becomes_the_start() -> None:
    empty = {**question(), "nodes": [], "edges": [], "start": ""}
    ask = {"id": "ask", "type": "ask", "ask": "What?", "show": ["question"], "output": "answer"}
    applied = edited(
        empty,
        {"op": "addNode", "node": ask, "position": {"x": 5, "y": 7}},
        {"op": "connect", "from": "ask", "to": "END"},
    )
    assert applied.document["start"] == "ask"
    assert applied.layout["nodes"] == {"ask": {"x": 5.0, "y": 7.0}}
    assert found(applied) == []


def test_a_flow_without_any_section_takes_a_node() -> None:
    applied = edited(
        {}, {"op": "addNode", "node": {"id": "a", "handler": "a"}}, {"op": "connect", "from": "a", "to": "END"}
    )
    assert applied.document == {
        "start": "a",
        "nodes": [{"id": "a", "handler": "a"}],
        "edges": [{"from": "a", "to": "END"}],
    }


def test_a_node_is_spliced_into_an_edge_and_into_a_route() -> None:
    new = {"id": "new", "type": "llm", "prompt": "{{question}}", "output": "answer"}
    applied = edited(every_kind(), {"op": "addNode", "node": new, "splice": {"from": "which", "to": "count"}})
    assert (edge(applied, "which"), edge(applied, "new")) == (
        {"from": "which", "to": "new"},
        {"from": "new", "to": "count"},
    )
    applied = edited(
        every_kind(), {"op": "addNode", "node": new, "splice": {"from": "plan", "to": "reply", "route": "talk"}}
    )
    assert edge(applied, "plan")["routes"] == {"change": "which", "talk": "new"}
    assert edge(applied, "new") == {"from": "new", "to": "reply"}
    assert found(applied) == []


@pytest.mark.parametrize(
    ("new", "code"),
    [
        ({"id": "reply"}, "NAME_TAKEN"), ({"id": "a b"}, "NODE_ID_INVALID"), ({}, "NODE_ID_INVALID"),
        ({"id": 7}, "NODE_ID_INVALID"), ({"id": "END"}, "NODE_ID_RESERVED"),
        ({"id": "x", "type": "lmm"}, "KIND_UNKNOWN"),
    ],
)  # fmt: skip
def test_a_node_that_cannot_be_is_refused(new: Json, code: str) -> None:
    assert codes(every_kind(), {"op": "addNode", "node": new}) == [(0, code)]


def test_what_led_to_a_removed_node_leads_on() -> None:
    applied = edited(every_kind(), {"op": "removeNodes", "ids": ["count", "which"]})
    assert edge(applied, "plan")["routes"] == {"change": "change", "talk": "reply"}
    assert edge(applied, "which") is None and edge(applied, "count") is None
    assert found(applied) == []


def test_a_gap_is_left_where_it_is_asked_for_or_nothing_fits() -> None:
    applied = edited(every_kind(), {"op": "removeNodes", "ids": ["count"], "heal": False})
    assert edge(applied, "which") is None
    assert ("NO_WAY_OUT", "nodes[3]") in found(applied)
    # What came after "plan" was chosen by its router, so nothing stands to reason.
    applied = edited(every_kind(), {"op": "removeNodes", "ids": ["plan"]})
    assert edge(applied, "details") is None
    assert ("NO_WAY_OUT", "nodes[0]") in found(applied)


def test_a_removed_node_is_named_nowhere() -> None:
    applied = edited(every_kind(), {"op": "removeNodes", "ids": ["reply"]})
    assert edge(applied, "plan")["routes"]["talk"] == "END"
    assert "onError" not in node(applied, "plan") and "onReject" not in node(applied, "change")["approval"]
    applied = edited(every_kind(), {"op": "removeNodes", "ids": ["details"]})
    assert applied.document["start"] == "plan"
    assert edge(applied, "plan")["limits"] == {"change": {"max": 3, "then": "talk"}}
    assert [code for code, _ in found(applied) if code.startswith("NODE_")] == []


def test_a_failure_goes_to_what_came_after_the_removed_node() -> None:
    flow = every_kind()
    flow["nodes"][1]["onError"] = "which"
    flow["nodes"].insert(0, {"id": "say", "type": "ask", "ask": "?", "output": "choice", "onError": "details"})
    applied = edited(flow, {"op": "removeNodes", "ids": ["which"]})
    assert node(applied, "plan")["onError"] == "count"


def test_a_route_to_a_removed_node_goes_with_its_sentence_and_limits() -> None:
    flow = every_kind()
    flow["edges"] = [each for each in flow["edges"] if each["from"] != "which"]
    applied = edited(flow, {"op": "removeNodes", "ids": ["which"]})
    assert edge(applied, "plan")["routes"] == {"talk": "reply"}
    assert edge(applied, "plan")["when"] == {"talk": "anything else"} and "limits" not in edge(applied, "plan")


def test_all_nodes_can_go() -> None:
    ids = [each["id"] for each in every_kind()["nodes"]]
    applied = edited(every_kind(), {"op": "removeNodes", "ids": ids})
    assert applied.document["nodes"] == [] and applied.document["edges"] == []


def test_nodes_that_go_at_once_are_left_behind_whole_and_the_flow_is_read_as_often_for_many_as_for_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads = []
    monkeypatch.setattr(Work, "edges", lambda work: [reads.append(1), *work.parts("edges", "from")][1:])
    counted = []
    for many in (3, 60):
        ids = [f"n{number}" for number in range(many)]
        nodes = [{"id": id, "type": "ask", "ask": "?", "output": "answer"} for id in ["first", *ids]]
        edges = [{"from": one, "to": other} for one, other in pairwise(["first", *ids, "END"])]
        reads.clear()
        applied = edited({**question(), "nodes": nodes, "edges": edges}, {"op": "removeNodes", "ids": ids})
        assert applied.document["edges"] == [{"from": "first", "to": "END"}]
        counted.append(len(reads))
    assert counted[0] == counted[1]


def test_what_leads_round_in_removed_nodes_leads_nowhere() -> None:
    flow = {**question(), "edges": [{"from": "reply", "to": "a"}, {"from": "a", "to": "b"}, {"from": "b", "to": "a"}]}
    flow["nodes"] += [{"id": id, "type": "ask", "ask": "?", "output": "answer"} for id in "ab"]
    assert edited(flow, {"op": "removeNodes", "ids": ["a", "b"]}).document["edges"] == []


def test_a_node_is_removed_beside_one_whose_id_is_no_text() -> None:
    flow = every_kind()
    flow["nodes"].append({"id": {"a": 1}, "type": "llm", "onError": "count"})
    applied = edited(flow, {"op": "removeNodes", "ids": ["count"]})
    assert applied.document["nodes"][-1] == {"id": {"a": 1}, "type": "llm", "onError": "change"}


def test_the_second_of_two_nodes_with_one_id_gets_a_name_of_its_own() -> None:
    flow = every_kind()
    flow["nodes"].append({"id": "reply", "type": "llm", "prompt": "x", "output": "answer"})
    applied = edited(flow, {"op": "renameNode", "id": "reply", "to": "other"})
    assert [each["id"] for each in applied.document["nodes"]][-2:] == ["reply", "other"]
    assert edge(applied, "plan")["routes"]["talk"] == "reply"


# Edges


def test_a_second_way_makes_an_edge_conditional() -> None:
    applied = edited(every_kind(), {"op": "connect", "from": "which", "to": "END", "when": "'choice' is empty"})
    assert edge(applied, "which") == {
        "from": "which",
        "type": "conditional",
        "router": "routeWhich",
        "routes": {"end": "END", "count": "count"},
        "when": {"end": "'choice' is empty", "count": "anything else"},
    }
    assert found(applied) == []
    # Without the second way there is nothing to choose.
    back = edited(applied.document, {"op": "disconnect", "from": "which", "to": "END"})
    assert edge(back, "which") == {"from": "which", "to": "count"}


def test_a_way_that_asks_something_stays_conditional() -> None:
    applied = edited(every_kind(), {"op": "disconnect", "from": "plan", "to": "reply"})
    # The limit handed over to the route that is gone.
    assert edge(applied, "plan") == {
        "from": "plan",
        "type": "conditional",
        "router": "routePlan",
        "routes": {"change": "which"},
        "when": {"change": "'plan.wish' is \"change\""},
    }


def test_a_way_that_is_counted_stays_conditional() -> None:
    flow = every_kind()
    flow["edges"][1]["limits"] = {"talk": {"max": 2, "then": "talk"}}
    applied = edited(flow, {"op": "disconnect", "from": "plan", "to": "which"})
    assert edge(applied, "plan")["limits"] == flow["edges"][1]["limits"]
    assert edge(applied, "plan")["routes"] == {"talk": "reply"}


def test_more_ways_get_names_of_their_own() -> None:
    applied = edited(
        every_kind(),
        {"op": "connect", "from": "plan", "to": "count"},
        {"op": "connect", "from": "plan", "to": "details", "route": "again", "when": "'plan' is empty"},
    )
    assert edge(applied, "plan")["routes"] == {
        "change": "which", "count": "count", "again": "details", "talk": "reply"
    }  # fmt: skip
    assert ("WHEN_MISSING", "edges[1].when.count") in found(applied)
    wrong = {"op": "connect", "from": "plan", "to": "count"}
    assert codes(every_kind(), {**wrong, "to": "reply"}) == [(0, "EDGE_EXISTS")]
    assert codes(every_kind(), {**wrong, "route": "talk"}) == [(0, "NAME_TAKEN")]
    assert codes(every_kind(), {**wrong, "route": "Two Words"}) == [(0, "ROUTE_NAME_INVALID")]
    assert codes(every_kind(), {**wrong, "to": "cuont"}) == [(0, "NOT_FOUND")]
    assert codes(every_kind(), {**wrong, "from": "END"}) == [(0, "NOT_FOUND")]


def test_a_first_way_with_a_condition_is_conditional() -> None:
    flow = question()
    flow["edges"] = []
    applied = edited(flow, {"op": "connect", "from": "reply", "to": "END", "route": "done", "when": "anything else"})
    assert edge(applied, "reply")["routes"] == {"done": "END"} and found(applied) == []


def test_edges_and_routes_can_lead_elsewhere() -> None:
    applied = edited(
        every_kind(),
        {"op": "reconnect", "from": "reply", "to": "END", "newTo": "details"},
        {"op": "reconnect", "from": "plan", "to": "which", "route": "change", "newTo": "count"},
    )
    assert edge(applied, "reply")["to"] == "details" and edge(applied, "plan")["routes"]["change"] == "count"
    assert codes(every_kind(), {"op": "reconnect", "from": "plan", "to": "count", "newTo": "END"}) == [
        (0, "EDGE_NOT_FOUND")
    ]
    same = edited(every_kind(), {"op": "reconnect", "from": "plan", "to": "which", "newTo": "reply"}).document
    assert codes(same, {"op": "disconnect", "from": "plan", "to": "reply"}) == [(0, "ROUTE_UNCLEAR")]


def test_the_start_can_be_chosen() -> None:
    assert edited(every_kind(), {"op": "setStart", "id": "plan"}).document["start"] == "plan"
    assert codes(every_kind(), {"op": "setStart", "id": "plam"}) == [(0, "NOT_FOUND")]


# Channels and tools


def test_channels_and_tools_come_and_go() -> None:
    applied = edited(
        every_kind(),
        {"op": "addChannel", "name": "note", "channel": {"type": "string", "description": "A note."}},
        {"op": "addTool", "tool": {"name": "look", "description": "GETs it by services.shop. Returns text."}},
    )
    assert list(applied.document["state"])[-1] == "note" and applied.document["tools"][-1]["name"] == "look"
    gone = edited(
        applied.document, {"op": "removeChannel", "name": "choice"}, {"op": "removeTool", "name": "changeOrder"}
    )
    assert node(gone, "change")["approval"]["edit"] == []
    named = {(problem.code, problem.path) for problem in gone.problems}
    # What cannot do without them says so.
    assert {("CHANNEL_NOT_DECLARED", "nodes[3].output"), ("TOOL_NOT_DECLARED", "nodes[2].tool")} <= named
    assert edited(every_kind(), {"op": "removeChannel", "name": "question"}).document["inputs"] == []


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ({"op": "addChannel", "name": "plan", "channel": {"type": "any"}}, "NAME_TAKEN"),
        ({"op": "addChannel", "name": "class", "channel": {"type": "any"}}, "NAME_INVALID"),
        ({"op": "addChannel", "name": "__x", "channel": {"type": "any"}}, "NAME_INVALID"),
        ({"op": "addChannel", "name": "history", "channel": {"type": "any"}}, "NAME_TAKEN"),
        ({"op": "addTool", "tool": {"name": "changeOrder"}}, "NAME_TAKEN"),
        ({"op": "addTool", "tool": {"description": "x"}}, "NAME_INVALID"),
        ({"op": "removeTool", "name": "x"}, "NOT_FOUND"),
        ({"op": "renameTool", "name": "changeOrder", "to": "1"}, "NAME_INVALID"),
        ({"op": "renameChannel", "name": "plan", "to": "answer"}, "NAME_TAKEN"),
        ({"op": "renameNode", "id": "plan", "to": "reply"}, "NAME_TAKEN"),
        ({"op": "renameRoute", "from": "plan", "route": "change", "to": "talk"}, "NAME_TAKEN"),
        ({"op": "renameRoute", "from": "plan", "route": "none", "to": "x"}, "NOT_FOUND"),
        ({"op": "changeComment", "id": "c"}, "NOT_FOUND"),
    ],
)
def test_names_that_cannot_be_are_refused(operation: Json, code: str) -> None:
    assert codes(every_kind(), operation) == [(0, code)]


# All of them


def test_all_mistakes_are_said_at_once_and_nothing_is_done() -> None:
    flow, before = every_kind(), written(every_kind())
    operations = [
        {"op": "addNode", "node": {"id": "bad id", "type": "llm"}},
        # What misses only the node above is no mistake of its own.
        {"op": "connect", "from": "reply", "to": "bad id"},
        {"op": "renameNode", "id": "plan", "to": "wish"},
        {"op": "setField", "on": {"node": "wish"}, "path": ["prompt"], "value": "x"},
        {"op": "setStart", "id": "plan"},
        {"op": "removeChannel", "name": "none"},
    ]
    assert codes(flow, *operations) == [(0, "NODE_ID_INVALID"), (4, "NOT_FOUND"), (5, "NOT_FOUND")]
    assert written(flow) == before


def test_what_failed_halfway_leaves_nothing_for_those_after_it() -> None:
    paste = {"op": "paste", "nodes": [{"id": "a"}], "edges": [{"from": "a", "to": "END"}]}
    # The paste fails at its edges; that "a" is there by then is no mistake of whoever adds it next.
    assert codes({"nodes": [], "edges": "x"}, paste, {"op": "addNode", "node": {"id": "a"}}) == [
        (0, "SECTION_UNREADABLE")
    ]


def test_operations_are_read_strictly_and_every_mistake_is_said() -> None:
    operations = [
        {"op": "adNode"}, "nothing", {"op": "connect", "from": 1},
        {"op": "setField", "on": {"node": "a"}, "path": [True]}, {"op": "addNode", "node": {}, "why": "because"},
    ]  # fmt: skip
    assert codes(every_kind(), *operations) == [
        (0, "OPERATION_UNKNOWN"), (1, "OPERATION_UNKNOWN"), (2, "WRONG_TYPE"), (2, "MISSING_KEY"), (3, "WRONG_TYPE"),
        (4, "UNKNOWN_KEY"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "{", "[1]", "7", "null"])
def test_a_text_that_is_no_flow_is_refused_in_words_and_can_be_replaced(text: str) -> None:
    with pytest.raises(EditRefused) as refused:
        apply(text, [{"op": "setStart", "id": "a"}])
    assert refused.value.code == "DRAFT_UNREADABLE"
    assert apply(text, [{"op": "setDocument", "text": written(question())}]).document == question()
    assert (
        apply(
            text, [{"op": "addComment", "comment": {"id": "c", "x": 1, "y": 2, "width": 9, "height": 9, "text": ""}}]
        ).text
        == text
    )


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("\ud800", "JSON_SURROGATE"), ("\x00", "JSON_NUL"), (2**60, "JSON_NUMBER_TOO_LARGE"),
        ("x" * 1_000_001, "DRAFT_TOO_LARGE"),
    ],
)  # fmt: skip
def test_what_could_not_be_stored_is_refused(value: Json, code: str) -> None:
    assert codes(every_kind(), {"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": value}) == [
        (0, code)
    ]


def test_too_much_depth_is_refused() -> None:
    deep: Json = "x"
    for _ in range(70):
        deep = [deep]
    wrong = {"op": "setField", "on": {"node": "reply"}, "path": ["prompt"], "value": deep}
    assert codes(every_kind(), wrong) == [(0, "JSON_TOO_DEEP")]


def test_moving_every_node_leaves_the_document_alone() -> None:
    ids = [each["id"] for each in every_kind()["nodes"]]
    positions = {id: {"x": index * 10, "y": 3.5} for index, id in enumerate([*ids, "gone"])}
    applied = edited(every_kind(), {"op": "move", "positions": positions})
    assert set(applied.layout["nodes"]) == set(ids)
    assert written(applied.document) == written(every_kind())
    assert all(change["doc"] == "layout" for change in applied.changes)


def test_each_operation_says_what_it_is_for() -> None:
    from pydantic import TypeAdapter

    for name, kind in OPERATIONS.items():
        schema = TypeAdapter(kind).json_schema()
        assert schema["description"], name
        silent = [
            key
            for key, each in schema["properties"].items()
            if key not in ("op", "comment") and "description" not in each
        ]
        assert not silent, (name, silent)
        assert json.dumps(schema).count('"additionalProperties": false') >= 1
    assert check(every_kind()).ok


def test_comments_cannot_grow_without_end() -> None:
    comments = [
        {
            "op": "addComment",
            "comment": {"id": f"c{number}", "x": 1, "y": 2, "width": 9, "height": 9, "text": "x" * 8000},
        }
        for number in range(130)
    ]
    assert codes(question(), *comments) == [(129, "LAYOUT_TOO_LARGE")]
