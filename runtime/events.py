"""Everything that can happen in a conversation, one class a fact. A RunEvent row stores one of these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Shown(Event):
    """A value as a person reads it beside its label. channel: the input that it is, where it is one."""

    label: str
    value: Any
    channel: str = ""


class MessageSent(Event):
    """A person's message; queued says that it waits behind an unfinished turn."""

    type: Literal["message_sent"] = "message_sent"
    text: str
    values: list[Shown] = []
    by: str
    queued: bool = False


class MessageRemoved(Event):
    """A queued message was taken back before its turn."""

    type: Literal["message_removed"] = "message_removed"


class RunStarted(Event):
    type: Literal["run_started"] = "run_started"


class StepStarted(Event):
    """A visit began. streams names the output channel whose text arrives while it works.

    read: the channels it was given, by name; cut: those of them that are kept only in part. Never shown in a chat.
    """

    type: Literal["step_started"] = "step_started"
    address: str
    node: str
    kind: str
    title: str
    streams: str | None = None
    attempt: int = 1
    read: dict[str, Any] = {}
    cut: list[str] = []


class StepFinished(Event):
    """A visit did its work. written: what it wrote, by channel; cut: those kept only in part. Never shown in a chat."""

    type: Literal["step_finished"] = "step_finished"
    address: str
    node: str
    kind: str
    title: str
    ms: float
    written: dict[str, Any] = {}
    cut: list[str] = []


class StepFailed(Event):
    """An attempt went wrong; next says what follows: another attempt, another node, nothing from this copy of a
    fan-out, or the end of the run."""

    type: Literal["step_failed"] = "step_failed"
    address: str
    node: str
    title: str
    code: str
    message: str
    attempt: int
    next: Literal["retry", "onError", "skip", "end"]
    goto: str | None = None


class FlowEntered(Event):
    """A step began to run another flow, or an agent. Its steps are those whose addresses begin with this one and "/".

    invocation: this one's id. parent: the invocation that it happens in, or the run. attempt: of the step.
    """

    type: Literal["flow_entered"] = "flow_entered"
    address: str
    node: str
    flow: str
    agent: str = ""
    invocation: str
    parent: str
    attempt: int = 1


class FlowLeft(Event):
    """The flow that a step ran is over: it gave its outputs, or failed."""

    type: Literal["flow_left"] = "flow_left"
    address: str
    node: str
    flow: str
    agent: str = ""
    invocation: str
    ms: float
    ok: bool
    code: str = ""
    message: str = ""


class RouteTaken(Event):
    """A router chose; limited says that a limit sent it elsewhere than it chose."""

    type: Literal["route_taken"] = "route_taken"
    node: str
    router: str
    route: str
    goto: str
    limited: bool = False


class ModelCalled(Event):
    """One question to a model, answered or not. code: why there is no usable answer."""

    type: Literal["model_called"] = "model_called"
    address: str
    key: str
    model: str
    entry: str
    demo: bool
    ms: float
    first_token_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    code: str = ""


class ToolCalled(Event):
    """One outgoing request of a step, as far as it came."""

    type: Literal["tool_called"] = "tool_called"
    address: str
    key: str
    unit: str
    effect: Literal["read", "idempotent", "write"]
    state: Literal["done", "failed", "unknown", "settled"]
    method: str
    target: str
    status: int | None = None
    ms: float | None = None


class QuestionAsked(Event):
    """A person is asked; what is shown is in the Question row's bytes."""

    type: Literal["question_asked"] = "question_asked"
    question: str
    address: str
    node: str
    kind: Literal["ask", "form", "approval", "outcome"]
    decider: Literal["starter", "reviewers"]


class QuestionClosed(Event):
    """How a question ended. shown is the answer as the page repeats it."""

    type: Literal["question_closed"] = "question_closed"
    question: str
    state: Literal["answered", "approved", "declined", "closed", "expired", "withdrawn"]
    by: str = ""
    shown: Any = None


class OutputWritten(Event):
    """An output channel holds a value; the page shows it from now on."""

    type: Literal["output_written"] = "output_written"
    channel: str
    label: str
    value: Any
    final: bool = False
    demo: bool = False


class AnswerBegun(Event):
    """A step that may yet call a tool or ask began to say something; the text arrives while it does."""

    type: Literal["answer_begun"] = "answer_begun"
    address: str
    node: str
    channel: str
    attempt: int


class AnswerWithdrawn(Event):
    """What the step began to say is no answer: it calls a tool or asks instead. The words are gone from the page."""

    type: Literal["answer_withdrawn"] = "answer_withdrawn"
    address: str
    node: str


class ApprovalMismatch(Event):
    """What was about to be done is not what was approved. Nothing was sent."""

    type: Literal["approval_mismatch"] = "approval_mismatch"
    question: str
    address: str


class RunFinished(Event):
    type: Literal["run_finished"] = "run_finished"
    outputs: dict[str, Any]
    ms: float


class RunFailed(Event):
    type: Literal["run_failed"] = "run_failed"
    code: str
    message: str
    node: str | None = None
    address: str | None = None


class RunCancelled(Event):
    type: Literal["run_cancelled"] = "run_cancelled"
    by: str


class RunLost(Event):
    """The run stopped making progress after repeated crashes and was set aside."""

    type: Literal["run_lost"] = "run_lost"
    message: str


class RunContinued(Event):
    """Somebody let a run go on that had ended badly: its failed step is tried once more."""

    type: Literal["run_continued"] = "run_continued"
    by: str


AnyEvent = Annotated[
    MessageSent | MessageRemoved | RunStarted | StepStarted | StepFinished | StepFailed | FlowEntered | FlowLeft
    | RouteTaken | ModelCalled | ToolCalled | QuestionAsked | QuestionClosed | OutputWritten | AnswerBegun
    | AnswerWithdrawn | ApprovalMismatch | RunFinished | RunFailed | RunCancelled | RunLost | RunContinued,
    Field(discriminator="type"),
]  # fmt: skip

_adapter: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


def read(type: str, payload: dict[str, Any]) -> AnyEvent:
    """The typed event of a stored row. Raises pydantic's ValidationError for a row that is none."""
    return _adapter.validate_python({"type": type, **payload})


def payload(event: Event) -> dict[str, Any]:
    """What is stored of an event beside its type."""
    return event.model_dump(mode="json", exclude={"type"})
