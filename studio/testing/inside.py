"""What runs inside a flow, as a test names it: the steps of the flows and agents that its own steps run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flows import identity
from flows.models import Flow
from flows.stored import WorkspaceFiles, file_of
from flows.words.address import resolve
from flows.words.agents import FILE
from studio.api.wire_tests import TestsInside, TestsInsideFlow

DEEPEST = 5
MOST = 60
"""So many flows are told of: a form with the steps of more would be no help."""
Json = Any


def of(flow: Flow) -> TestsInside:
    """Each flow inside, by the address before its steps: `order` of order/say, `ask_one/audit` of an agent's."""
    found: list[TestsInsideFlow] = []
    files = WorkspaceFiles()
    for address, document in _inside(flow.draft, file_of(flow.path), files, "", DEEPEST):
        found.append(
            TestsInsideFlow(at=address, flow={key: document[key] for key in ("nodes", "tools") if key in document})
        )
        if len(found) == MOST:
            break
    return TestsInside(flows=found)


def _inside(
    text: str, file: str, files: Mapping[str, str], at: str, depth: int
) -> Iterator[tuple[str, dict[str, Json]]]:
    document = identity.read(text)
    nodes = document.get("nodes") if document else None
    for node in nodes if isinstance(nodes, list) and depth else []:
        id = node.get("id") if isinstance(node, dict) else None
        for name, where, base in _named(node, file, files) if isinstance(id, str) else ():
            path = resolve(where, base)
            inner = files.get(path) if path else None
            read = identity.read(inner) if inner else None
            if path and inner and read:
                address = "/".join(part for part in (at, id, name) if part)
                yield address, read
                yield from _inside(inner, path, files, address, depth - 1)


def _named(node: Mapping[str, Json], file: str, files: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """What a step runs: the agent's name or "", the address, and the file in which that is said."""
    if node.get("type") == "flow" and isinstance(node.get("flow"), str):
        yield "", node["flow"], file
    if node.get("type") != "agent" or not isinstance(node.get("agents"), list):
        return
    registry_file = f"{file.rpartition('/')[0]}/{FILE}".lstrip("/")
    text = files.get(registry_file)
    registry = identity.read(text) if text else None
    agents = registry.get("agents") if registry else None
    for name in node["agents"]:
        entry = agents.get(name) if isinstance(agents, dict) and isinstance(name, str) else None
        where = entry.get("flow") if isinstance(entry, dict) else None
        if isinstance(where, str):
            yield name, where, registry_file
