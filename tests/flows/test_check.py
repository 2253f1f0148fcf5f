"""The one door: everything at once, nothing hidden, never an exception."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.check import MAX_PROBLEMS, check
from flows.words.document import Document
from flows.words.edge import ConditionalEdge
from tests.flows.flow_of import accepted, every_kind, found, question

Json = Any


def test_a_flow_of_every_kind_is_accepted_and_typed() -> None:
    # LG-overview-02, LG-overview-03, LG-overview-04, LG-overview-06, LG-overview-07, LG-overview-08
    # LG-edges-01, LG-edges-02
    flow = accepted(every_kind()).flow
    assert isinstance(flow, Document)
    assert [node.type for node in flow.nodes] == ["form", "llm", "tool", "ask", "handler", "llm"]
    assert flow.node("change").approval is not None
    edge = flow.edge_from("plan")
    assert isinstance(edge, ConditionalEdge) and edge.limits and edge.limits["change"].per == "details"
    assert flow.tool("changeOrder").inputs is not None
    assert flow.state["order"].remembers and flow.state["order"].name == "order"
    assert flow.inputs == ["question"] and flow.requires.env == ["SHOP_KEY"]


def test_text_bytes_and_objects_are_read_alike() -> None:
    flow = question()
    text = json.dumps(flow)
    assert check(flow) == check(text) == check(text.encode()) == check("\ufeff" + text)


def test_one_bad_node_hides_no_other() -> None:
    # All problems at once, and no blame for what is only broken itself.
    flow = every_kind()
    flow["nodes"][1]["output"] = 7
    flow["nodes"][3]["shwo"] = []
    flow["nodes"][5]["prompt"] = "{{histroy}}"
    flow["state"]["order"]["type"] = "thing"
    flow["edges"][5]["to"] = "ENDE"
    assert found(flow) == [
        ("NOT_ONE_OF", "state.order.type"),
        ("WRONG_TYPE", "nodes[1].output"),
        ("UNKNOWN_KEY", "nodes[3].shwo"),
        ("CHANNEL_NOT_DECLARED", "nodes[5].prompt"),
        ("NODE_NOT_FOUND", "edges[5].to"),
    ]


def test_a_broken_part_is_known_by_name() -> None:
    flow = question()
    flow["state"]["answer"] = {"type": "text"}
    flow["nodes"][0]["id"] = "reply"
    flow["edges"] = {"from": "reply"}
    assert found(flow) == [("NOT_ONE_OF", "state.answer.type"), ("WRONG_TYPE", "edges")]


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("start", None, "WRONG_TYPE"),
        ("nodes", {}, "WRONG_TYPE"),
        ("state", [], "WRONG_TYPE"),
        ("tools", 1, "WRONG_TYPE"),
    ],
)
def test_a_section_of_the_wrong_type_is_one_problem(key: str, value: Json, code: str) -> None:
    assert found({**question(), key: value}) == [(code, key)]


@pytest.mark.parametrize("key", ["version", "start", "nodes"])
def test_what_every_flow_says(key: str) -> None:
    flow = question()
    del flow[key]
    assert found(flow) == [("MISSING_KEY", "")]


def test_a_node_without_a_type_is_a_handler() -> None:
    # LG-overview-05
    checked = accepted(every_kind())
    assert checked.flow is not None and checked.flow.node("count").type == "handler"


def test_detours_count_as_ways() -> None:
    # LG-overview-10: what only onError or onReject leads to is reached.
    flow = question()
    flow["nodes"] += [
        {"id": "sorry", "type": "llm", "prompt": "{{__error}} {{history}}", "output": "answer"},
        {"id": "declined", "type": "llm", "prompt": "{{__approval}} {{history}}", "output": "answer"},
    ]
    flow["nodes"][0] |= {"onError": "sorry", "approval": {"ask": "Answer?", "onReject": "declined"}}
    flow["edges"] += [{"from": "sorry", "to": "END"}, {"from": "declined", "to": "END"}]
    accepted(flow)
    del flow["nodes"][0]["onError"]
    assert found(flow) == [("NODE_UNREACHABLE", "nodes[1]")]


def test_a_part_of_an_answer_is_named_with_its_channel() -> None:
    # LG-edges-14
    flow = every_kind()
    flow["edges"][1]["when"]["change"] = "'wish' is \"change\""
    (problem,) = check(flow).problems
    assert (problem.code, problem.path) == ("CHANNEL_NOT_DECLARED", "edges[1].when.change")
    assert problem.hint == 'It is a part of "plan": write "plan.wish".'


def test_no_more_problems_than_anybody_reads() -> None:
    flow = question()
    flow["nodes"] += [{"id": f"n{n}", "type": "ask", "ask": "{{a}} {{b}}", "output": "c"} for n in range(400)]
    assert len(check(flow).problems) == MAX_PROBLEMS


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)


def places(value: Json, path: tuple[Json, ...] = ()) -> list[tuple[Json, ...]]:
    """Every place in a JSON value."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            found += places(value[index], (*path, index))
    return found


PLACES = places(every_kind())
WORDS = ["END", "START", "SKIP", "__error", "history", "{{a.b.c}}", "{{a|b}}", "plan", "reply", "", "0.9", "1.0", "llm"]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(PLACES),
            st.sampled_from(["drop", "put", "twice", "rename"]),
            JSON_VALUES | st.sampled_from(WORDS) | st.sampled_from([[], {}, 1, True]),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_mutated_flows_never_crash_the_check(changes: list[tuple[tuple[Json, ...], str, Json]]) -> None:
    flow: Json = copy.deepcopy(every_kind())
    for path, how, value in changes:
        here = flow
        try:
            for step in path[:-1]:
                here = here[step]
            here[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue
        if isinstance(here, str):
            # An earlier change put a text there.
            continue
        if how == "drop":
            del here[path[-1]]
        elif how == "put":
            here[path[-1]] = value
        elif how == "twice" and isinstance(here, list):
            here.append(copy.deepcopy(here[path[-1]]))
        elif how == "rename" and isinstance(here, dict):
            here[str(value)[:20]] = here.pop(path[-1])
    checked = check(flow)
    assert checked.ok == (checked.flow is not None and not checked.errors)
    for problem in checked.problems:
        assert problem.code and problem.message and problem.level in ("error", "warning")


@settings(max_examples=150, deadline=None)
@given(JSON_VALUES | st.text() | st.binary())
def test_anything_may_be_handed_in(raw: Json) -> None:
    assert isinstance(check(raw).problems, list)
