"""What lies outside of a flow: servers, collections and databases are named and described here, and never placed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flows.draft import Draft
from flows.problem import Finding, at, listed, quoted, rule
from flows.words.base import Json
from flows.words.callables import servers
from flows.words.versions import below
from flows.words.whereabouts import whereabouts

SERVERS_SINCE = "0.23"
DESCRIBE_CHECKED = "0.25"
"""Since when what a server is for is looked at."""
MCP_PACKAGES = ("mcp", "fastmcp")

_SPEAKS_OF_MCP = re.compile(r"\bMCP\b|\bcallTool\b|\bcall_tool\b|(?i:\bmodel context protocol\b)")


@rule("INVALID_DESCRIPTION")
def descriptions_name_no_place(draft: Draft) -> Iterator[Finding]:
    """Where something is changes with each installation, and a flow does not: a description says what it is for."""
    requires = draft.document.requires
    told: list[tuple[str, str, str, str]] = []
    if not below(draft.document.version, DESCRIBE_CHECKED):
        for name, server in requires.mcp.items():
            here = at("requires", "mcp", name)
            told.append((f"the MCP server {quoted(name)}", at(here, "describe"), server.describe, "Say what it is for"))
            for position, tool in enumerate(server.tools):
                if not isinstance(tool, str):
                    path = at(here, "tools", position, "describe")
                    told.append((f"the tool {quoted(tool.name)}", path, tool.describe, "Say what it does"))
    for what, section, holders in (
        ("collection", "knowledge", requires.knowledge),
        ("database", "database", requires.database),
    ):
        for name, each in holders.items():
            path = at("requires", section, name, "describe")
            told.append((f"the {what} {quoted(name)}", path, each.describe, "Say what it holds"))
    for owner, path, words, hint in told:
        place = whereabouts(words)
        if place:
            yield (
                path,
                f"The description of {owner} says where it is: {quoted(place)}.",
                f"{hint}. Where it is changes with each deployment, and is known there.",
            )


@rule("KNOWLEDGE_NEEDS_USERS")
def readers_are_known(draft: Draft) -> Iterator[Finding]:
    """Where what comes back depends on who asks, nobody can ask before it is known who they are."""
    match draft.raw:
        case {"requires": {"users": users}} if users is not None:
            return
        case _:
            pass
    for name, each in draft.document.requires.knowledge.items():
        if each.reader:
            yield (
                at("requires", "knowledge", name, "reader"),
                f"The collection {quoted(name)} answers by who asks, and the flow does not ask who its people are.",
                'Add "users": true to "requires"; else every question to it would be turned away.',
            )


@rule("MCP_AS_SERVICE")
def servers_are_no_services(draft: Draft) -> Iterator[Finding]:
    """An MCP server is declared with its tools, which the product can read, ask about and switch off; told in prose,
    it is a service whose calls nobody can tell apart."""
    if below(draft.document.version, SERVERS_SINCE):
        return
    for name, words in draft.document.requires.services.items():
        if _SPEAKS_OF_MCP.search(words):
            yield (
                at("requires", "services", name),
                f"The service {quoted(name)} is described as an MCP server.",
                f'Declare it as one: "requires": {{ "mcp": {{ "{name}": {{ "describe": "…", "tools": ["…"] }} }} }}.',
            )


@rule("MCP_WITHOUT_PACKAGE")
def mcp_clients_are_declared(draft: Draft) -> Iterator[Finding]:
    """Code that speaks to an MCP server by itself imports a client for it. A declared server needs none."""
    requires = draft.document.requires
    known = {name.lower() for name in requires.packages}
    if requires.mcp or draft.required("mcp") or known & set(MCP_PACKAGES):
        return
    old = below(draft.document.version, SERVERS_SINCE)
    texts = [(at("requires", "services", name), words) for name, words in requires.services.items()] if old else []
    texts += [(at("tools", index, "description"), tool.description) for index, tool in draft.tools]
    texts += [(at("nodes", index, "description"), node.description) for index, node in draft.nodes if _is_code(node)]
    for path, words in texts:
        if _SPEAKS_OF_MCP.search(words):
            yield (
                path,
                "The description speaks of an MCP server, and the flow declares neither a server nor a client for it.",
                'Add "mcp" with a version range to requires.packages.'
                if old
                else "Declare the server and the tools that are called in requires.mcp, and call them by tool nodes.",
            )


def _is_code(node: Json) -> bool:
    return node.type == "handler"


@rule("REQUIRED_UNUSED", "warning")
def what_is_required_is_used(draft: Draft) -> Iterator[Finding]:
    """A declaration is a permission. One that no node uses is a flow that looks finished and asks nothing, or a door
    left open."""
    if not draft.whole:
        return
    named = {(each.field.dsl.ref, each.text) for each in draft.mentions}
    for ref, section, hint in (
        ("collection", "knowledge", "Add a knowledge node that asks it and a model that answers from what it finds"),
        ("database", "database", "Add a database node that reads it"),
    ):
        declared = getattr(draft.document.requires, section)
        if any(text not in declared for meant, text in named if meant == ref):
            # Told already as one that is not declared; which of those that are was meant is not known.
            continue
        for name in declared:
            if (ref, name) not in named:
                yield (
                    at("requires", section, name),
                    f"No node {'asks the collection' if ref == 'collection' else 'reads the database'} {quoted(name)}.",
                    f"{hint}, or remove it.",
                )
    if any(node.type == "tools" for _, node in draft.nodes):
        return
    for server, tools in servers(draft.document).items():
        if not {("tool", each) for each in (server, *tools)} & named:
            yield (
                at("requires", "mcp", server),
                f"No node calls a tool of the MCP server {quoted(server)}.",
                f"Add a node that calls {listed(list(tools)[:4])}, or remove it.",
            )


RULES = (
    descriptions_name_no_place,
    readers_are_known,
    servers_are_no_services,
    mcp_clients_are_declared,
    what_is_required_is_used,
)
