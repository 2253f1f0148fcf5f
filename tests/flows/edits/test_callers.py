"""Edits follow the names that the calling kinds use: tools in lists, targets of fan-outs, mapped outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows.check import check
from tests.flows.edits.edited import edited, found, node
from tests.flows.later_kinds import ALL, batch, orchestrator, parent, spread, work


def test_a_tool_is_renamed_in_every_list_of_tools() -> None:
    applied = edited(work(), {"op": "renameTool", "name": "addOrder", "to": "placeOrder"})
    desk = node(applied, "desk")
    assert (desk["tools"], desk["approve"]) == (["findCustomer", "readOrders", "placeOrder"], ["placeOrder"])
    assert found(applied) == []
    gone = node(edited(work(), {"op": "removeTool", "name": "addOrder"}), "desk")
    assert (gone["tools"], gone["approve"]) == (["findCustomer", "readOrders"], [])


def test_a_target_of_a_fan_out_is_renamed_and_removed() -> None:
    applied = edited(spread(), {"op": "renameNode", "id": "read", "to": "sum_up"})
    assert node(applied, "each")["to"] == "sum_up"
    assert found(applied) == []
    renamed = edited(spread(), {"op": "renameNode", "id": "each", "to": "every"})
    assert found(renamed) == []
    # The node that came after it takes its place, and the problems say what that means.
    without = edited(spread(), {"op": "removeNodes", "ids": ["read"]})
    assert node(without, "each")["to"] == "gather"


def test_channels_are_renamed_where_they_are_queued_spread_and_mapped() -> None:
    queue = edited(batch(), {"op": "renameChannel", "name": "queue", "to": "todo"})
    assert node(queue, "call")["calls"] == "todo" and found(queue) == []
    urls = edited(spread(), {"op": "renameChannel", "name": "urls", "to": "links"})
    assert node(urls, "each")["over"] == "links" and found(urls) == []
    mapped = edited(
        parent(),
        {"op": "renameChannel", "name": "customer", "to": "person"},
        {"op": "renameChannel", "name": "question", "to": "asked"},
    )
    find = node(mapped, "find")
    assert find["output"] == {"customer": "person", "orders": None}
    assert find["input"] == {"customerId": "{{asked}}"}
    assert found(mapped) == []
    whole = orchestrator()
    whole["nodes"][1]["input"] = "{{decision}}"
    decision = edited(whole, {"op": "renameChannel", "name": "decision", "to": "choice"})
    delegate = node(decision, "delegate")
    assert (delegate["agent"], delegate["input"]) == ("{{choice.agent}}", "{{choice}}")


@pytest.mark.parametrize("flow", ALL, ids=lambda flow: flow.__name__)
def test_each_node_is_renamed_and_nothing_breaks(flow: Callable[[], Any]) -> None:
    first = flow()
    renames = [{"op": "renameNode", "id": each["id"], "to": f"{each['id']}_x"} for each in first["nodes"]]
    assert edited(first, *renames).problems == check(first).problems == []
