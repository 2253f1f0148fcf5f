"""A route to an MCP server is chosen by a model's word; readiness tells when code would have to guess."""

from __future__ import annotations

from typing import Any

import pytest

from flows.check import check
from tests.flows.flow_of import question

Json = Any

SCHEMA = {"type": "object", "properties": {"want": {"type": "string", "enum": ["customer", "talk"]}}}


def desk(sentence: str, **model: Json) -> Json:
    """A model, a router that reads the sentence, and a step that calls an MCP server after one that does not."""
    flow = question()
    flow["requires"] = {"mcp": {"crm": {"describe": "The customer register.", "tools": ["findCustomer"]}}}
    flow["state"] |= {
        "plan": {"type": "any", "description": "What is wanted."},
        "answer_kind": {"type": "string", "description": "What code found."},
        "customer": {"type": "object", "description": "What the register said."},
    }
    flow["nodes"][0:0] = [
        {"id": "decide", "type": "llm", "prompt": "What is wanted? {{history}}", "output": "plan", **model},
        {"id": "trim", "handler": "trimQuestion", "description": "Reads 'question' and writes 'answer_kind', trimmed."},
        {
            "id": "look",
            "type": "tool",
            "tool": "findCustomer",
            "args": {"number": "{{question}}"},
            "output": "customer",
        },
    ]
    flow["start"] = "decide"
    flow["edges"][0:0] = [
        {"from": "decide", "type": "conditional", "router": "routeDesk",
         "routes": {"customer": "trim", "talk": "reply"},
         "when": {"customer": sentence, "talk": "anything else"}},
        {"from": "trim", "to": "look"},
        {"from": "look", "to": "reply"},
    ]  # fmt: skip
    return flow


def guessed(flow: Json) -> list[str]:
    return [each.path for each in check(flow).warnings if each.code == "MCP_ROUTE_IS_A_GUESS"]


GUESS = ["edges[0].when.customer"]


@pytest.mark.parametrize(
    ("sentence", "model", "warned"),
    [
        ("'plan' is \"customer\"", {}, []),
        ('`plan` is "customer"', {}, []),
        ("'plan.want' is \"customer\"", {"schema": SCHEMA}, []),
        ("'want' is \"customer\"", {"schema": SCHEMA}, []),
        ("'want' is \"customer\"", {"prompt": 'Answer {{history}} as { "want": "customer" } and nothing else.'}, []),
        # The model was never asked for it by name, so code would guess what it wrote.
        ("'plan.want' is \"customer\"", {}, GUESS),
        ("'want' is \"customer\"", {}, GUESS),
        # What code wrote is no model's word.
        ("'answer_kind' is \"customer\"", {}, GUESS),
        # A word of the sentence that happens to be a channel's name names nothing.
        ("the plan needs a customer", {}, GUESS),
        ('the person says "plan"', {}, GUESS),
    ],
)
def test_a_models_word_is_named_in_quotes(sentence: str, model: Json, warned: list[str]) -> None:
    # LG-edges-14, LG-edges-15, LG-edges-16, LG-edges-17, LG-edges-18
    assert guessed(desk(sentence, **model)) == warned


def test_a_flow_without_servers_is_not_told() -> None:  # LG-edges-15
    flow = desk("the plan needs a customer")
    del flow["requires"]
    assert guessed(flow) == []


def test_only_routes_that_reach_a_server_are_told() -> None:  # LG-edges-15
    flow = desk("the plan needs a customer")
    flow["edges"][1] = {"from": "trim", "to": "reply"}
    flow["edges"][2] = {"from": "look", "to": "trim"}
    flow["edges"][0]["routes"]["look"] = "look"
    flow["edges"][0]["when"]["look"] = "the person gives a number"
    assert guessed(flow) == ["edges[0].when.look"]


def test_the_warning_says_what_to_do() -> None:  # LG-edges-15
    flow = desk("the plan needs a customer")
    problem = next(each for each in check(flow).warnings if each.code == "MCP_ROUTE_IS_A_GUESS")
    assert problem.message == (
        'The route "customer" from "decide" reaches the MCP server "crm", and generated code alone chooses it.'
    )
    assert "llm node" in problem.hint


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        ("Reads 'found' (a list of { name, city, phone }) and writes one paragraph to 'answer'.", True),
        ("Reads `found`, { rows, of, said }, and writes one paragraph to 'answer'.", True),
        ("Reads 'found', which a database node wrote, and writes one paragraph to 'answer'.", False),
        ("Reads 'found'. Writes 'answer' as { text }, and says in it how many rows there were in all.", False),
        ("Reads 'question' ({ text }) and writes one paragraph to 'answer', whatever 'found' holds.", False),
    ],
)
@pytest.mark.parametrize("kind", ["database", "knowledge"])
def test_a_result_of_the_engine_is_named_and_not_written_out(words: str, warned: bool, kind: str) -> None:
    # LG-handlers-06
    flow = question()
    flow["state"]["found"] = {"type": "any", "description": "What was found."}
    flow["nodes"] = [
        {"id": "look", "type": kind, "output": "found"},
        {"id": "report", "handler": "writeReport", "description": words},
    ]
    flow |= {"start": "look", "edges": [{"from": "look", "to": "report"}, {"from": "report", "to": "END"}]}
    told = [each.path for each in check(flow).warnings if each.code == "SHAPE_RECITED"]
    assert told == (["nodes[1].description"] if warned else [])
