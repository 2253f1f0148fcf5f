"""Flows with the kinds that read documents, collections and databases, and with MCP servers; each right as it is."""

from __future__ import annotations

from typing import Any

from tests.flows.later_kinds import flow_with

Json = Any

PLAINLY = "Answer from these alone, and say plainly when they do not say."


def document_chat() -> dict[str, Json]:
    """Questions about a document that a person hands over or links to."""
    return flow_with(
        [
            {"id": "load", "type": "read", "from": ["{{document}}", "{{url}}"], "output": "doc"},
            {
                "id": "reply", "type": "llm", "output": "answer",
                "prompt": "{{doc.title}}\n{{doc.text}}\n{{history}}\n{{question}}\n" + PLAINLY + " Cite the page.",
            },
        ],
        [{"from": "load", "to": "reply"}, {"from": "reply", "to": "END"}],
        {
            "document": {"type": "file", "accept": ".pdf,.docx,.txt,.md,.html", "description": "The document."},
            "url": {"type": "string", "description": "Where a document stands, when somebody gives a link."},
            "doc": {"type": "object", "remembers": True, "description": "The document that was read."},
        },
        inputs=["question", "url"], conversation=True,
    )  # fmt: skip


def handbook() -> dict[str, Json]:
    """A collection is asked, a model answers."""
    return flow_with(
        [
            {"id": "find", "type": "knowledge", "from": "hrPolicies", "ask": "{{question}}", "output": "paragraphs"},
            {"id": "reply", "type": "llm", "prompt": "{{paragraphs}}\n{{question}}\n" + PLAINLY, "output": "answer"},
        ],
        [{"from": "find", "to": "reply"}, {"from": "reply", "to": "END"}],
        {"paragraphs": {"type": "list", "description": "What the handbook says about it."}},
        requires={"knowledge": {"hrPolicies": {"describe": "The company's HR policies and handbook."}}},
    )


def indexer() -> dict[str, Json]:
    """Builds a collection at night."""
    return flow_with(
        [
            {
                "id": "build", "type": "index", "into": "hrPolicies", "method": "structure", "size": 1200,
                "builtFrom": "{{question}}", "output": "built",
            },
            {"id": "tell", "type": "llm", "prompt": "Say what was built: {{built}}", "output": "answer"},
        ],
        [{"from": "build", "to": "tell"}, {"from": "tell", "to": "END"}],
        {"built": {"type": "object", "description": "What was built."}},
        requires={"knowledge": {"hrPolicies": {"describe": "The company's HR policies.", "builds": True}}},
    )  # fmt: skip


def order_book() -> dict[str, Json]:
    """The schema, a statement, its rows, an answer."""
    return flow_with(
        [
            {"id": "schema", "type": "database", "from": "northwind", "mode": "schema", "output": "tables"},
            {"id": "write", "type": "llm", "prompt": "One SELECT for {{question}}:\n{{tables}}", "output": "statement"},
            {
                "id": "run", "type": "database", "from": "northwind", "sql": "{{statement}}", "most": 50,
                "output": "rows",
            },
            {"id": "reply", "type": "llm", "prompt": "{{rows}}\n{{question}}\n" + PLAINLY, "output": "answer"},
        ],
        [
            {"from": "schema", "to": "write"}, {"from": "write", "to": "run"}, {"from": "run", "to": "reply"},
            {"from": "reply", "to": "END"},
        ],
        {
            "tables": {"type": "object", "description": "What the database offers."},
            "statement": {"type": "string", "description": "The statement that answers the question."},
            "rows": {"type": "object", "description": "What the statement found."},
        },
        requires={"database": {"northwind": {"describe": "The order book: orders, customers and products."}}},
    )  # fmt: skip


TICKET = {
    "name": "openTicket", "remote": "create_ticket", "describe": "Raises a support ticket.",
    "inputs": {"about": {"type": "string", "required": True, "label": "What is wrong"}},
}  # fmt: skip


def support() -> dict[str, Json]:
    """A customer is looked up on an MCP server, and a ticket is opened there once a person agrees."""
    return flow_with(
        [
            {
                "id": "find", "type": "tool", "tool": "findCustomer", "args": {"name": "{{question}}"},
                "output": "customer",
            },
            {
                "id": "open", "type": "tool", "tool": "openTicket", "args": {"about": "{{question}}"},
                "output": "ticket", "approval": {"ask": "Open a ticket?", "show": ["customer"], "onReject": "reply"},
            },
            {"id": "reply", "type": "llm", "prompt": "{{customer}} {{ticket}} {{__approval}}", "output": "answer"},
        ],
        [{"from": "find", "to": "open"}, {"from": "open", "to": "reply"}, {"from": "reply", "to": "END"}],
        {
            "customer": {"type": "object", "description": "The customer, as the server gives it."},
            "ticket": {"type": "object", "description": "The ticket, as the server gives it."},
        },
        requires={
            "mcp": {
                "crm": {
                    "describe": "The customer system. Everything but openTicket only reads.",
                    "tools": ["findCustomer", TICKET],
                }
            }
        },
    )  # fmt: skip


READING = (document_chat, handbook, indexer, order_book, support)
