"""Reads a flow's JSON into words, part by part, so that a broken part hides no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flows.blocks import VIEWS
from flows.blocks.base import View
from flows.draft import Draft
from flows.kinds import BY_TYPE
from flows.problem import Problem, at, listed, quoted, suggestion
from flows.words import base
from flows.words.base import Json, read, shape
from flows.words.callables import all_named
from flows.words.channel import Channel
from flows.words.document import MAX_NODES, MAX_VIEWS, Document
from flows.words.edge import ConditionalEdge, Edge, PlainEdge
from flows.words.node import Node
from flows.words.tool import Tool
from flows.words.versions import NEWEST

CODES = (*base.CODES, "FLOW_NOT_AN_OBJECT", "KIND_UNKNOWN", "EDGE_TYPE_UNKNOWN", "TOO_MANY_NODES")

_PARTS = {"tools": list, "state": dict, "nodes": list, "edges": list, "views": list}


class NotAFlow(ValueError):
    """The top of the JSON is no flow, so nothing inside it was looked at."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_draft(raw: Json) -> tuple[Draft, Iterator[Problem]]:
    """The draft, and what could not be read of it. The draft is complete once the problems were consumed.

    Raises NotAFlow when the top is no object, or holds more nodes than a flow may have.
    """
    if not isinstance(raw, dict):
        raise NotAFlow(
            Problem(
                "FLOW_NOT_AN_OBJECT",
                "error",
                "",
                f"A flow is one JSON object, and this is {shape(raw)}.",
                'Begin with { "version": … }.',
            )
        )
    nodes = raw.get("nodes")
    if isinstance(nodes, list) and len(nodes) > MAX_NODES:
        raise NotAFlow(
            Problem(
                "TOO_MANY_NODES",
                "error",
                "nodes",
                f"This flow has {len(nodes):,} nodes; at most {MAX_NODES:,} are taken.",
                "Move part of it into a flow of its own.",
            )
        )
    document, problems = _head(raw)
    draft = Draft(raw, document)
    _name_parts(draft)
    return draft, _all(draft, problems)


def _all(draft: Draft, head: list[Problem]) -> Iterator[Problem]:
    yield from head
    state: dict[str, Channel] = {}
    for name, each in _part(draft.raw, "state").items():
        channel, problems = read(Channel, each, at("state", name), f"channel {quoted(name)}")
        yield from problems
        if channel:
            state[name] = channel.named(name)
    _put(draft.document, "state", state)
    for index, each in enumerate(_part(draft.raw, "tools")):
        tool, problems = read(Tool, each, at("tools", index), _owner("tool", each, "name", f"tools[{index}]"))
        yield from problems
        if tool:
            draft.tools.append((index, tool))
    _put(draft.document, "tools", [tool for _, tool in draft.tools])
    for index, each in enumerate(_part(draft.raw, "nodes")):
        node, problems = read_node(each, at("nodes", index))
        yield from problems
        if node:
            draft.nodes.append((index, node))
    _put(draft.document, "nodes", [node for _, node in draft.nodes])
    for index, each in enumerate(_part(draft.raw, "edges")):
        edge, problems = read_edge(each, at("edges", index))
        yield from problems
        if edge:
            draft.edges.append((index, edge))
    _put(draft.document, "edges", [edge for _, edge in draft.edges])
    views = _part(draft.raw, "views")
    if len(views) > MAX_VIEWS:
        message = f"This flow has {len(views):,} views; at most {MAX_VIEWS} are allowed."
        yield Problem("TOO_LONG", "error", "views", message, "Remove some.")
    for index, each in enumerate(views[:MAX_VIEWS]):
        view, problems = read_view(each, at("views", index))
        yield from problems
        if view:
            draft.views.append((index, view))
    _put(draft.document, "views", [view for _, view in draft.views])


def read_node(raw: Json, path: str) -> tuple[Node | None, list[Problem]]:
    """Read one node. Its kind is chosen first, so that every problem speaks of that kind's own words."""
    if not isinstance(raw, dict):
        message = f"The node at {quoted(path)} must be an object, and it is {shape(raw)}."
        return None, [Problem("WRONG_TYPE", "error", path, message, 'Write { "id": "…", "type": "…" }.')]
    type = raw.get("type", "handler")
    name = _owner("node", raw, "id", path)
    if not isinstance(type, str):
        message = f'"type" of {name} must be text, and it is {shape(type)}.'
        return None, [Problem("WRONG_TYPE", "error", at(path, "type"), message, f"Use {listed(BY_TYPE)}.")]
    kind = BY_TYPE.get(type)
    if kind is None:
        return None, [
            Problem(
                "KIND_UNKNOWN",
                "error",
                at(path, "type"),
                f"{quoted(type)} of {name} is no kind of node.",
                suggestion(type, BY_TYPE, f"Use {listed(BY_TYPE)}. A node without a type is a handler."),
            )
        ]
    if type == "handler" and "type" not in raw and "handler" not in raw and "id" in raw:
        # The commonest slip is a forgotten type; say so instead of speaking of handlers only.
        hint = f'Add "type": {listed(each for each in BY_TYPE if each != "handler")}; or, for code, "handler".'
        _node, problems = read(kind.fields, {**raw, "handler": "unnamed"}, path, name)
        message = f'{name[:1].upper() + name[1:]} says neither a "type" nor a "handler".'
        own = [problem for problem in problems if problem.code != "UNKNOWN_KEY"]
        return None, [Problem("MISSING_KEY", "error", path, message, hint), *own]
    what = "LLM node" if type == "llm" else f"{type} node"
    return read(kind.fields, raw, path, _owner(what, raw, "id", path))


def read_edge(raw: Json, path: str) -> tuple[Edge | None, list[Problem]]:
    """Read one edge: conditional when it says so, else plain."""
    if not isinstance(raw, dict):
        message = f"The edge at {quoted(path)} must be an object, and it is {shape(raw)}."
        return None, [Problem("WRONG_TYPE", "error", path, message, 'Write { "from": "…", "to": "…" }.')]
    owner = f"the edge from {quoted(raw['from'])}" if isinstance(raw.get("from"), str) else f"the edge at {path}"
    if "type" not in raw and "to" in raw:
        return read(PlainEdge, raw, path, owner)
    if "type" not in raw and not {"routes", "router", "when"} & raw.keys():
        return read(PlainEdge, raw, path, owner)
    if "type" not in raw or raw["type"] == "conditional":
        return read(ConditionalEdge, raw, path, owner)
    message = f'"type" of {owner} is {quoted(raw["type"])}, which is no kind of edge.'
    hint = 'Leave it out for an edge that always goes on, or write "conditional".'
    return None, [Problem("EDGE_TYPE_UNKNOWN", "error", at(path, "type"), message, hint)]


def read_view(raw: Json, path: str) -> tuple[View | None, list[Problem]]:
    """Read one view, by its type."""
    if not isinstance(raw, dict):
        message = f"The view at {quoted(path)} must be an object, and it is {shape(raw)}."
        return None, [Problem("WRONG_TYPE", "error", path, message, 'Write { "id": "…", "type": "card", … }.')]
    name, type = _owner("view", raw, "id", path), raw.get("type")
    if isinstance(type, str) and type in VIEWS:
        return read(VIEWS[type], raw, path, _owner(type, raw, "id", path))
    use = f"Use {listed(VIEWS)}."
    if "type" not in raw:
        message = f'{name[:1].upper() + name[1:]} does not say "type".'
        return None, [Problem("MISSING_KEY", "error", path, message, use)]
    if not isinstance(type, str):
        message = f'"type" of {name} must be text, and it is {shape(type)}.'
        return None, [Problem("WRONG_TYPE", "error", at(path, "type"), message, use)]
    message = f'"type" of {name} is {quoted(type)}, which is not one of {listed(VIEWS)}.'
    return None, [Problem("NOT_ONE_OF", "error", at(path, "type"), message, suggestion(type, VIEWS, use))]


def _owner(what: str, raw: Json, key: str, otherwise: str) -> str:
    name = raw.get(key) if isinstance(raw, dict) else None
    return f"{what} {quoted(name)}" if isinstance(name, str) and name else f"the {what} at {otherwise}"


def _part(raw: dict[str, Json], name: str) -> Any:
    found = raw.get(name)
    return found if isinstance(found, _PARTS[name]) else _PARTS[name]()


def _put(document: Document, name: str, value: Json) -> None:
    """The document is frozen for everybody else; here it is still being made."""
    object.__setattr__(document, name, value)


def _head(raw: dict[str, Json]) -> tuple[Document, list[Problem]]:
    """The document without its parts. Keys that are wrong are left out of it, and said."""
    given: dict[str, Json] = {
        key: (_PARTS[key]() if isinstance(each, _PARTS.get(key, ())) else each) for key, each in raw.items()
    }
    document, problems = read(Document, given, "", "the flow")
    if document is None:
        given = {"version": NEWEST, "start": "", "nodes": []} | {
            key: each for key, each in given.items() if key in base.keys(Document)
        }
    for _ in range(_PRUNINGS):
        if document is None:
            given = {"version": NEWEST, "start": "", "nodes": [], **_without(given, base.wrong(Document, given))}
            document, _ = read(Document, given, "", "the flow")
    if document is None:
        blamed = {path.partition(".")[0].partition("[")[0] for path in base.wrong(Document, given)}
        good = {key: each for key, each in given.items() if key not in blamed}
        document, _ = read(Document, {"version": NEWEST, "start": "", "nodes": [], **good}, "", "the flow")
    if document is None:
        raise AssertionError("A flow's top could not be read even without the keys that are wrong.")
    return document, problems


_PRUNINGS = 3
"""How often what is wrong is left out, so that one wrong colour hides no other mistake of the page."""


def _without(given: dict[str, Json], wrong: list[str]) -> dict[str, Json]:
    """The flow's top without what is wrong in it; of a list in which something is wrong, nothing is kept."""
    inside: dict[str, list[str]] = {}
    for path in wrong:
        key, _, rest = path.partition(".")
        inside.setdefault(key.partition("[")[0], []).append("" if "[" in key else rest)
    kept: dict[str, Json] = {}
    for key, each in given.items():
        if key not in inside:
            kept[key] = each
        elif isinstance(each, dict) and all(inside[key]):
            kept[key] = _without(each, inside[key])
    return kept


def _name_parts(draft: Draft) -> None:
    """The names and the ways of every part, whether or not the part can be read as a whole."""
    raw = draft.raw
    draft.lost = {name for name, type in _PARTS.items() if not isinstance(raw.get(name, type()), type)}
    if "nodes" not in raw:
        draft.lost.add("nodes")
    for name, key in (("nodes", "id"), ("edges", "from"), ("tools", "name")):
        if any(not isinstance(each, dict) or not isinstance(each.get(key), str) for each in _part(raw, name)):
            draft.lost.add(name)
    draft.channel_names = set(_part(raw, "state"))
    draft.tool_names = {
        tool["name"] for tool in _part(raw, "tools") if isinstance(tool, dict) and isinstance(tool.get("name"), str)
    }
    draft.tool_names.update(*draft.servers.values())
    if not all_named(raw.get("requires")):
        draft.lost.add("tools")
    for index, node in enumerate(_part(raw, "nodes")):
        if isinstance(node, dict) and isinstance(node.get("id"), str):
            draft.node_ids.setdefault(node["id"], index)
            approval = node.get("approval")
            aside = [node.get("onError"), approval.get("onReject") if isinstance(approval, dict) else None]
            aside.append(draft.fanouts.get(node["id"]))
            draft.detours.setdefault(node["id"], []).extend(each for each in aside if isinstance(each, str))
    for id, aside in draft.detours.items():
        draft.ways[id] = list(aside)
    for index, edge in enumerate(_part(raw, "edges")):
        if isinstance(edge, dict) and isinstance(edge.get("from"), str):
            routes = edge.get("routes")
            goes = [edge.get("to"), *(routes.values() if isinstance(routes, dict) else ())]
            if not isinstance(edge.get("to"), str) and not isinstance(routes, dict):
                draft.lost.add("edges")
            draft.ways.setdefault(edge["from"], []).extend(each for each in goes if isinstance(each, str))
            draft.leaving.setdefault(edge["from"], []).append(index)
