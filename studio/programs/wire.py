"""What programs say to the server, and hear from it. The OpenAPI document is made of these."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from studio.api.wire import AnswerBody, Decided, Key
from studio.frames.items import Kind, QuestionItem, State, Wire

__all__ = ["AnswerBody", "Decided"]

RunStatus = Literal["held", "queued", "running", "waiting", "done", "failed", "cancelled", "lost"]


class AgentInput(Wire):
    """An input of an agent. default: what it starts from when it is left out."""

    name: str
    type: str
    required: bool
    label: str
    description: str
    default: Any = None


class AgentOutput(Wire):
    name: str
    type: str
    description: str


class AgentLimits(Wire):
    """How far a run of the agent may go. minutes: of work. cost: US dollars, null for any. day: of the agent."""

    minutes: int
    steps: int
    rounds: int
    cost: float | None
    day: float | None


class AgentFacts(Wire):
    """An agent that this token may use. version: the live one's number. paused: why it takes no runs, else null."""

    slug: str
    name: str
    description: str
    version: int
    inputs: list[AgentInput]
    outputs: list[AgentOutput]
    paused: str | None
    limits: AgentLimits


class AgentList(Wire):
    agents: list[AgentFacts]


class RunBody(Wire):
    """A run to start. conversation: an earlier run's, to go on with it. key: the same one again is the same run."""

    inputs: dict[str, Any] = {}
    conversation: str | None = None
    key: Key = ""


class RunFault(Wire):
    code: str
    message: str
    node: str | None = None


class RunQuestion(Wire):
    """What a run waits for. item: all that is shown of it, with the digest that an answer names."""

    id: str
    kind: Kind
    node: str
    state: State
    decider: Literal["starter", "reviewers"]
    expires_at: datetime | None
    item: QuestionItem


class RunFacts(Wire):
    """A run. seq: the number of its conversation's last event, from which a stream may go on."""

    id: str
    agent: str
    version: int
    conversation: str
    status: RunStatus
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    error: RunFault | None
    questions: list[RunQuestion]
    seq: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class RunList(Wire):
    """The token's runs, the latest first. next: give it as `before` for the ones before these; null at the end."""

    runs: list[RunFacts]
    next: str | None


class RunEventFacts(Wire):
    """Something that happened. fields: what belongs to an event of this type."""

    seq: int
    type: str
    at: datetime
    fields: dict[str, Any]


class Journal(Wire):
    """Events after a cursor. next: the cursor for the ones after these. ended: no more will come."""

    events: list[RunEventFacts]
    next: int
    ended: bool


class Cancelled(Wire):
    """The status after it; a run that a worker has stops before its next effect."""

    status: RunStatus


class ForkedTalk(Wire):
    """The new conversation, to name in startRun."""

    conversation: str


class Fault(Wire):
    """Every answer that is none."""

    code: str
    message: str
    fields: dict[str, str] = Field(default_factory=dict)
