"""Advice on what generated code would have to guess: which way leads to an MCP server, and what a result looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flows.draft import Draft
from flows.kinds.llm import LlmNode
from flows.problem import Finding, at, listed, quoted, rule
from flows.words.base import Json
from flows.words.edge import ConditionalEdge, PlainEdge

MODEL_KINDS = ("llm", "work", "agent")
ENGINE_KINDS = ("database", "knowledge")

_NAMED = re.compile(r"'([A-Za-z_][\w.]*)'|`([A-Za-z_][\w.]*)`")
_JSON_KEY = re.compile(r'"([A-Za-z_]\w*)"\s*:')


@rule("MCP_ROUTE_IS_A_GUESS", "warning")
def models_choose_the_way_to_servers(draft: Draft) -> Iterator[Finding]:
    """Code cannot read what somebody meant: a model chooses the way to an MCP server, and code reads its word."""
    if not draft.servers:
        return
    reaching = _reaching(draft)
    channels, fields = _of_models(draft)
    for index, edge in draft.edges:
        if not isinstance(edge, ConditionalEdge):
            continue
        named = {one or other for sentence in edge.when.values() for one, other in _NAMED.findall(sentence)}
        if any(_is_decided(name, channels, fields) for name in named):
            continue
        for route, target in edge.routes.items():
            if target in reaching:
                yield (
                    at("edges", index, "when", route),
                    f"The route {quoted(route)} from {quoted(edge.from_)} reaches the MCP server "
                    f"{listed(sorted(reaching[target]), 'and')}, and generated code alone chooses it.",
                    "Let an llm node decide first, and name its channel in single quotes: 'kind' is \"order\".",
                )


def _is_decided(name: str, channels: set[str], fields: set[str]) -> bool:
    """Does a quoted name mean what a model wrote: its channel, or a field that it was asked for?"""
    channel, _, field = name.partition(".")
    if not field:
        return channel in channels or channel in fields
    return channel in channels and field.partition(".")[0] in fields


def _of_models(draft: Draft) -> tuple[set[str], set[str]]:
    """The channels that models write, and the fields that they were asked for by name."""
    channels: set[str] = set()
    fields: set[str] = set()
    for _, node in draft.nodes:
        if node.type not in MODEL_KINDS:
            continue
        channels |= {each.text for each in draft.written_by(node.id) if each.field.key != "edit"}
        fields |= set(_JSON_KEY.findall(getattr(node, "prompt", "")))
        waiting = [node.answer] if isinstance(node, LlmNode) and node.answer else []
        while waiting:
            schema = waiting.pop()
            fields |= set(schema.properties or {})
            waiting += [*(schema.properties or {}).values(), *([schema.items] if schema.items else [])]
    return channels, fields


def _reaching(draft: Draft) -> dict[str, set[str]]:
    """Node → the servers that it calls, itself or on the way that its plain edges always take."""
    on = {tool: server for server, tools in draft.servers.items() for tool in tools}
    calls: dict[str, set[str]] = {}
    for each, text, path in draft.mentions:
        if each.dsl.ref == "tool" and path.startswith("nodes["):
            server = text if text in draft.servers else on.get(text)
            if server:
                calls.setdefault(draft.node_at(path), set()).add(server)
    for _, node in draft.nodes:
        if node.type == "tools":
            # Its queue may hold a call of any tool that the flow has.
            calls.setdefault(node.id, set()).update(draft.servers)
    back: dict[str, list[str]] = {}
    for _, edge in draft.edges:
        if isinstance(edge, PlainEdge):
            back.setdefault(edge.to, []).append(edge.from_)
    for id, target in draft.fanouts.items():
        back.setdefault(target, []).append(id)
    waiting = list(calls)
    while waiting:
        id = waiting.pop()
        for before in back.get(id, ()):
            if not calls[id] <= calls.get(before, set()):
                calls.setdefault(before, set()).update(calls[id])
                waiting.append(before)
    return calls


@rule("SHAPE_RECITED", "warning")
def results_are_named_only(draft: Draft) -> Iterator[Finding]:
    """What a database or a collection gives has the engine's shape, which code is told when it is written; a copy of
    that shape in a description grows old."""
    given = {output for output in map(_given, draft.objects("nodes")) if output}
    if not given:
        return
    recited = re.compile(rf"['`](?:{'|'.join(map(re.escape, sorted(given)))})['`][^.{{}}]{{0,60}}\{{\s*\w")
    for index, node in draft.nodes:
        found = recited.search(node.description) if node.type == "handler" else None
        if found:
            one, other = _NAMED.findall(found[0])[0]
            yield (
                at("nodes", index, "description"),
                f"The description of node {quoted(node.id)} writes out what is in {quoted(one or other)}"
                ", whose shape is the engine's.",
                "Name the channel and say what to do with it; code is told its fields when it is written.",
            )


def _given(node: dict[str, Json]) -> str:
    """The channel that a node of the engine's own results writes, however little of the node can be read."""
    found = node.get("output") if node.get("type") in ENGINE_KINDS else None
    return found if isinstance(found, str) else ""


RULES = (models_choose_the_way_to_servers, results_are_named_only)
