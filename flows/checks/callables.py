"""What may be called: tools of the flow and of its servers, whose names are one list."""

from __future__ import annotations

from collections.abc import Iterator

from flows.draft import Draft
from flows.problem import Finding, at, quoted, rule


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


RULES = (servers_and_tools_differ,)
