"""What answered a run from outside, read back from its log: models, tools and documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from flows.check import check
from flows.kinds.agent import AgentNode
from flows.kinds.flow import FlowNode
from flows.kinds.read import ReadNode
from flows.kinds.tool import ToolNode
from flows.kinds.tools import ToolsNode
from flows.kinds.work import WorkNode
from flows.models import FlowVersion
from flows.tree import TOP, find
from flows.words import strictjson
from flows.words.document import Document
from flows.words.node import Node
from flows.words.strictjson import JsonRefused
from flows.words.testfile import FAILS, THEN
from runtime.events import StepFailed, StepFinished
from runtime.models import ModelCall
from runtime.testing.steps import plain

Json = Any
Miss = Callable[..., None]
FAILED = "It failed: "
"""How a model that works is told of a call that went wrong."""
NOT_MADE = ("The person ", "There is no tool ", "Nothing was called", "The form ", "The tool ")
"""How it is told of one that was not made."""


class Steps:
    """The nodes of a version and of every flow that it runs, by the names that people give to steps."""

    def __init__(self, version: FlowVersion) -> None:
        tree: Mapping[str, Json] = version.tree or {}
        self._top = tree.get("top", TOP)
        kept = {self._top: version.document, **{file: one["document"] for file, one in tree.get("flows", {}).items()}}
        self._flows: dict[str, Document] = {
            file: found for file, document in kept.items() if (found := check(document).flow) is not None
        }
        self._agents: Mapping[str, str] = tree.get("agents", {})

    @property
    def document(self) -> Document | None:
        return self._flows.get(self._top)

    def node(self, name: str) -> Node | None:
        """The node of find_customer/look_up; None where there is none such."""
        file, way = self._top, name.split("/")
        while file in self._flows:
            id = way.pop(0)
            node = next((each for each in self._flows[file].nodes if each.id == id), None)
            if not way or node is None:
                return node
            if isinstance(node, FlowNode):
                file = find(self._flows, node.flow, file) or ""
            else:
                file = self._agents.get(way.pop(0), "") if isinstance(node, AgentNode) else ""
        return None


class Outside:
    """tools, reads: what each tool returned and each read node read, in order. called: the tools, in order."""

    def __init__(
        self, steps: Steps, ends: Sequence[StepFinished | StepFailed], models: Sequence[ModelCall], miss: Miss
    ) -> None:
        self.tools: dict[str, list[Json]] = {}
        self.reads: dict[str, list[Json]] = {}
        self.called: list[str] = []
        self._miss = miss
        for end in ends:
            node, name = steps.node(plain(end.address)), plain(end.address)
            if isinstance(node, ToolNode):
                self._tool(node, end)
            elif isinstance(node, ToolsNode) and isinstance(end, StepFinished):
                self._batch(node, end)
            elif isinstance(node, WorkNode):
                self._work(name, [call for call in models if call.address == end.address])
            elif isinstance(node, ReadNode):
                self._read(node, name, end)

    def _took(self, tool: str, result: Json) -> None:
        self.called.append(tool)
        self.tools.setdefault(tool, []).append(result)

    def _tool(self, node: ToolNode, end: StepFinished | StepFailed) -> None:
        if isinstance(end, StepFailed):
            # Every other failure is of a call that was not made.
            if end.code.startswith(("CODE_", "TOOL_FAILED")):
                self._took(node.tool, {FAILS: end.message})
            return
        if node.output in end.cut:
            self._miss("result_cut", tool=node.tool)
        self._took(node.tool, end.written.get(node.output) if node.output else None)

    def _batch(self, node: ToolsNode, end: StepFinished) -> None:
        if node.output in end.cut:
            self._miss("result_cut", tool=node.output)
        for entry in end.written.get(node.output) or ():
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                self._took(entry["name"], {FAILS: entry["error"]} if entry.get("error") else entry.get("result"))

    def _work(self, name: str, models: list[ModelCall]) -> None:
        """What the tools gave, in the words in which the model was told."""
        if not models:
            return
        names: dict[str, str] = {}
        for message in models[-1].messages:
            for call in message.get("tool_calls") or ():
                names[call["id"]] = call["function"]["name"]
            told = message.get("content")
            if message.get("role") != "tool" or not isinstance(told, str) or told.startswith(NOT_MADE):
                continue
            failed = told.startswith(FAILED)
            self._took(names[message["tool_call_id"]], {FAILS: told[len(FAILED) :]} if failed else as_json(told))
            self._miss("told", node=name)

    def _read(self, node: ReadNode, name: str, end: StepFinished | StepFailed) -> None:
        if isinstance(end, StepFailed):
            self.reads.setdefault(name, []).append({FAILS: end.message})
            return
        document = end.written.get(node.output)
        if document is None:
            return
        if node.output in end.cut:
            self._miss("document_cut", node=name)
        self.reads.setdefault(name, []).append(document)


def turn(call: ModelCall) -> Json:
    """What a model answered, as a test says it."""
    if call.calls:
        return {"calls": [{"name": one["name"], "args": as_json(one["arguments"])} for one in call.calls]}
    value = as_json(call.reply)
    return value if isinstance(value, dict | list) else call.reply


def as_json(text: Json) -> Json:
    """The value that a text is as JSON; the text itself when it is none."""
    if not isinstance(text, str):
        return text
    try:
        return strictjson.loads(text)
    except JsonRefused:
        return text


def each_time(given: Mapping[str, list[Json]]) -> dict[str, Json]:
    """By name: one answer for every time where all are the same; else one after another."""
    return dict(_in_turn(given))


def _in_turn(given: Mapping[str, list[Json]]) -> Iterator[tuple[str, Json]]:
    for name, answers in given.items():
        first = answers[0]
        misread = isinstance(first, dict) and THEN in first
        same = all(each == first for each in answers)
        yield name, first if same and not misread else {THEN: answers}
