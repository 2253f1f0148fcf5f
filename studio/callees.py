"""What a flow may run: the other flows of its workspace by their addresses, and the agents of its registry."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from flows import identity
from flows.models import Flow, FlowFile
from flows.stored import WorkspaceFiles, beside, file_of, folder_of
from flows.words.address import resolve
from flows.words.agents import FILE
from studio import drafts
from studio.api.wire_files import Callee, Callees, CalleeValue

MOST = 300
Json = Any


def of(flow: Flow) -> Callees:
    """Everything that a panel offers to run, each with what goes in and what comes out."""
    others = drafts.live_flows().exclude(pk=flow.pk).order_by("name", "path")[:MOST]
    flows = [_callee(address(flow, other), other.name, other.draft) for other in others]
    return Callees(flows=flows, agents=_agents(flow))


def address(flow: Flow, other: Flow) -> str:
    """Where the other flow is, seen from this one's file."""
    found = posixpath.relpath(file_of(other.path), folder_of(flow.path) or ".")
    return found if found.startswith("..") else f"./{found}"


def _agents(flow: Flow) -> list[Callee]:
    text = FlowFile.objects.filter(flow=flow, path=FILE).values_list("text", flat=True).first()
    registry = identity.read(text) if text else None
    named = registry.get("agents") if registry else None
    here, files = beside(flow.path, FILE), WorkspaceFiles()
    found = []
    for name, entry in (named if isinstance(named, dict) else {}).items():
        where = entry.get("flow") if isinstance(entry, dict) else None
        file = resolve(where, here) if isinstance(where, str) else None
        found.append(_callee(name, name, files.get(file, "") if file else ""))
    return found[:MOST]


def _callee(at: str, name: str, text: str) -> Callee:
    document = identity.read(text) or {}
    state = document.get("state")
    channels: Mapping[str, Json] = state if isinstance(state, dict) else {}
    return Callee(
        address=at,
        name=name,
        description=_text(document.get("description")),
        inputs=_values(document.get("inputs"), channels),
        outputs=_values(document.get("outputs"), channels),
    )


def _values(names: Json, channels: Mapping[str, Json]) -> list[CalleeValue]:
    found: list[CalleeValue] = []
    for name in names if isinstance(names, list) else []:
        channel = channels.get(name) if isinstance(name, str) else None
        said: Mapping[str, Json] = channel if isinstance(channel, dict) else {}
        if isinstance(name, str):
            found.append(
                CalleeValue(name=name, type=_text(said.get("type")), description=_text(said.get("description")))
            )
    return found


def _text(value: Json) -> str:
    return value[:600] if isinstance(value, str) else ""
