"""Names: well formed, unique, and not taken by the engine."""

from __future__ import annotations

from collections.abc import Iterator

from flows.draft import Draft
from flows.kinds.handler import HandlerNode
from flows.problem import Finding, at, quoted, rule
from flows.words.edge import ConditionalEdge
from flows.words.names import HISTORY, RESERVED_NODES, is_code_name, is_name

_CODE_HINT = "Use up to 64 letters, digits and _, begin with a letter, and use no Python keyword."


@rule("NODE_ID_INVALID")
def node_ids_are_names(draft: Draft) -> Iterator[Finding]:
    """An id stands in addresses (find#2/read_one[3]), so it holds no signs that mean something there."""
    for index, node in draft.nodes:
        if not is_name(node.id):
            yield (
                at("nodes", index, "id"),
                f"{quoted(node.id)} cannot be the id of a node.",
                "Use up to 64 letters, digits, _ and -, and begin with a letter.",
            )


@rule("NODE_ID_RESERVED")
def node_ids_are_free(draft: Draft) -> Iterator[Finding]:
    """START, END and SKIP are words of the language."""
    for index, node in draft.nodes:
        if node.id in RESERVED_NODES:
            yield at("nodes", index, "id"), f"The node id {quoted(node.id)} is reserved.", "Choose another id."


@rule("NODE_ID_TWICE")
def node_ids_are_unique(draft: Draft) -> Iterator[Finding]:
    """Edges, events and people name a node by its id."""
    for index, node in draft.nodes:
        first = draft.node_ids.get(node.id, index)
        if first != index:
            yield (
                at("nodes", index, "id"),
                f"Two nodes have the id {quoted(node.id)}: nodes[{first}] and nodes[{index}].",
                "Rename one of them, and the edges that mean it.",
            )


@rule("CHANNEL_RESERVED")
def channels_are_free(draft: Draft) -> Iterator[Finding]:
    """Names that begin with __ belong to the engine."""
    for name in draft.channel_names:
        if name.startswith("__"):
            yield (
                at("state", name),
                f"The channel name {quoted(name)} is reserved: names that begin with __ are the engine's own.",
                "Remove it; __approval and __error exist by themselves.",
            )


@rule("HISTORY_DECLARED")
def history_is_not_declared(draft: Draft) -> Iterator[Finding]:
    """history exists by itself in a conversational flow."""
    if draft.document.conversation and HISTORY in draft.channel_names:
        yield (
            at("state", HISTORY),
            'The channel "history" is declared, and a conversational flow has it by itself.',
            "Remove it from state, or give the channel another name.",
        )


@rule("CHANNEL_NAME_INVALID")
def channel_names_are_code(draft: Draft) -> Iterator[Finding]:
    """Code and templates write a channel's name, so it is a Python name."""
    for name in draft.channel_names:
        if not is_code_name(name) and not name.startswith("__"):
            yield at("state", name), f"{quoted(name)} cannot be the name of a channel.", _CODE_HINT


@rule("TOOL_NAME_INVALID")
def tool_names_are_code(draft: Draft) -> Iterator[Finding]:
    """A tool's name is its function's name."""
    for index, tool in draft.tools:
        if not is_code_name(tool.name):
            yield at("tools", index, "name"), f"{quoted(tool.name)} cannot be the name of a tool.", _CODE_HINT


@rule("TOOL_TWICE")
def tools_are_unique(draft: Draft) -> Iterator[Finding]:
    """Tool names are flat, so a node can mean only one tool by a name."""
    seen: dict[str, int] = {}
    for index, tool in draft.tools:
        first = seen.setdefault(tool.name, index)
        if first != index:
            yield (
                at("tools", index, "name"),
                f"Two tools have the name {quoted(tool.name)}: tools[{first}] and tools[{index}].",
                "Rename one of them.",
            )


@rule("ROUTER_NAME_INVALID")
def router_names_are_code(draft: Draft) -> Iterator[Finding]:
    """A router's name is its function's name."""
    for index, edge in draft.edges:
        if isinstance(edge, ConditionalEdge) and not is_code_name(edge.router):
            yield at("edges", index, "router"), f"{quoted(edge.router)} cannot be the name of a router.", _CODE_HINT


@rule("HANDLER_SAID_TWICE")
def one_handler_one_description(draft: Draft) -> Iterator[Finding]:
    """Two nodes may run the same function, but then it is described once, or in the same words."""
    seen: dict[str, tuple[int, str]] = {}
    for index, node in draft.nodes:
        if isinstance(node, HandlerNode) and node.description.strip():
            first, words = seen.setdefault(node.handler, (index, node.description))
            if words != node.description:
                yield (
                    at("nodes", index, "handler"),
                    f"The handler {quoted(node.handler)} is described in two ways, by nodes[{first}] and "
                    f"nodes[{index}].",
                    "Give them different names, or the same description.",
                )


@rule("ROUTER_SAID_TWICE")
def one_router_one_decision(draft: Draft) -> Iterator[Finding]:
    """Two edges may share a router, but then it decides the same between the same routes."""
    seen: dict[str, tuple[int, dict[str, str]]] = {}
    for index, edge in draft.edges:
        if isinstance(edge, ConditionalEdge):
            first, when = seen.setdefault(edge.router, (index, edge.when))
            if when != edge.when:
                yield (
                    at("edges", index, "router"),
                    f"The router {quoted(edge.router)} decides in two ways, on edges[{first}] and edges[{index}].",
                    "Give them different names, or the same when sentences.",
                )


RULES = (
    node_ids_are_names,
    node_ids_are_free,
    node_ids_are_unique,
    channels_are_free,
    history_is_not_declared,
    channel_names_are_code,
    tool_names_are_code,
    tools_are_unique,
    router_names_are_code,
    one_handler_one_description,
    one_router_one_decision,
)
