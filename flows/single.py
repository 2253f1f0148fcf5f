"""One step of a draft, or one tool, as a flow of its own: to try it by itself with values that somebody gives."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass

from flows.kinds.tool import ToolNode
from flows.mentions import reads, writes
from flows.words.base import Json
from flows.words.document import Document
from flows.words.names import END
from flows.words.node import Node

STEP = "call"
RESULT = "result"
_KEPT = ("version", "id", "name", "description", "conversation", "requires", "tools")
_ELSEWHERE = ("onError", "retry")


class NotSingle(Exception):
    """The step cannot run by itself. message is a sentence that says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(frozen=True)
class Single:
    """document: the flow of the one step, as JSON. asks: the channels that it reads, with what each holds."""

    document: dict[str, Json]
    asks: dict[str, dict[str, Json]]


def of_step(document: Document, id: str, code: str = "") -> Single:
    """The step by itself: its channels are the inputs, what it writes the outputs. Raises NotSingle.

    code: of a step that is code; what it never names need not be given.
    """
    node = next((each for each in document.nodes if each.id == id), None)
    if node is None:
        raise NotSingle("STEP_GONE", "This step is no longer in the draft.")
    if node.type == "fanout":
        raise NotSingle("STEP_SENDS", "A fan-out runs another step for each item. Try that step by itself instead.")
    raw = {key: value for key, value in node.plain().items() if key not in _ELSEWHERE}
    if isinstance(raw.get("approval"), dict):
        raw["approval"] = {key: value for key, value in raw["approval"].items() if key != "onReject"}
    state = document.as_json().get("state", {})
    asks = {name: state[name] for name in _asked(node, document, code)}
    # Code writes what it likes: whatever the flow may hold is shown.
    written = writes(node) or (tuple(state) if reads(node) is None else ())
    outputs = [name for name in state if name in written]
    return Single(_flow(document, raw, id, state, list(asks), outputs), asks)


def of_tool(document: Document, name: str) -> Single:
    """A step that calls the tool with what is given. Raises NotSingle."""
    tool = next((each for each in document.tools if each.name == name), None)
    if tool is None:
        raise NotSingle("TOOL_GONE", "This tool is no longer in the draft.")
    fields = {key: each.plain() for key, each in (tool.inputs or {}).items()} or _given(document, name)
    asks = {
        _channel(key): {"type": _held(each["type"]), "description": each.get("description", "")}
        for key, each in fields.items()
    }
    node = {
        "id": STEP, "type": "tool", "tool": name, "args": {key: f"{{{{{_channel(key)}}}}}" for key in fields},
        "output": RESULT,
    }  # fmt: skip
    state = {**asks, RESULT: {"type": "any", "description": "What the tool returned."}}
    return Single(_flow(document, node, STEP, state, list(asks), [RESULT]), asks)


def _given(document: Document, tool: str) -> dict[str, dict[str, Json]]:
    """What the flow's steps give to a tool that declares no inputs."""
    found: dict[str, dict[str, Json]] = {}
    for node in document.nodes:
        if isinstance(node, ToolNode) and node.tool == tool:
            found |= {key: {"type": "any"} for key in node.args}
    return found


def _flow(
    document: Document,
    node: Mapping[str, Json],
    id: str,
    state: Mapping[str, Json],
    inputs: list[str],
    outputs: list[str],
) -> dict[str, Json]:
    whole = document.as_json()
    found = {key: copy.deepcopy(whole[key]) for key in _KEPT if key in whole}
    plain = {name: {key: value for key, value in each.items() if key != "remembers"} for name, each in state.items()}
    return found | {
        "state": plain, "inputs": inputs, "outputs": outputs, "start": id, "nodes": [dict(node)],
        "edges": [{"from": id, "to": END}],
    }  # fmt: skip


def _asked(node: Node, document: Document, code: str) -> list[str]:
    """The channels that the step reads; of code, which sees all, those that it names."""
    found = reads(node)
    if found is None:
        found = tuple(name for name in document.state if not code or re.search(rf"\b{re.escape(name)}\b", code))
    return [name for name in document.state if name in found]


def _channel(name: str) -> str:
    """An argument's name as a channel of its own; the result's name is taken."""
    plain = name.replace("-", "_")
    return f"{plain}_" if plain == RESULT else plain


def _held(type: str) -> str:
    """What a channel holds of a field of this type."""
    return "string" if type in ("text", "date") else type
