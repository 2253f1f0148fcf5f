"""MCP servers: declared with the tools that a flow may call, which are then called like any other."""

from __future__ import annotations

from typing import Any

import pytest

from flows.check import check
from flows.kinds import kind_of
from flows.words.callables import inputs_of, own_names, servers, takes_inputs
from tests.flows.flow_of import accepted, found
from tests.flows.later_kinds import work
from tests.flows.needing import SERVER, every, needing, paths
from tests.flows.reading_kinds import TICKET, support

Json = Any


def test_what_is_declared_on_a_server_is_declared() -> None:
    # LG-contract-09, LG-services-04, LG-services-05, LG-services-07
    flow = accepted(support()).flow
    assert flow is not None
    assert own_names(flow) == ["findCustomer", "openTicket"]
    ticket = servers(flow)["crm"]["openTicket"]
    assert ticket is not None and ticket.remote == "create_ticket" and servers(flow)["crm"]["findCustomer"] is None
    # What the list has not got cannot be called, whatever the server offers.
    flow = support()
    flow["nodes"][0]["tool"] = "deleteCustomer"
    assert paths(flow, "TOOL_NOT_DECLARED") == ["nodes[0].tool"]
    flow["nodes"][0]["tool"] = "create_ticket"
    assert paths(flow, "TOOL_NOT_DECLARED") == ["nodes[0].tool"]


def test_a_server_offers_something() -> None:  # LG-services-04
    assert ("TOO_SHORT", "requires.mcp.crm.tools") in found(needing(mcp={"crm": {**SERVER, "tools": []}}))
    assert ("MISSING_KEY", "requires.mcp.crm") in found(needing(mcp={"crm": {"describe": "The customers."}}))


@pytest.mark.parametrize("tool", [7, None, ["a"], {}, {"remote": "a"}, {"name": 7}, {"name": "a", "args": {}}])
def test_a_tool_of_a_server_is_a_name_or_an_object(tool: Json) -> None:  # LG-services-05
    wrong = check(needing(mcp={"crm": {**SERVER, "tools": [tool]}})).errors
    assert wrong and all(each.path.startswith("requires.mcp.crm.tools[0]") for each in wrong)


def test_inputs_of_a_tool_on_a_server_ask_people() -> None:  # LG-services-06, LG-tools-11
    flow = accepted(support()).flow
    assert flow is not None
    assert takes_inputs(flow, "openTicket") and not takes_inputs(flow, "findCustomer")
    assert inputs_of(flow, "openTicket")["about"].required
    plain = support()
    del plain["nodes"][1]["approval"]
    flow = check(plain).flow
    assert flow is not None
    # A call that may stop for a form is a step that may stop.
    assert kind_of("tool").stops(flow.node("open"), flow) and not kind_of("tool").stops(flow.node("find"), flow)


def test_inputs_of_a_tool_on_a_server_are_checked_as_fields() -> None:  # LG-services-06
    for inputs, code in (
        ({"a b": {"type": "string"}}, "FIELD_NAME_INVALID"),
        ({"a": {"type": "number", "default": "x"}}, "FIELD_DEFAULT"),
    ):
        flow = needing(mcp={"crm": {**SERVER, "tools": [{**TICKET, "inputs": inputs}]}})
        assert code in {each for each, path in found(flow) if path.startswith("requires.mcp.crm.tools[0].inputs")}
    flow = support()
    assert paths({**flow, "version": "0.23"}, "VERSION_TOO_LOW") == ["requires.mcp.crm.tools[1].inputs"]


def test_names_of_tools_are_one_list() -> None:  # LG-services-08
    flow = needing(mcp={"crm": SERVER, "shop": {"describe": "The shop.", "tools": ["findCustomer", "findCustomer"]}})
    wrong = every(flow, "TOOL_TWICE")
    assert [each.path for each in wrong] == ["requires.mcp.shop.tools[0]", "requires.mcp.shop.tools[1]"]
    assert '"remote": "findCustomer"' in wrong[0].hint
    flow["requires"]["mcp"]["shop"]["tools"] = [{"name": "findBuyer", "remote": "findCustomer"}]
    assert every(flow, "TOOL_TWICE") == []
    flow["tools"] = [{"name": "findBuyer", "description": "GETs one buyer by services.http. Returns an object."}]
    assert paths(flow, "TOOL_TWICE") == ["requires.mcp.shop.tools[0].name"]
    flow["requires"]["mcp"]["shop"]["tools"] = ["find/buyer"]
    assert paths(flow, "TOOL_NAME_INVALID") == ["requires.mcp.shop.tools[0]"]


MCP_WORDS = "Our MCP server with the customers; call callTool(name, args)."


@pytest.mark.parametrize(
    ("version", "requires", "codes"),
    [
        ("0.33", {"services": {"crm": MCP_WORDS}}, {"MCP_AS_SERVICE"}),  # LG-services-03
        ("0.33", {"services": {"crm": MCP_WORDS}, "packages": {"mcp": ">=1"}}, {"MCP_AS_SERVICE"}),
        ("0.22", {"services": {"crm": MCP_WORDS}}, {"MCP_WITHOUT_PACKAGE"}),  # LG-contract-25
        ("0.22", {"services": {"crm": MCP_WORDS}, "packages": {"mcp": ">=1"}}, set()),
        ("0.33", {"services": {"crm": "The customers' REST API. GET /customers lists them."}}, set()),  # LG-services-14
        ("0.33", {"mcp": {"crm": SERVER}}, set()),  # LG-services-12
    ],
)
def test_a_server_is_declared_and_not_described(version: str, requires: Json, codes: set[str]) -> None:
    told = {problem.code for problem in check({**needing(**requires), "version": version}).errors}
    assert told == codes


def test_code_that_speaks_to_a_server_needs_it_declared() -> None:  # LG-contract-25
    flow = needing()
    flow["tools"] = [{"name": "find", "description": "Calls find_customer of the MCP server. Returns an object."}]
    (wrong,) = every(flow, "MCP_WITHOUT_PACKAGE")
    assert wrong.level == "error" and wrong.path == "tools[0].description"
    flow["requires"] = {"mcp": {"crm": SERVER}}
    assert every(flow, "MCP_WITHOUT_PACKAGE") == []


def test_a_tool_that_writes_by_its_name_over_there_asks_somebody() -> None:  # LG-contract-26
    flow = support()
    assert paths(flow, "WRITE_WITHOUT_APPROVAL") == []
    del flow["nodes"][1]["approval"]
    assert paths(flow, "WRITE_WITHOUT_APPROVAL") == ["nodes[1]"]
    flow["requires"]["mcp"]["crm"]["tools"][1] = {**TICKET, "remote": "ticket"}
    assert paths(flow, "WRITE_WITHOUT_APPROVAL") == []
    desk = work()
    desk["requires"] = {"mcp": {"crm": {**SERVER, "tools": [{**TICKET, "name": "ticket"}]}}}
    desk["nodes"][0]["tools"].append("crm")
    assert paths(desk, "WRITE_WITHOUT_APPROVAL") == ["nodes[0].approve"]
