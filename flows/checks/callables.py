"""What may be called: tools of the flow and of its servers, whose names are one list."""

from __future__ import annotations

from collections.abc import Iterator

from flows.draft import Draft
from flows.problem import Finding, at, quoted, rule
from flows.words.names import is_name


@rule("TOOL_IS_SERVER")
def servers_and_tools_differ(draft: Draft) -> Iterator[Finding]:
    """A work node names tools and servers in one list, so no name means both."""
    own = {tool.name: at("tools", index, "name") for index, tool in reversed(draft.tools)}
    on_servers = {name: server for server, names in draft.servers.items() for name in sorted(names)}
    for server in draft.servers:
        if server in own or server in on_servers:
            where = "a tool of the flow" if server in own else f"a tool of the server {quoted(on_servers[server])}"
            yield (
                at("requires", "mcp", server),
                f"{quoted(server)} is both an MCP server and {where}.",
                "Rename one of them.",
            )


@rule("TOOL_TWICE")
def server_tools_are_unique(draft: Draft) -> Iterator[Finding]:
    """Tool names are flat, so a name means one tool, wherever it is."""
    known = {tool.name: "a tool of the flow" for _, tool in draft.tools}
    for server, name, path in _on_servers(draft):
        here = f"one of the server {quoted(server)}"
        if known.get(name) == here:
            yield path, f"The server {quoted(server)} has the tool {quoted(name)} twice.", "Keep one of them."
        elif name in known:
            yield (
                path,
                f"Two tools have the name {quoted(name)}: {known[name]}, and {here}.",
                f'Give this one a name of its own: {{ "name": "…", "remote": "{name}" }}.',
            )
        known.setdefault(name, here)


@rule("TOOL_NAME_INVALID")
def server_tools_have_names(draft: Draft) -> Iterator[Finding]:
    """A tool of a server has a name that nodes can have; what the server calls it is another matter."""
    for _, name, path in _on_servers(draft):
        if not is_name(name):
            yield (
                path,
                f"{quoted(name)} cannot be the name of a tool.",
                "Call it by up to 64 letters, digits, _ and -, beginning with a letter, and say what the server calls "
                f'it: {{ "name": "…", "remote": "{name}" }}.',
            )


def _on_servers(draft: Draft) -> Iterator[tuple[str, str, str]]:
    """(server, name, path) of each tool of a server that could be read."""
    for server, each in draft.document.requires.mcp.items():
        for position, tool in enumerate(each.tools):
            path = at("requires", "mcp", server, "tools", position)
            yield (server, tool, path) if isinstance(tool, str) else (server, tool.name, at(path, "name"))


RULES = (servers_and_tools_differ, server_tools_are_unique, server_tools_have_names)
