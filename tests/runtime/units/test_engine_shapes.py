"""Code that reads what an engine gives is told its shape by the engine, at the moment it is written."""

from __future__ import annotations

from typing import Any

import pytest

from flows.check import check
from flows.kinds import KINDS
from flows.kinds.database import ROWS, SCHEMA
from flows.kinds.knowledge import NO_ANSWER, PASSAGES
from flows.units import UnitSpec, units_of
from runtime.units.prompt import messages
from tests.flows.later_kinds import spread
from tests.flows.reading_kinds import document_chat, handbook, indexer, order_book

Json = Any


def told(
    flow: Json, description: str = "Reads 'rows', and writes what it says to 'answer', in one paragraph.", **edge: Json
) -> str:
    """What a model is told that writes a handler in place of the flow's last step."""
    last = flow["nodes"][-1]
    flow["nodes"][-1] = {"id": last["id"], "handler": "writeReport", "description": description}
    document = check(flow).flow
    assert document is not None
    spec = next(each for each in units_of(document) if each.name == "writeReport")
    return messages(spec, document)[1]["content"]


def test_the_fields_come_from_the_engine() -> None:  # LG-handlers-07
    words = told(order_book())
    assert f'- state["rows"], written by the database step run: {ROWS.words}' in words
    assert f'- state["tables"], written by the database step schema: {SCHEMA.words}' in words
    assert f'state["paragraphs"], written by the knowledge step find: {PASSAGES.words}' in told(handbook())
    for field in ("rows", "of", "cut", "nothingFound", "dropped", "renamed", "say", "refused", "gate"):
        assert field in ROWS.words
    for field in ("engine", "connection", "dialect", "dialectUnknown", "tables", "relationships", "shownAs", "origin"):
        assert field in SCHEMA.words


def test_a_description_that_says_otherwise_is_out_of_date() -> None:  # LG-handlers-08
    words = told(order_book(), "Reads 'rows', which is { hits, more }. Writes one paragraph to 'answer'.")
    heading, rest = words.split("What these channels hold comes from the engine", 1)
    assert 'state["rows"]: object' in heading
    assert "that description is out of date" in rest.partition('- state["tables"]')[0]
    # What is to be done comes after it, and is told whole.
    assert rest.rstrip().endswith("Reads 'rows', which is { hits, more }. Writes one paragraph to 'answer'.")


def test_withheld_columns_are_named_whatever_came_back() -> None:  # LG-handlers-09
    words = told(order_book())
    (order,) = [line for line in words.splitlines() if "dropped as not shown" in line]
    assert order.startswith('- state["rows"]: ') and "even when every row came back" in order
    assert "never say or imply that the database has no such column" in order


def test_columns_under_another_name_are_called_by_it() -> None:  # LG-handlers-10
    assert any("renamed by its shownAs" in line for line in told(order_book()).splitlines())


def test_silence_is_no_decision() -> None:  # LG-handlers-11
    words = told(
        order_book(), "Reads 'rows' and writes one paragraph about them to 'answer', with how many there were."
    )
    assert "A description that says nothing of it has not decided against it:" in words


def test_the_sentence_for_people_is_passed_on() -> None:
    # LG-db-31, LG-knowledge-15
    assert 'state["rows"]: When refused is there, what a person reads is that reason; say is for models' in told(
        order_book()
    )
    assert "what a person reads is its reply, word for word" in told(handbook())
    assert NO_ANSWER == "Sorry, based on the provided data source, I cannot reply."


@pytest.mark.parametrize(
    ("flow", "channel", "kind"), [(document_chat, "doc", "read step load"), (indexer, "built", "index step build")]
)
def test_documents_and_builds_have_shapes_too(flow: Any, channel: str, kind: str) -> None:
    assert f'- state["{channel}"], written by the {kind}: an object {{' in told(flow())


def test_copies_write_one_entry_each() -> None:
    flow = spread()
    flow["nodes"][2] = {"id": "read", "type": "read", "from": ["{{url}}"], "output": "lines"}
    assert 'state["lines"], written by the read step read: a list, each entry an object {' in told(flow)


def test_routers_are_told_it_and_tools_are_not() -> None:
    flow = order_book()
    flow["nodes"].append({"id": "sorry", "type": "llm", "prompt": "{{rows}}", "output": "answer"})
    flow["edges"][2] = {
        "from": "run", "type": "conditional", "router": "routeRows", "routes": {"some": "reply", "none": "sorry"},
        "when": {"some": "there are rows", "none": "anything else"},
    }  # fmt: skip
    flow["edges"].append({"from": "sorry", "to": "END"})
    document = check(flow).flow
    assert document is not None
    router = next(each for each in units_of(document) if each.kind == "router")
    assert ROWS.words in messages(router, document)[1]["content"]
    tool = UnitSpec("tool", "send", "key", "Sends it. Returns nothing.")
    assert "comes from the engine" not in messages(tool, document)[1]["content"]


def test_a_flow_without_engines_is_told_nothing_of_them() -> None:
    assert "comes from the engine" not in told(
        spread(), "Reads 'lines' and writes them to 'answer', one below another."
    )


def test_only_engines_give_shapes() -> None:
    giving = {kind.type for kind in KINDS if kind.fields.model_fields.get("output") and kind.gives(_node(kind))}
    assert giving == {"read", "knowledge", "index", "database"}


def _node(kind: Any) -> Any:
    return kind.fields.model_construct()
