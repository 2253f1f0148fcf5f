"""What a node kind is, and what it may see of a run: a Step, never the engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from flows.problem import Rule
from flows.shapes import Shape
from flows.words.base import declared
from flows.words.channel import ChannelRefused, judge
from flows.words.document import Document
from flows.words.fields import Fields
from flows.words.label import label
from flows.words.needs import Needs
from flows.words.node import Node

Json = Any
"""A JSON value: None, bool, int, float, str, list of Json, dict of str to Json."""


CANNOT_RUN = "KIND_CANNOT_RUN"


class NodeFailed(Exception):
    """The step could not do its work. The message is a sentence for the person; retry and onError act on it.

    node, address: the step inside this one that it comes from, if it does.
    """

    def __init__(
        self, message: str, code: str = "NODE_FAILED", node: str | None = None, address: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.node, self.address = node, address


@dataclass(frozen=True)
class Pause:
    """A question this step must put before it runs.

    slot: names the question within the step, so that its answer is found again: `ask`, `args` …
    kind: `ask` answers with text; `form` answers with an object of checked values, or is closed; `approval` of one
    call that the step is about to make answers with {"approved": bool, "answer": text}.
    body: everything shown. ask: {"text": str, "show": [{"label", "channel", "value"}]};
          form: {"title": str, "fields": {name: field}, "values": {name: prefilled}, "why": str};
          approval: {"ask": template, "show": [channel], "tool": name, "args": {name: value}}.
    """

    slot: str
    kind: Literal["ask", "form", "approval"]
    body: Mapping[str, Json]


@dataclass(frozen=True)
class Unfinished:
    """What `run` returns when the visit goes on: the node runs again, with `kept` and any answer in its step.

    kept: everything that it must not forget. pause: what a person is asked before it goes on; its slot is new.
    """

    kept: Json
    pause: Pause | None = None


@dataclass(frozen=True)
class Ended:
    """What `run` returns when the whole turn ends with this step: what is written, and no node runs after it.

    said: the words that it ends with, which every flow around this one ends with too.
    """

    writes: Mapping[str, Json]
    said: str


@dataclass(frozen=True)
class Given:
    """A person's answer to a Pause. A closed form has `closed` set and no value.

    approved, said: of an approval, whether it was given, and what was typed.
    """

    value: Json = None
    closed: bool = False
    approved: bool = False
    said: str = ""


@dataclass(frozen=True)
class Called:
    """What came of one call: its result, or in words why there is none."""

    result: Json = None
    error: str | None = None
    code: str = ""


@dataclass(frozen=True)
class Offer:
    """A tool as a model is offered it. schema: JSON Schema of its arguments.

    declared: the fields that the flow itself declares. fields: those and its server's, for a form; what is required
    there is asked of the person where the model leaves it out. off: why it cannot be called here, or "".
    """

    name: str
    description: str
    schema: Mapping[str, Json]
    declared: Fields
    fields: Fields
    off: str = ""


@dataclass(frozen=True)
class Turn:
    """A model's turn with tools: its words, and the calls that it wants made: [{"id", "name", "arguments": text}].

    key: under which `Step.heard` finds it again, with everything that came before it.
    """

    text: str
    calls: tuple[Mapping[str, str], ...] = ()
    key: str = ""


@dataclass(frozen=True)
class Callee:
    """A flow that a step runs. name: the agent's, "" where it is no agent. above: it already runs above the step."""

    name: str
    file: str
    document: Document
    above: bool = False


@dataclass(frozen=True)
class ModelReply:
    """text: the model's words. value: the checked JSON when a schema was given, else None.

    needs: what it asks for instead of answering, where it may.
    """

    text: str
    value: Json = None
    needs: Needs | None = None


@dataclass(frozen=True)
class Prompt:
    """What a model is asked. schema is the language's own answer schema (types object, list, string …).

    said: for a node that may ask for details, [{"reply", "answer"}] of each form that it has had; else None.
    """

    text: str
    schema: Mapping[str, Json] | None = None
    where: str = ""
    channel: str | None = None
    said: Sequence[Mapping[str, Json]] | None = None


class Step(Protocol):
    """One visit to one node, as its kind sees it."""

    @property
    def address(self) -> str:
        """`place#1`: the node and its visit."""
        ...

    @property
    def flow(self) -> Document:
        """The flow that the step belongs to: its channels' types, its tools' inputs."""
        ...

    @property
    def state(self) -> Mapping[str, Json]:
        """The channels, plus history, __approval and __error. Read only."""
        ...

    @property
    def answers(self) -> Mapping[str, Given]:
        """What people answered to this visit's pauses, by slot."""
        ...

    def fill(self, text: str) -> str:
        """The text with every {{path}} replaced by its value as text; objects and lists as JSON."""
        ...

    def value(self, text: Json) -> Json:
        """As fill, but a string that is exactly one {{path}} gives the value itself. Lists and objects are filled
        within."""
        ...

    @property
    def kept(self) -> Json:
        """What the visit kept when it last was Unfinished; None at its beginning."""
        ...

    async def model(self, prompt: Prompt) -> ModelReply:
        """Ask the deployment's model. Streams to the page when prompt.channel is an output without a schema.

        With a schema the answer is checked; raises NodeFailed naming the field that does not fit.
        """
        ...

    async def converse(self, messages: Sequence[Mapping[str, Json]], tools: Sequence[Mapping[str, Json]]) -> Turn:
        """Go on with a conversation (messages and functions as the wire has them). Raises NodeFailed.

        Streams to the page what it says into an output, and withdraws it where the turn has calls.
        """
        ...

    async def heard(self, key: str) -> tuple[list[dict[str, Json]], Turn]:
        """What a model had been told before its turn of that key, and the turn. Raises NodeFailed."""
        ...

    async def call(self, tool: str, args: Mapping[str, Json], place: str = "") -> Json:
        """Make one call, whoever offers the tool, and give its result. Raises NodeFailed.

        place tells the calls of one step apart; it stays the same for the same call.
        """
        ...

    async def attempt(self, tool: str, args: Mapping[str, Json], place: str) -> Called:
        """As call, but says what went wrong with it instead of raising."""
        ...

    @property
    def most_rounds(self) -> int:
        """How often a model may be asked in one visit, as whoever runs the flow allows."""
        ...

    async def offers(self, names: Sequence[str]) -> list[Offer]:
        """The flow's tools of these names as they are now. Raises NodeFailed for a server that does not answer."""
        ...

    async def agreed(self, pause: Pause) -> None:
        """Just before an approved call is made: raises NodeFailed unless it is exactly what was approved."""
        ...

    def off(self, tool: str) -> str:
        """Why a tool of the flow cannot be called here, in a sentence; "" when it can, or nobody looked yet."""
        ...

    async def document(self, source: Json, most: int, private: bool) -> dict[str, Json]:
        """What a read node writes of a document. source: an address, or the reference to a file. most: characters of
        its text. private: whether addresses inside this network may be read, where an operator allowed them too.

        Raises NodeFailed with a sentence for whoever gave the document.
        """
        ...

    async def code(self, kind: Literal["handler", "router", "tool"], name: str, given: Json) -> Json:
        """Run generated code in the sandbox: a handler or router is given the state, a tool its arguments.

        Raises NodeFailed with the code's own error in words.
        """
        ...

    def callee(self, name: str = "") -> Callee:
        """The flow that this node runs, or the one that an agent's name means. Raises NodeFailed: there is none."""
        ...

    async def run_flow(self, callee: Callee, given: Mapping[str, Json]) -> dict[str, Json]:
        """Run it with these inputs, and give its outputs. Raises NodeFailed with what went wrong inside."""
        ...


class Kind(ABC):
    """One kind of node. A kind is one module with one subclass, and one line in flows/kinds/__init__.py.

    type: the word in the flow. title, group, icon, summary: how the palette shows it. since: the language version that
    has it. fields: the node's word. rules: its own checks, called with (draft, node, path). calls: whether it runs
    generated code, whose calls may stay without an answer. sees_all: whether that code is given every channel.
    runs_flows: whether the node runs another flow as its step.
    runs: whether this installation can run it; one that cannot is checked and drawn, and never offered or published.
    """

    type: ClassVar[str]
    title: ClassVar[str]
    group: ClassVar[Literal["model", "people", "code", "tools", "data", "flow"]]
    icon: ClassVar[str]
    summary: ClassVar[str] = ""
    since: ClassVar[str] = "0.1"
    fields: ClassVar[type[Node]]
    rules: ClassVar[tuple[Rule, ...]] = ()
    calls: ClassVar[bool] = False
    sees_all: ClassVar[bool] = False
    runs: ClassVar[bool] = True
    runs_flows: ClassVar[bool] = False

    def acts_by(self, node: Any) -> dict[str, Json]:
        """The words that the node would act by, templates unfilled: an approval shows them, its digest names them."""
        own = declared(type(node)).items()
        found = {key: getattr(node, name) for name, (key, dsl) in own if dsl.ref == "template"}
        return {key: text for key, text in found.items() if isinstance(text, str) and text}

    def may_call(self, node: Any, document: Document) -> list[str]:
        """The tools that the node may call, by name."""
        own = declared(type(node)).items()
        return [getattr(node, name) for name, (_, dsl) in own if dsl.unit == "tool"]

    def stops(self, node: Any, document: Document) -> bool:
        """May the node stop the run for a person?"""
        return node.approval is not None or getattr(node, "asks", False) is True

    def gives(self, node: Any) -> Shape | None:
        """The shape of what the node writes to its output, where that is the engine's own and no author's."""
        return None

    def streams(self, node: Any) -> str | None:
        """The channel whose text arrives word by word, when it is one of the flow's outputs.

        Of a node that `rests`, words are withdrawn again where it goes on with a call or a question.
        """
        return None

    def pause(self, node: Any, step: Step) -> Pause | None:
        """The next question that the step must put, given its state and answers; None when it can run.

        Pure. Raises NodeFailed when there is nothing that could be asked.
        """
        return None

    def rests(self, node: Any) -> bool:
        """Whether `run` may return Unfinished."""
        return False

    def taken(self, node: Any, step: Step, slot: str, given: Given) -> dict[str, Json]:
        """The channels that the answer to a Pause changes at once, before the step runs or asks anything else."""
        return {}

    def queue(self, node: Any) -> str | None:
        """The channel from which the node takes a batch of calls; None for a node that has none."""
        return None

    def clears(self, node: Any) -> list[str]:
        """The list channels that are empty once the node has done its work."""
        return []

    def approves_nothing(self, node: Any, step: Step) -> bool:
        """Whether the step would do nothing, so that nobody is asked to approve it."""
        return False

    @abstractmethod
    async def run(self, node: Any, step: Step) -> dict[str, Json] | Unfinished | Ended:
        """Do the work. Returns what to write, by channel; only channels that change. Raises NodeFailed."""


def ended(flow: Document, said: str, outputs: Iterable[str]) -> Ended:
    """The end of the turn, in the first of these outputs that the flow shows as text, else in the first that it has."""
    shown = [name for name in flow.outputs or [] if flow.state[name].type in ("string", "any")]
    where = next((name for name in outputs if name in shown), next(iter(shown), None))
    return Ended({where: said} if where else {}, said)


class WrittenOnly(Kind):
    """A kind that is a word of the language and cannot be run here."""

    runs = False

    async def run(self, node: Node, step: Step) -> dict[str, Json]:
        raise NodeFailed(f'The step "{node.id}" is of the kind "{self.type}", which cannot be run here.', CANNOT_RUN)


def writes(step: Step, given: Mapping[str, Json], by: str) -> dict[str, Json]:
    """What a step may write: declared channels, each with a value that it can hold. Raises NodeFailed.

    by: who wrote it, for the message: `Handler "rank"`.
    """
    for name, value in given.items():
        channel = step.flow.state.get(name)
        if channel is None:
            raise NodeFailed(f'{by} wrote to "{name}", which the flow does not declare in its state.', "WRITE_REFUSED")
        try:
            judge(channel, value)
        except ChannelRefused as refused:
            raise NodeFailed(f"{by} wrote a value of the wrong type. {refused.message}", "WRITE_REFUSED") from None
    return dict(given)


def shown(step: Step, channels: list[str]) -> list[dict[str, Json]]:
    """The channels a person is shown, as [{label, channel, value}]."""
    return [{"label": label(name), "channel": name, "value": step.state.get(name)} for name in channels]
