"""Flows with the kinds that call, delegate, spread and run other flows; each right as it is."""

from __future__ import annotations

import copy
from typing import Any

Json = Any

TOOLS = [
    {
        "name": "findCustomer",
        "description": "GETs one customer from the shop over services.http. Returns the customer, an object.",
        "inputs": {"customerId": {"type": "string", "required": True, "maxLength": 5, "label": "Customer id"}},
    },
    {
        "name": "readOrders",
        "description": "GETs the orders of a customer over services.http. Returns them, a list of objects.",
    },
]


def flow_with(nodes: list[Json], edges: list[Json], state: dict[str, Json], **more: Json) -> dict[str, Json]:
    flow = {
        "version": "0.33",
        "description": "Looks customers up and answers questions about them.",
        "inputs": ["question"],
        "outputs": ["answer"],
        "start": nodes[0]["id"],
        **more,
        "state": {
            "question": {"type": "string", "description": "What was asked."},
            "answer": {"type": "string", "description": "The reply."},
            **state,
        },
        "nodes": nodes,
        "edges": edges,
    }
    return copy.deepcopy(flow)


def batch() -> dict[str, Json]:
    """A model queues calls, a tools node makes them, a model answers."""
    return flow_with(
        [
            {"id": "plan", "type": "llm", "prompt": "Which calls? {{question}}", "output": "queue"},
            {"id": "call", "type": "tools", "calls": "queue", "output": "results", "onError": "reply"},
            {"id": "reply", "type": "llm", "prompt": "{{question}} {{results}} {{__error}}", "output": "answer"},
        ],
        [{"from": "plan", "to": "call"}, {"from": "call", "to": "reply"}, {"from": "reply", "to": "END"}],
        {
            "queue": {"type": "list", "description": "The calls, each { name, args }."},
            "results": {"type": "list", "description": "What came back, each { id, name, result, error }."},
        },
        tools=TOOLS,
    )


def work() -> dict[str, Json]:
    """One node that calls tools until it has an answer."""
    order = {"name": "addOrder", "description": "POSTs an order over services.http. Returns the order, an object."}
    desk = {
        "id": "desk", "type": "work", "prompt": "{{question}}", "tools": ["findCustomer", "readOrders", "addOrder"],
        "approve": ["addOrder"], "ask": "Place this order for {{question}}?", "show": ["question"], "needs": "orders",
        "rounds": 12, "output": "answer",
    }  # fmt: skip
    return flow_with([desk], [{"from": "desk", "to": "END"}], {}, tools=[*TOOLS, order])


def spread() -> dict[str, Json]:
    """A list is read item by item; where it is empty, the run goes on to the gatherer."""
    return flow_with(
        [
            {"id": "collect", "type": "llm", "prompt": "Which addresses? {{question}}", "output": "urls"},
            {"id": "each", "type": "fanout", "over": "urls", "as": "url", "to": "read"},
            {"id": "read", "type": "llm", "prompt": "Sum up {{url}} in a line.", "output": "lines", "onError": "SKIP"},
            {"id": "gather", "type": "llm", "prompt": "Answer {{question}} from {{lines}}.", "output": "answer"},
        ],
        [
            {
                "from": "collect", "type": "conditional", "router": "routeUrls",
                "routes": {"some": "each", "none": "gather"},
                "when": {"some": "'urls' is not empty", "none": "anything else"},
            },
            {"from": "read", "to": "gather"},
            {"from": "gather", "to": "END"},
        ],
        {
            "urls": {"type": "list", "description": "The addresses, each a text."},
            "lines": {"type": "list", "reducer": "append", "description": "One line for each address."},
        },
    )  # fmt: skip


def parent(address: str = "./flows/lookup.json") -> dict[str, Json]:
    """Looks a customer up by another flow, and answers."""
    return flow_with(
        [
            {
                "id": "find", "type": "flow", "flow": address, "input": {"customerId": "{{question}}"},
                "output": {"customer": "customer", "orders": None},
            },
            {"id": "reply", "type": "llm", "prompt": "{{question}} {{customer}}", "output": "answer"},
        ],
        [{"from": "find", "to": "reply"}, {"from": "reply", "to": "END"}],
        {"customer": {"type": "object", "description": "The customer, as the other flow gives it."}},
    )  # fmt: skip


def child() -> dict[str, Json]:
    """Looks one customer up."""
    return flow_with(
        [
            {
                "id": "look", "type": "tool", "tool": "findCustomer", "args": {"customerId": "{{customerId}}"},
                "output": "customer",
            },
            {"id": "read", "type": "tool", "tool": "readOrders", "args": {"of": "{{customerId}}"}, "output": "orders"},
        ],
        [{"from": "look", "to": "read"}, {"from": "read", "to": "END"}],
        {
            "customerId": {"type": "string", "description": "The customer's id."},
            "customer": {"type": "object", "description": "The customer."},
            "orders": {"type": "list", "description": "The customer's orders."},
        },
        inputs=["customerId"], outputs=["customer", "orders"], tools=TOOLS,
    )  # fmt: skip


def orchestrator() -> dict[str, Json]:
    """Chooses an agent, hands the question over, and answers from what comes back."""
    return flow_with(
        [
            {
                "id": "decide", "type": "llm", "prompt": "Which desk answers? {{question}}", "output": "decision",
                "schema": {
                    "type": "object",
                    "properties": {"agent": {"type": "string"}, "question": {"type": "string"}},
                    "required": ["agent", "question"],
                },
            },
            {
                "id": "delegate", "type": "agent", "agents": ["sql", "papers"], "agent": "{{decision.agent}}",
                "input": {"question": "{{decision.question}}"}, "output": "result",
            },
            {"id": "reply", "type": "llm", "prompt": "{{question}} {{result}}", "output": "answer"},
        ],
        [{"from": "decide", "to": "delegate"}, {"from": "delegate", "to": "reply"}, {"from": "reply", "to": "END"}],
        {
            "decision": {"type": "object", "description": "{ agent, question }"},
            "result": {"type": "object", "description": "What the agent gave back, and its name."},
        },
    )  # fmt: skip


def desk(description: str = "Answers a question.") -> dict[str, Json]:
    """An agent: a question, a model, an answer."""
    return flow_with(
        [{"id": "reply", "type": "llm", "prompt": "{{question}}", "output": "answer"}],
        [{"from": "reply", "to": "END"}],
        {},
        description=description,
    )


ALL = (batch, work, spread, parent, child, orchestrator, desk)
