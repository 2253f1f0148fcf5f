"""Trees of flows: what runs what, whether they agree, and that nothing goes round or is missing."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.check import check
from flows.problem import Problem
from flows.tree import MAX_FLOWS, TOP, check_tree, find, read_tree
from flows.words.address import resolve
from tests.flows.later_kinds import batch, child, desk, orchestrator, parent

Json = Any
LOOKUP = "flows/lookup.json"
AGENTS = {"agents": {"sql": {"flow": "./agents/sql/flow.json"}, "papers": {"flow": "agents/papers"}}}


def written(files: Mapping[str, Json]) -> dict[str, str]:
    return {path: each if isinstance(each, str) else json.dumps(each) for path, each in files.items()}


def problems(files: Mapping[str, Json], top: str = TOP) -> list[tuple[str, str, str]]:
    """(file, code, path) of everything that is found."""
    return [
        (file, problem.code, problem.path)
        for file, checked in check_tree(written(files), top).items()
        for problem in checked.problems
    ]


def one(files: Mapping[str, Json], code: str) -> Problem:
    found = [each for checked in check_tree(written(files)).values() for each in checked.problems if each.code == code]
    assert len(found) == 1, found
    return found[0]


def family(**node: Json) -> dict[str, Json]:
    """A flow and the one that it runs. node: what the flow node says otherwise."""
    flow = parent()
    flow["nodes"][0].update(node)
    return {TOP: flow, LOOKUP: child()}


def desks(**node: Json) -> dict[str, Json]:
    """An orchestrator and its agents."""
    flow = orchestrator()
    flow["nodes"][1].update(node)
    return {
        TOP: flow,
        "agents.json": copy.deepcopy(AGENTS),
        "agents/sql/flow.json": desk(),
        "agents/papers/flow.json": desk(),
    }


def runs(address: str) -> Json:
    """A flow that asks for a customer's id and runs the flow at an address with it."""
    flow = child()
    flow["nodes"] = [{"id": "on", "type": "flow", "flow": address, "input": {"customerId": "{{customerId}}"}}]
    flow["nodes"][0]["output"] = {"customer": "customer", "orders": "orders"}
    return {**flow, "start": "on", "edges": [{"from": "on", "to": "END"}], "tools": []}


def test_a_flow_is_read_with_the_flows_it_runs() -> None:  # LG-subflows-01 LG-subflows-02 LG-subflows-04
    found = check_tree(written(family()))
    assert list(found) == [TOP, LOOKUP]
    assert all(checked.ok and not checked.problems for checked in found.values())
    tree = read_tree(written(family()))
    assert [(call.node, call.to, call.path) for call in tree.calls[TOP]] == [("find", LOOKUP, "nodes[0].flow")]
    # A file that nothing runs is nobody's.
    assert list(check_tree(written({**family(), "other.json": "{"}))) == [TOP, LOOKUP]


def test_each_flow_is_checked_as_it_is_alone() -> None:
    files = written({TOP: batch()})
    assert check_tree(files)[TOP] == check(files[TOP])
    assert check_tree({TOP: "{"})[TOP] == check("{")
    assert problems({TOP: {"version": "1.0", "nodes": [7]}})
    assert check_tree({TOP: files[TOP].encode()})[TOP].ok


def test_addresses_are_relative_to_their_file() -> None:  # LG-subflows-04
    files = {
        "desk/flow.json": runs("../shared/lookup/flow.json"),
        "shared/lookup/flow.json": runs("./steps/read.json"),
        "shared/lookup/steps/read.json": child(),
    }
    assert problems(files, "desk/flow.json") == []
    # A folder means the flow in it.
    files["desk/flow.json"] = runs("../shared/lookup")
    assert problems(files, "desk/flow.json") == []
    assert resolve("../../x.json", "desk/flow.json") is None
    assert find(files, "../../shared/lookup", "desk/flow.json") is None


def test_a_flow_that_is_not_there_is_said() -> None:
    assert one(family(flow="./flows/lookups.json"), "FLOW_NOT_FOUND").hint == 'Did you mean "flows/lookup.json"?'
    assert "outside of this project" in one(family(flow="../lookup.json"), "FLOW_NOT_FOUND").message
    # What is no address is said once.
    codes = {code for _, code, _ in problems(family(flow="/flows/lookup.json"))}
    assert codes == {"FLOW_ADDRESS_INVALID"}
    assert problems({}, "flow.json") == [("flow.json", "FLOW_NOT_FOUND", "")]


def test_every_input_is_given_and_every_name_declared() -> None:  # LG-subflows-05 LG-subflows-06
    for nothing in ({}, {"customerId": ""}, {"customerId": None}, {"customerId": "  "}):
        assert one(family(input=nothing), "FLOW_INPUT_MISSING").path.startswith("nodes[0].input")
    given = {"customerId": "{{question}}"}
    assert one(family(input={**given, "asked": "{{question}}"}), "FLOW_INPUT_UNKNOWN").path == "nodes[0].input.asked"
    assert one(family(output={"order": "customer"}), "FLOW_OUTPUT_UNKNOWN").hint == 'Did you mean "orders"?'
    # An output that is mapped to nothing is dropped, by choice; one that is left out too.
    for dropped in ({}, {"customer": None, "orders": ""}):
        assert {code for _, code, _ in problems(family(output=dropped))} <= {"OUTPUT_NEVER_WRITTEN"}


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ("{{question}}", True),
        ("No. {{question}}", True),
        ("{{customer.id}}", True),
        ("{{customer}}", False),
        (7, False),
    ],
)
def test_what_is_given_is_what_the_other_flow_holds(value: Json, fits: bool) -> None:
    codes = [code for _, code, _ in problems(family(input={"customerId": value}))]
    assert codes == ([] if fits else ["FLOW_INPUT_TYPE"])


def test_what_comes_back_fits_where_it_lands() -> None:
    assert one(family(output={"orders": "customer"}), "FLOW_OUTPUT_TYPE").path == "nodes[0].output.orders"
    files = family(output={"customer": "customer"})
    files[TOP]["state"]["customer"] = {"type": "list", "reducer": "append", "description": "Customers."}
    assert problems(files) == []


def test_a_flow_never_runs_itself() -> None:  # LG-subflows-12
    alone = {TOP: runs("./flow.json")}
    assert one(alone, "FLOW_RUNS_ITSELF").message.endswith("flow.json → flow.json.")
    circle = {TOP: runs("./a.json"), "a.json": runs("./b.json"), "b.json": runs("flow.json")}
    found = problems(circle)
    assert found == [(file, "FLOW_RUNS_ITSELF", "nodes[0].flow") for file in (TOP, "a.json", "b.json")]
    # What leads into a circle is not in it, and is told that what it runs is wrong.
    files = {"top.json": runs("./flow.json"), **circle}
    assert ("top.json", "FLOW_HAS_ERRORS", "nodes[0].flow") in problems(files, "top.json")


def test_one_flow_may_be_run_by_many() -> None:
    files = {TOP: runs("./a.json"), "a.json": runs("./b.json"), "b.json": child()}
    files[TOP]["nodes"].append({**files[TOP]["nodes"][0], "id": "again", "flow": "./b.json"})
    files[TOP]["edges"] = [{"from": "on", "to": "again"}, {"from": "again", "to": "END"}]
    assert problems(files) == []


def test_flows_nest_only_so_deep() -> None:
    def chain(length: int) -> dict[str, Json]:
        names = [TOP, *(f"f{number}.json" for number in range(1, length))]
        return {name: runs(f"./{to}") for name, to in itertools.pairwise(names)} | {names[-1]: child()}

    assert problems(chain(16)) == []
    assert problems(chain(17)) == [(TOP, "TREE_TOO_DEEP", "nodes[0].flow")]
    assert len(check_tree(written(chain(MAX_FLOWS + 50)))) == MAX_FLOWS


def test_a_flow_is_as_right_as_what_it_runs() -> None:
    files = {TOP: runs("./a.json"), "a.json": runs("./b.json"), "b.json": "{"}
    assert problems(files) == [
        (TOP, "FLOW_HAS_ERRORS", "nodes[0].flow"),
        ("a.json", "FLOW_HAS_ERRORS", "nodes[0].flow"),
        ("b.json", "JSON_INVALID", ""),
    ]


def test_a_flow_below_0_14_runs_none_that_stops() -> None:  # LG-subflows-10
    files = family()
    files[TOP]["version"] = "0.13"
    low = one(files, "VERSION_TOO_LOW")
    assert '"look"' in low.message and '"0.14"' in low.hint
    files[LOOKUP]["tools"][0].pop("inputs")
    assert problems(files) == []
    # It stops further down.
    files[LOOKUP] = runs("./deep.json")
    files["flows/deep.json"] = child()
    assert '"on/look"' in one(files, "VERSION_TOO_LOW").message
    files[TOP]["version"] = "0.14"
    assert problems(files) == []


def test_a_tool_and_a_service_are_one_in_the_whole_tree() -> None:  # LG-subflows-15
    files = family()
    files[TOP]["requires"] = {"services": {"shop": "The shop, called with GET."}}
    files[LOOKUP]["requires"] = {"services": {"shop": " The shop, called with GET. "}}
    assert problems(files) == []
    files[LOOKUP]["requires"]["services"]["shop"] = "The shop, called with POST."
    assert one(files, "SERVICE_DIFFERS").path == "requires.services.shop"
    files = {TOP: runs("./a.json"), "a.json": child(), "b.json": child()}
    files[TOP]["nodes"].append({**files[TOP]["nodes"][0], "id": "again", "flow": "./b.json"})
    files[TOP]["edges"] = [{"from": "on", "to": "again"}, {"from": "again", "to": "END"}]
    assert problems(files) == []
    files["b.json"]["tools"][0]["inputs"]["customerId"]["maxLength"] = 6
    assert one(files, "TOOL_DIFFERS").path == "tools[0]"


def test_a_tool_is_on_one_server_in_the_whole_tree() -> None:  # LG-subflows-15
    def crm(*tools: Json, server: str = "crm") -> Json:
        return {"mcp": {server: {"describe": "The customer system.", "tools": list(tools)}}}

    files = {TOP: parent(), LOOKUP: child()}
    files[TOP]["requires"] = crm("search", {"name": "open", "remote": "create"})
    for requires, path in (
        (crm("search"), None),
        (crm({"name": "search", "describe": "Finds customers."}), None),
        (crm("search", server="docs"), "requires.mcp.docs.tools[0]"),
        (crm({"name": "open", "remote": "create_ticket"}), "requires.mcp.crm.tools[0]"),
        (
            crm({"name": "open", "remote": "create", "inputs": {"about": {"type": "string"}}}),
            "requires.mcp.crm.tools[0]",
        ),
    ):
        files[LOOKUP]["requires"] = requires
        assert [each[2] for each in problems(files) if each[1] == "TOOL_DIFFERS"] == ([path] if path else [])


def test_a_collection_asks_who_reads_in_the_whole_tree_or_nowhere() -> None:
    # LG-knowledge-19: a flow inside could otherwise ask as everybody.
    files = {TOP: parent(), LOOKUP: child()}
    holds = {"describe": "Staff files."}
    files[TOP]["requires"] = {"users": True, "knowledge": {"personnel": {**holds, "reader": "required"}}}
    files[LOOKUP]["requires"] = {"knowledge": {"personnel": holds}}
    assert one(files, "SERVICE_DIFFERS").path == "requires.knowledge.personnel"
    files[LOOKUP]["requires"] = files[TOP]["requires"]
    assert "SERVICE_DIFFERS" not in {code for _, code, _ in problems(files)}


# Agents


def test_names_of_agents_mean_what_the_registry_says() -> None:  # LG-agents-01 LG-agents-02 LG-agents-08 LG-agents-10
    found = check_tree(written(desks()))
    assert list(found) == [TOP, "agents/sql/flow.json", "agents/papers/flow.json"]
    assert all(checked.ok for checked in found.values())


def test_a_flow_that_delegates_has_a_registry() -> None:  # LG-agents-11
    assert problems({TOP: orchestrator()}) == [(TOP, "NO_REGISTRY", "nodes[1].agents")]


def test_a_name_that_nothing_registered_is_refused() -> None:  # LG-agents-14
    assert one(desks(agents=["sql", "paper"]), "AGENT_NOT_REGISTERED").hint == 'Did you mean "papers"?'


@pytest.mark.parametrize(("key", "value"), [("description", " "), ("outputs", [])])
def test_an_agent_says_what_it_does_and_gives(key: str, value: Json) -> None:  # LG-agents-03
    files = desks()
    files["agents/sql/flow.json"][key] = value
    wrong = one(files, "AGENT_CONTRACT_MISSING")
    assert (wrong.level, wrong.path) == ("error", "agents.sql.flow")
    assert f'"{key}"' in wrong.message


def test_input_is_checked_against_every_agent() -> None:  # LG-agents-08 LG-agents-14
    files = desks()
    files["agents/papers/flow.json"]["inputs"] = ["question", "answer"]
    assert '"papers"' in one(files, "AGENT_INPUT_REFUSED").message
    files = desks(input={"question": "{{question}}", "asked": "{{question}}"})
    wrong = [each for each in problems(files) if each[1] == "AGENT_INPUT_REFUSED"]
    assert wrong == [(TOP, "AGENT_INPUT_REFUSED", "nodes[1].input.asked")] * 2
    # What one template holds is known only while it runs.
    assert problems(desks(input="{{decision}}")) == []


def test_an_agent_that_runs_above_is_not_called() -> None:  # LG-agents-14
    files = desks()
    again = orchestrator()
    files["agents/sql/flow.json"] = again
    # Chosen while it runs, it may be another one.
    assert problems(files) == []
    again["nodes"][1]["agent"] = "sql"
    found = problems(files)
    assert ("agents/sql/flow.json", "AGENT_RUNNING_ABOVE", "nodes[1].agents[0]") in found


@pytest.mark.parametrize(
    ("registry", "code", "path"),
    [
        ("{", "JSON_INVALID", ""),
        ([], "WRONG_TYPE", ""),
        ({}, "MISSING_KEY", ""),
        ({"agents": {"sql": {"flw": "x"}}}, "UNKNOWN_KEY", "agents.sql.flw"),
        ({"agents": {"my agent": {"flow": "./agents/sql/flow.json"}}}, "AGENT_NAME_INVALID", 'agents["my agent"]'),
        ({"agents": {"sql": {"flow": "/agents/sql/flow.json"}}}, "FLOW_ADDRESS_INVALID", "agents.sql.flow"),
        ({"agents": {"sql": {"flow": "./agents/sqll"}}}, "FLOW_NOT_FOUND", "agents.sql.flow"),
    ],
)
def test_a_registry_says_what_is_wrong_with_it(registry: Json, code: str, path: str) -> None:
    files = {TOP: desk(), "agents.json": registry, "agents/sql/flow.json": desk()}
    assert ("agents.json", code, path) in problems(files)


@pytest.mark.parametrize("junk", [b"\xff", "", "[]", "null", '{"nodes": {"a": 1}}', '{"requires": [], "nodes": [[]]}'])
def test_no_file_makes_the_check_fail(junk: str | bytes) -> None:
    files = {**written(desks()), LOOKUP: junk, "agents/sql/flow.json": junk}
    assert not check_tree({**files, TOP: junk})[TOP].ok
    assert not check_tree(files)["agents/sql/flow.json"].ok
    assert not check_tree({**files, "agents.json": junk})["agents.json"].ok


# Whatever the files hold


PIECES: list[Json] = [
    None, True, 7, "x", "", [], {}, [{}], {"a": []}, "./flow.json", "../../x", "agents/sql", ["sql"], {"sql": "./x"},
    {"flow": 7}, {"customerId": ["{{question}}"]}, {"type": "flow", "id": "n", "flow": "./flow.json"},
]  # fmt: skip


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        return found + [each for key, inner in value.items() for each in places(inner, (*path, key))]
    if isinstance(value, list):
        return found + [each for index, inner in enumerate(value) for each in places(inner, (*path, index))]
    return found


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_broken_tree_is_refused_and_never_fails(drawn: st.DataObject) -> None:
    files = drawn.draw(st.sampled_from([family, desks]))()
    for _ in range(drawn.draw(st.integers(1, 3))):
        file = drawn.draw(st.sampled_from(sorted(files)))
        where = drawn.draw(st.sampled_from(places(files[file])))
        here = files[file]
        for step in where[:-1]:
            here = here[step] if isinstance(here, dict | list) else {}
        if (isinstance(here, list) and isinstance(where[-1], int) and where[-1] < len(here)) or isinstance(here, dict):
            here[where[-1]] = copy.deepcopy(drawn.draw(st.sampled_from(PIECES)))
    texts = written(files)
    found = check_tree(texts)
    assert next(iter(found)) == TOP
    # What stands in one file alone is found in it alone too.
    for path, checked in found.items():
        if path != "agents.json":
            assert set(check(texts[path]).problems) <= set(checked.problems)
        for problem in checked.problems:
            assert problem.message and problem.code
