"""What a version keeps of the flows that its own runs: their documents, their code, and what agents' names mean."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from flows.calls import Tree
from flows.check import Checked
from flows.models import Flow, FlowVersion
from flows.placed import CALLING, tree_of
from flows.problem import Problem, quoted
from flows.recent import checked
from flows.runnable import cannot_run
from flows.stored import file_of
from flows.words.base import Json
from flows.words.canonical import order
from flows.words.document import Document
from flows.words.requires import McpServer

Code = Callable[[Flow, Document], dict[str, str]]


class Unpinned(Exception):
    """A flow that the draft runs cannot become part of a version; problems say what stands in the way."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems[0].message)
        self.problems = problems


def runs_flows(document: Document) -> bool:
    return any(node.type in CALLING for node in document.nodes)


def pinned(flow: Flow, document: Document, code: Code) -> dict[str, Json]:
    """{"top", "flows": {file: {"document", "units"}}, "agents": {name: file}} of a checked draft.

    {} where it runs no other flow. Files are named as seen from the top of the workspace. code gives a flow's units, or
    raises Unpinned with what is missing. Raises Unpinned.
    """
    if not runs_flows(document):
        return {}
    tree = tree_of(flow)
    found: dict[str, Json] = {}
    problems: list[Problem] = []
    for file in sorted(_reached(tree)):
        try:
            inner, row = _usable(file, tree.flows.get(file))
            found[file] = {"document": inner.as_json(), "units": code(row, inner)}
        except Unpinned as met:
            problems += [Problem(one.code, one.level, "", f"In {quoted(file)}: {one.message}", one.hint)
                         for one in met.problems]  # fmt: skip
    if problems:
        raise Unpinned(problems)
    known = {tree.top, *found}
    agents = {name: file for name, file in sorted(tree.agents.items()) if file in known}
    return {"top": tree.top, "flows": found, "agents": agents}


def _usable(file: str, known: Checked | None) -> tuple[Document, Flow]:
    row = row_of(file)
    if known is None or known.flow is None or row is None:
        words = "There is no such flow in the workspace, only a file beside another flow."
        raise Unpinned([Problem("FLOW_NOT_FOUND", "error", "", words, "Import it as a flow of its own.")])
    problems = [*known.errors, *cannot_run(known)]
    if problems:
        raise Unpinned(problems)
    return known.flow, row


def parts(tree: Mapping[str, Json]) -> list[Json]:
    """What of it decides a version's hash: as of a flow's own document, also the order of what people see."""
    return [[file, each["document"], order(each["document"]), each["units"]] for file, each in tree["flows"].items()]


def row_of(file: str) -> Flow | None:
    """The flow of the workspace whose own file this is."""
    folder = file.rpartition("/")[0]
    rows = Flow.objects.filter(path__in=[file, folder], deleted_at=None)
    return next((row for row in rows if file_of(row.path) == file), None)


def _reached(tree: Tree) -> set[str]:
    """The files of every flow that the one on top comes to, itself not among them."""
    found: set[str] = set()
    waiting = [tree.top]
    while waiting:
        for call in tree.calls.get(waiting.pop(), ()):
            if call.to is not None and call.to not in found and call.to != tree.top:
                found.add(call.to)
                waiting.append(call.to)
    return found


def whole(document: Document, inner: Iterable[Document]) -> Document:
    """A flow with what the flows inside it need and do, for whoever sets it up. It is shown, and never run or kept."""
    own = document.requires
    settings, env, nodes, mcp = dict(own.settings), list(own.env), list(document.nodes), dict(own.mcp)
    users = own.users
    for each in inner:
        for server, said in each.requires.mcp.items():
            mcp[server] = _both(mcp[server], said) if server in mcp else said
        settings = {**each.requires.settings, **settings}
        env += [name for name in each.requires.env if name not in env]
        nodes += each.nodes
        users = users or each.requires.users
    requires = own.model_copy(update={"settings": settings, "env": env, "mcp": mcp, "users": users})
    return document.model_copy(update={"requires": requires, "nodes": nodes})


def _both(server: McpServer, other: McpServer) -> McpServer:
    """A server that two flows name, with the tools of both."""
    known = {tool if isinstance(tool, str) else tool.name for tool in server.tools}
    more = [tool for tool in other.tools if (tool if isinstance(tool, str) else tool.name) not in known]
    return server.model_copy(update={"tools": [*server.tools, *more]})


def whole_draft(flow: Flow, document: Document) -> Document:
    """As whole, of a draft with the drafts that it runs."""
    if not runs_flows(document):
        return document
    tree = tree_of(flow)
    found = (tree.document(file) for file in sorted(_reached(tree)))
    return whole(document, [each for each in found if each is not None])


def whole_version(version: FlowVersion) -> Document | None:
    """As whole, of a version; None when it does not pass its check any more."""
    document = checked(json.dumps(version.document)).flow
    if document is None or not version.tree:
        return document
    found = (checked(json.dumps(each["document"])).flow for each in version.tree["flows"].values())
    return whole(document, [each for each in found if each is not None])
