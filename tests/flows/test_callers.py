"""The kinds that call tools and agents, spread over lists and run other flows: their words, bounds and mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows.check import check
from flows.checks.fanout import dominators
from flows.kinds import BY_TYPE
from flows.kinds.agent import AgentNode, fixed
from flows.kinds.tools import ToolsNode
from flows.kinds.work import ROUNDS, WorkNode
from flows.problem import Problem
from flows.units import units_of
from tests.flows.flow_of import accepted, found
from tests.flows.later_kinds import ALL, batch, child, desk, orchestrator, parent, spread, work

Json = Any
FIND = {"customerId": {"type": "string"}}


@pytest.mark.parametrize("flow", ALL, ids=lambda flow: flow.__name__)
def test_each_flow_is_accepted(flow: Callable[[], Json]) -> None:
    # LG-work-02 LG-approval-20 LG-fanout-01 LG-subflows-01 LG-agents-01
    accepted(flow())


def one(flow: Json, code: str) -> Problem:
    """The problem with this code, which is the only one of its code."""
    problems = [problem for problem in check(flow).problems if problem.code == code]
    assert len(problems) == 1, check(flow).problems
    return problems[0]


def changed(flow: Json, node: int, **keys: Json) -> Json:
    flow["nodes"][node].update(keys)
    return flow


@pytest.mark.parametrize("since", ["work 0.24", "flow 0.13", "agent 0.19", "tools 0.1", "fanout 0.1", "needs 0.27"])
def test_each_word_needs_its_version(since: str) -> None:
    word, version = since.split()
    if word == "needs":
        flow = {**work(), "version": "0.26"}
        assert one(flow, "VERSION_TOO_LOW").path == "nodes[0].needs"
        return
    assert BY_TYPE[word].since == version
    flows = {"work": work, "flow": parent, "agent": orchestrator, "tools": batch, "fanout": spread}
    flow = {**flows[word](), "version": "0.12"}
    low = {problem.path for problem in check(flow).problems if problem.code == "VERSION_TOO_LOW"}
    assert any(path.endswith(".type") for path in low) is (version != "0.1")


# tool and tools


def test_arguments_are_flat() -> None:  # LG-tools-10
    flow = changed(child(), 0, args={"input": {"customerId": "{{customerId}}"}})
    assert one(flow, "ARGS_WRAPPED").path == "nodes[0].args.input"
    # One that is an object itself is an argument like any other.
    flow["tools"][0]["inputs"]["input"] = {"type": "object"}
    assert "ARGS_WRAPPED" not in {code for code, _ in found(flow)}


def test_inputs_of_tools_are_fields() -> None:  # LG-tools-09
    assert one({**batch(), "version": "0.9"}, "VERSION_TOO_LOW").path == "tools[0].inputs"
    flow = batch()
    flow["tools"][0]["inputs"]["customerId"]["max"] = 5
    assert ("UNKNOWN_KEY", "tools[0].inputs.customerId.max") in found(flow)


def test_the_queue_is_emptied_unless_it_is_said() -> None:  # LG-tools-06
    node = accepted(batch()).flow
    assert node is not None
    call = node.node("call")
    assert isinstance(call, ToolsNode) and call.clear is True
    flow = accepted(changed(batch(), 1, clear=False)).flow
    assert flow is not None
    kept = flow.node("call")
    assert isinstance(kept, ToolsNode) and kept.clear is False


def test_a_batch_may_call_every_tool_of_the_flow() -> None:  # LG-tools-01
    flow = accepted(batch()).flow
    assert flow is not None
    assert [unit.id for unit in units_of(flow)] == ["tool:findCustomer", "tool:readOrders"]
    assert BY_TYPE["tools"].may_call(flow.node("call"), flow) == ["findCustomer", "readOrders"]


def test_queue_and_results_are_lists_of_their_own() -> None:
    flow = batch()
    flow["state"]["queue"]["type"] = "object"
    assert one(flow, "QUEUE_NOT_A_LIST").path == "nodes[1].calls"
    flow = batch()
    flow["state"]["results"]["type"] = "string"
    assert one(flow, "OUTPUT_NOT_FOR_RESULTS").path == "nodes[1].output"
    assert "which is its queue" in one(changed(batch(), 1, output="queue"), "OUTPUT_NOT_FOR_RESULTS").message
    assert one({**batch(), "tools": []}, "NO_TOOLS").path == "nodes[1].calls"


def test_a_batch_that_may_write_waits_for_a_person() -> None:
    order = {"name": "addOrder", "description": "POSTs an order over services.http. Returns the order, an object."}
    flow = {**batch(), "tools": [order]}
    assert '"addOrder"' in one(flow, "WRITE_WITHOUT_APPROVAL").message
    accepted(changed(flow, 1, approval={"ask": "Make these calls?", "show": ["queue"], "onReject": "reply"}))


# work


def test_rounds_are_eight_when_nothing_is_said() -> None:  # LG-work-06
    flow = work()
    del flow["nodes"][0]["rounds"]
    document = accepted(flow).flow
    assert document is not None
    node = document.node("desk")
    assert isinstance(node, WorkNode) and node.rounds == ROUNDS == 8
    for rounds in (0, 101):
        assert found(changed(work(), 0, rounds=rounds)) == [("OUT_OF_RANGE", "nodes[0].rounds")]


def test_a_work_node_names_what_it_may_call() -> None:  # LG-work-03
    wrong = one(changed(work(), 0, tools=["findCustomr", "readOrders", "addOrder"]), "TOOL_NOT_DECLARED")
    assert (wrong.path, wrong.hint) == ("nodes[0].tools[0]", 'Did you mean "findCustomer"?')
    assert ("TOO_SHORT", "nodes[0].tools") in found(changed(work(), 0, tools=[]))
    flow = work()
    del flow["nodes"][0]["tools"]
    assert ("MISSING_KEY", "nodes[0]") in found(flow)
    assert ("NAMED_TWICE", "nodes[0].tools[3]") in found(
        changed(work(), 0, tools=["findCustomer", "readOrders", "addOrder", "readOrders"])
    )
    document = accepted(work()).flow
    assert document is not None
    assert [unit.name for unit in units_of(document)] == ["findCustomer", "readOrders", "addOrder"]


def test_approve_names_tools_that_the_node_may_call() -> None:
    flow = changed(work(), 0, approve=["addOrder", "addOrders"])
    assert one(flow, "TOOL_NOT_DECLARED").hint == 'Did you mean "addOrder"?'
    flow = changed(work(), 0, tools=["findCustomer", "addOrder"], approve=["addOrder", "readOrders"])
    assert one(flow, "APPROVE_NOT_CALLED").path == "nodes[0].approve[1]"
    # Without one the tool that writes is named, and the card is never shown.
    codes = {problem.code: problem.level for problem in check(changed(work(), 0, approve=[])).problems}
    assert codes == {"WRITE_WITHOUT_APPROVAL": "warning", "CARD_NEVER_SHOWN": "warning"}


def test_a_flow_with_approve_may_stop() -> None:
    document = accepted(work()).flow
    assert document is not None
    assert BY_TYPE["work"].stops(document.node("desk"), document)


def test_a_work_node_answers_in_words() -> None:
    flow = work()
    flow["state"]["answer"]["type"] = "number"
    assert one(flow, "OUTPUT_NOT_FOR_ANSWER").path == "nodes[0].output"


def test_the_prompt_of_a_work_node_may_read_the_conversation() -> None:
    flow = {**work(), "conversation": True}
    assert one(flow, "HISTORY_UNREAD").path == "conversation"
    accepted(changed(flow, 0, prompt="{{history}} {{question}}"))


# fanout


def test_only_the_target_reads_the_item() -> None:
    flow = changed(spread(), 3, prompt="{{lines}} {{url}}")
    wrong = one(flow, "CHANNEL_NOT_DECLARED")
    assert (wrong.path, wrong.hint) == (
        "nodes[3].prompt",
        'It is an item of the fan-out "each", which only "read" reads.',
    )
    # And nobody writes it.
    assert one(changed(spread(), 2, output="url"), "CHANNEL_NOT_DECLARED").path == "nodes[2].output"
    assert one(changed(spread(), 2, prompt="{{urll}}"), "CHANNEL_NOT_DECLARED").hint == 'Did you mean "url"?'


def test_the_target_gathers() -> None:  # LG-fanout-03 LG-channels-07
    flow = spread()
    flow["state"]["lines"].pop("reducer")
    wrong = one(flow, "FANOUT_NEEDS_APPEND")
    assert (wrong.level, wrong.path) == ("error", "state.lines.reducer")


def test_the_item_has_a_name_of_its_own() -> None:
    assert one(changed(spread(), 1, **{"as": "urls"}), "ITEM_NAME_INVALID").path == "nodes[1].as"
    for name in ("class", "my url", "__item", "history"):
        assert ("ITEM_NAME_INVALID", "nodes[1].as") in found(changed(spread(), 1, **{"as": name}))


def test_a_fan_out_sends_to_another_node() -> None:
    assert one(changed(spread(), 1, to="each"), "FANOUT_TARGET").path == "nodes[1].to"
    assert ("NODE_NOT_FOUND", "nodes[1].to") in found(changed(spread(), 1, to="reed"))
    assert ("NODE_NOT_FOUND", "nodes[1].to") in found(changed(spread(), 1, to="END"))
    flow = spread()
    flow["nodes"].insert(1, {**flow["nodes"][1], "id": "outer", "to": "each"})
    assert "which is a fan-out too" in one(flow, "FANOUT_TARGET").message
    flow = spread()
    flow["nodes"].append({**flow["nodes"][1], "id": "again", "as": "address"})
    flow["edges"][0]["routes"]["more"] = "again"
    flow["edges"][0]["when"]["more"] = "'question' is empty"
    assert one(flow, "FANOUT_TARGET").path == "nodes[4].as"


def test_a_list_is_spread() -> None:
    flow = spread()
    flow["state"]["urls"]["type"] = "string"
    assert one(flow, "OVER_NOT_A_LIST").path == "nodes[1].over"


def test_an_edge_that_leaves_a_fan_out_is_named() -> None:  # LG-fanout-09 LG-fanout-10
    flow = spread()
    flow["edges"].append({"from": "each", "to": "gather"})
    wrong = one(flow, "FANOUT_HAS_EDGE")
    assert (wrong.level, wrong.path) == ("warning", "edges[3]")
    assert check(flow).ok


def test_a_tail_that_an_empty_list_silences_is_named() -> None:  # LG-fanout-05 LG-fanout-06 LG-fanout-07 LG-fanout-08
    flow = spread()
    flow["edges"][0] = {"from": "collect", "to": "each"}
    wrong = one(flow, "FANOUT_MAY_SILENCE_THE_TAIL")
    assert (wrong.level, wrong.path) == ("warning", "nodes[1].over")
    assert '"gather"' in wrong.message and 'to "gather"' in wrong.hint
    assert check(flow).ok
    # Nothing comes after the target: nothing is silenced.
    flow["edges"][1:] = [{"from": "read", "to": "END"}]
    flow["nodes"].pop()
    flow["outputs"] = ["lines"]
    accepted(flow)
    # Only a failure leads to it, so an empty list has nothing to do with it.
    flow["nodes"].append({"id": "sorry", "type": "llm", "prompt": "{{__error}}", "output": "answer"})
    flow["nodes"][1]["onError"] = "sorry"
    flow["edges"].append({"from": "sorry", "to": "END"})
    accepted(flow)


def test_a_failing_copy_may_contribute_nothing() -> None:  # LG-fanout-12
    assert one(changed(spread(), 3, onError="SKIP"), "SKIP_OUTSIDE_FANOUT").path == "nodes[3].onError"


def test_every_way_past_a_node_is_found() -> None:
    ways = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": ["e", "a"], "e": ["e"], "x": ["e"]}
    assert dominators("a", ways) == {"b": "a", "c": "a", "d": "a", "e": "d"}


# flow


@pytest.mark.parametrize(
    "address",
    [
        "/flows/a.json", "C:\\flows\\a.json", "c:/a.json", "https://x.example/a.json", "file:a.json", "flows\\a.json",
        "~/a.json", "./flows/", "a//b.json", "..", ".", " a.json", "a\n.json",
    ],
)  # fmt: skip
def test_an_address_begins_at_its_file(address: str) -> None:  # LG-subflows-04
    assert ("FLOW_ADDRESS_INVALID", "nodes[0].flow") in found(parent(address))


@pytest.mark.parametrize("address", ["./a.json", "a.json", "../shared/a.json", "./flows/my flow.json", "./a"])
def test_an_address_may_lead_anywhere_in_the_project(address: str) -> None:
    accepted(parent(address))


def test_outputs_land_in_channels_or_nowhere() -> None:  # LG-subflows-06
    assert one(changed(parent(), 0, output={"customer": "custmer"}), "CHANNEL_NOT_DECLARED").hint == (
        'Did you mean "customer"?'
    )
    for nothing in (None, ""):
        accepted(changed(parent(), 0, output={"customer": "customer", "orders": nothing}))
    assert one(changed(parent(), 0, input={"customerId": ["{{questin}}"]}), "CHANNEL_NOT_DECLARED").path == (
        "nodes[0].input.customerId[0]"
    )


# agent


def test_the_list_of_agents_is_the_permission() -> None:  # LG-agents-04 LG-agents-05 LG-agents-06
    flow = orchestrator()
    del flow["nodes"][1]["agents"]
    assert ("MISSING_KEY", "nodes[1]") in found(flow)
    assert ("TOO_SHORT", "nodes[1].agents") in found(changed(orchestrator(), 1, agents=[]))
    wrong = one(changed(orchestrator(), 1, agent="paper"), "AGENT_NOT_ALLOWED")
    assert (wrong.path, wrong.hint) == ("nodes[1].agent", 'Did you mean "papers"?')
    accepted(changed(orchestrator(), 1, agent="papers"))


@pytest.mark.parametrize("name", ["./agents/sql/flow.json", "my agent", "", "1sql"])
def test_agents_are_names(name: str) -> None:  # LG-agents-04 LG-agents-14
    assert one(changed(orchestrator(), 1, agents=["sql", name]), "AGENT_NAME_INVALID").path == "nodes[1].agents[1]"


def test_input_is_one_template_or_a_mapping() -> None:  # LG-agents-07
    accepted(changed(orchestrator(), 1, input="{{decision}}"))
    for text in ("sql", "", "{{decision}} please"):
        assert one(changed(orchestrator(), 1, input=text), "AGENT_INPUT_REFUSED").path == "nodes[1].input"
    assert found(changed(orchestrator(), 1, input=[])) == [("WRONG_TYPE", "nodes[1].input")]


def test_one_channel_holds_what_comes_back() -> None:
    flow = orchestrator()
    flow["state"]["result"]["type"] = "string"
    assert one(flow, "OUTPUT_NOT_FOR_AGENT").path == "nodes[1].output"


def test_an_agent_is_fixed_where_no_template_chooses_it() -> None:
    def node(agent: str) -> AgentNode:
        return AgentNode.model_validate({"id": "a", "type": "agent", "agents": ["sql"], "agent": agent, "output": "x"})

    assert fixed(node("sql")) == "sql"
    assert fixed(node("{{decision.agent}}")) == fixed(node("{{a | b}}")) == ""


# Whether a step may stop


@pytest.mark.parametrize(
    ("flow", "node", "stops"),
    [
        (child, "look", True),
        (child, "read", False),
        (desk, "reply", False),
        (batch, "call", True),
        (work, "desk", True),
    ],
)
def test_a_step_that_may_stop_is_known(flow: Callable[[], Json], node: str, stops: bool) -> None:
    document = accepted(flow()).flow
    assert document is not None
    found = document.node(node)
    assert BY_TYPE[found.type].stops(found, document) is stops


# Servers


def with_server(**server: Json) -> Json:
    """A work flow that also needs an MCP server."""
    flow = work()
    flow["requires"] = {"mcp": {"crm": {"describe": "The customer system.", "tools": ["openTicket"], **server}}}
    return flow


def wrong_calls(flow: Json) -> set[str]:
    """The codes about what is called."""
    codes = {code for code, _ in found(flow)}
    return codes & {"TOOL_NOT_DECLARED", "APPROVE_NOT_CALLED", "TOOL_IS_SERVER", "TOOL_UNUSED"}


def test_a_server_stands_for_its_tools() -> None:  # LG-work-03
    flow = changed(with_server(), 0, tools=["crm", "addOrder", "findCustomer", "readOrders"])
    assert wrong_calls(flow) == set()
    # A tool that is declared on a server is declared.
    flow = changed(with_server(), 0, tools=["openTicket", "addOrder", "findCustomer", "readOrders"])
    assert wrong_calls(flow) == set()
    wrong = one(changed(with_server(), 0, tools=["crmm", "addOrder"]), "TOOL_NOT_DECLARED")
    assert (wrong.message, wrong.hint) == ('There is no tool and no server "crmm".', 'Did you mean "crm"?')
    # A person approves calls of tools, not of a server.
    wrong = one(changed(with_server(), 0, tools=["crm", "addOrder"], approve=["addOrder", "crm"]), "APPROVE_NOT_CALLED")
    assert wrong.hint == 'Name the tools: "openTicket".'


def test_no_name_is_a_tool_and_a_server() -> None:  # LG-work-04
    flow = with_server()
    flow["requires"]["mcp"]["addOrder"] = flow["requires"]["mcp"].pop("crm")
    assert one(flow, "TOOL_IS_SERVER").path == "requires.mcp.addOrder"


def test_a_broken_server_is_not_taken_for_a_missing_tool() -> None:
    for broken in ({"tools": "openTicket"}, {"tools": [7]}, {"tools": [{"remote": "x"}]}):
        flow = changed(with_server(**broken), 0, tools=["openTicket", "addOrder"])
        assert "TOOL_NOT_DECLARED" not in wrong_calls(flow)
