"""What a flow may call: its own tools, and the tools of the MCP servers that it requires, all in one list of names."""

from __future__ import annotations

from flows.words.base import Json
from flows.words.document import Document
from flows.words.fields import Fields
from flows.words.requires import McpTool


def own_names(document: Document) -> list[str]:
    """The names of everything that the flow may call."""
    return [*(tool.name for tool in document.tools), *(name for tools in servers(document).values() for name in tools)]


def servers(document: Document) -> dict[str, dict[str, McpTool | None]]:
    """MCP server → the tools that the flow may call on it, by name: null for one that is only named."""
    return {
        server: {
            tool if isinstance(tool, str) else tool.name: None if isinstance(tool, str) else tool for tool in each.tools
        }
        for server, each in document.requires.mcp.items()
    }


def expanded(document: Document, names: list[str]) -> list[str]:
    """The tools that names of tools and of servers stand for, each once."""
    known = servers(document)
    return list(dict.fromkeys(tool for name in names for tool in (known.get(name) or [name])))


def inputs_of(document: Document, name: str) -> Fields:
    """The arguments that the flow declares for a tool; {} when it declares none, or no such tool."""
    for tool in document.tools:
        if tool.name == name:
            return tool.inputs or {}
    for tools in servers(document).values():
        tool = tools.get(name)
        if tool is not None:
            return tool.inputs or {}
    return {}


def takes_inputs(document: Document, name: str) -> bool:
    """May a call of this tool stop the run with a form? It may where an argument is declared."""
    return bool(inputs_of(document, name))


def named_on_servers(requires: Json) -> dict[str, set[str]]:
    """MCP server → the names of its tools, in a `requires` that may be broken."""
    return {
        server: {name for tool in tools if (name := _name_of(tool)) is not None}
        for server, each in _servers(requires).items()
        for tools in (_tools(each) or [],)
    }


def all_named(requires: Json) -> bool:
    """Has every tool of every MCP server a name that can be read? Else the absence of one proves nothing."""
    mcp = requires.get("mcp", {}) if isinstance(requires, dict) else {} if requires is None else None
    if not isinstance(mcp, dict):
        return False
    return all(
        tools is not None and all(_name_of(tool) is not None for tool in tools) for tools in map(_tools, mcp.values())
    )


def _servers(requires: Json) -> dict[str, Json]:
    mcp = requires.get("mcp") if isinstance(requires, dict) else None
    return mcp if isinstance(mcp, dict) else {}


def _tools(server: Json) -> list[Json] | None:
    tools = server.get("tools") if isinstance(server, dict) else None
    return tools if isinstance(tools, list) else None


def _name_of(tool: Json) -> str | None:
    name = tool.get("name") if isinstance(tool, dict) else tool
    return name if isinstance(name, str) else None
