"""Small flows for tests, each right as it is; a test breaks what it is about."""

from __future__ import annotations

from typing import Any

from flows.check import Checked, check

Json = Any


def question() -> dict[str, Json]:
    """Question, model, answer."""
    return {
        "version": "0.33",
        "description": "Answers questions about orders.",
        "conversation": True,
        "inputs": ["question"],
        "outputs": ["answer"],
        "start": "reply",
        "state": {
            "question": {"type": "string", "description": "What was asked."},
            "answer": {"type": "string", "description": "The reply."},
        },
        "nodes": [{"id": "reply", "type": "llm", "prompt": "{{history}}\nQuestion: {{question}}", "output": "answer"}],
        "edges": [{"from": "reply", "to": "END"}],
    }


def every_kind() -> dict[str, Json]:
    """One node of each kind, an approval, a retry, and a conditional edge with a limit."""
    return {
        "version": "0.33",
        "id": "8f14e45f-ceea-467a-9f1a-2b0f8e5c91aa",
        "name": "Order desk",
        "kind": "user",
        "description": "Looks an order up and changes it after approval.",
        "conversation": True,
        "suggestions": ["Where is my order?"],
        "inputs": ["question"],
        "outputs": ["answer"],
        "requires": {
            "env": ["SHOP_KEY"],
            "services": {"shop": "The shop's REST API, called with GET and POST."},
            "settings": {"most": {"default": 5, "description": "How many orders are read."}},
            "packages": {"python-dateutil": ">=2.9,<3"},
        },
        "start": "details",
        "tools": [
            {
                "name": "changeOrder",
                "description": "POSTs the change by services.shop, with env.SHOP_KEY. Returns the order, an object.",
                "inputs": {
                    "orderId": {"type": "string", "required": True, "maxLength": 5, "label": "Order"},
                    "lines": {"type": "list", "of": {"sku": {"type": "string", "required": True}}},
                },
            }
        ],
        "state": {
            "question": {"type": "string", "description": "What was asked."},
            "details": {"type": "object", "description": "{ orderId, since }"},
            "plan": {"type": "object", "description": "{ wish }"},
            "tries": {"type": "list", "reducer": "append", "default": [], "description": "One entry for each try."},
            "order": {"type": "object", "remembers": True, "description": "The order, as the shop returns it."},
            "choice": {"type": "string", "description": "What the person chose."},
            "answer": {"type": "string", "description": "The reply."},
        },
        "nodes": [
            {
                "id": "details",
                "type": "form",
                "title": "Which order?",
                "fields": {"orderId": {"type": "string", "required": True}, "since": {"type": "date"}},
                "output": "details",
            },
            {
                "id": "plan",
                "type": "llm",
                "prompt": "What is wished? {{question}} {{history}}",
                "output": "plan",
                "schema": {
                    "type": "object",
                    "properties": {"wish": {"type": "string", "enum": ["change", "talk"]}},
                    "required": ["wish"],
                },
                "retry": {"maxAttempts": 2},
                "onError": "reply",
            },
            {
                "id": "change",
                "type": "tool",
                "tool": "changeOrder",
                "args": {"orderId": "{{details.orderId}}", "lines": ["{{choice}}"]},
                "output": "order",
                "approval": {
                    "ask": "Change {{details.orderId}}?",
                    "show": ["details"],
                    "edit": ["choice"],
                    "onReject": "reply",
                    "why": "answer",
                },
            },
            {"id": "which", "type": "ask", "ask": "Which one?", "show": ["order"], "output": "choice"},
            {
                "id": "count",
                "handler": "countTry",
                "description": "Reads 'choice' and adds { choice } as an entry to 'tries'. An empty choice adds none.",
            },
            {"id": "reply", "type": "llm", "prompt": "{{history}} {{__approval}} {{__error}}", "output": "answer"},
        ],
        "edges": [
            {"from": "details", "to": "plan"},
            {
                "from": "plan",
                "type": "conditional",
                "router": "routePlan",
                "routes": {"change": "which", "talk": "reply"},
                "when": {"change": "'plan.wish' is \"change\"", "talk": "anything else"},
                "limits": {"change": {"max": 3, "then": "talk", "per": "details"}},
            },
            {"from": "which", "to": "count"},
            {"from": "count", "to": "change"},
            {"from": "change", "to": "plan"},
            {"from": "reply", "to": "END"},
        ],
    }


def found(flow: Json) -> list[tuple[str, str]]:
    """(code, path) of every problem of a flow."""
    return [(problem.code, problem.path) for problem in check(flow).problems]


def accepted(flow: Json) -> Checked:
    """The check of a flow that must be without errors and without advice."""
    checked = check(flow)
    assert checked.problems == []
    return checked
