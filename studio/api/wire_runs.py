"""What the editor's run pane and its versions say to the server, and hear from it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from flows.edits.lines import ChangeLine
from studio.frames.items import Wire

StepState = Literal["running", "done", "failed", "waiting", "declined"]
RunStatus = Literal["held", "queued", "running", "waiting", "resumable", "done", "failed", "cancelled", "lost"]


class Barrier(Wire):
    """What stands between a draft and a run. path: where in the flow. unit: the code that is missing as "kind:name"."""

    code: str
    path: str
    message: str
    hint: str
    unit: str


class AnswerModel(Wire):
    """needed: the flow asks a model. name: "" where none is set up. may_set: this person may set one up."""

    needed: bool
    name: str
    demo: bool
    may_set: bool


class Tried(Wire):
    """The workbench after a try. page: a mark of what the chat page draws from the flow; with another, draw it anew.

    empty: nothing ran here yet, so there is no page to show. unset: secrets that the flow names and nobody gave.
    """

    ready: bool
    empty: bool
    slug: str
    url: str
    page: str
    revision: int
    barriers: list[Barrier]
    model: AnswerModel
    unset: list[str]


class DraftValue(Wire):
    """A setting that the flow declares. kind says how its text is read; default: what an empty text means."""

    name: str
    about: str
    kind: Literal["text", "number", "switch", "json"]
    text: str
    default: str


class DraftSecret(Wire):
    """stored: a value is kept, which is never shown. hosts: where it may be sent, one a line. help: what to type."""

    name: str
    stored: bool
    hosts: str
    help: str


class ModelOption(Wire):
    id: str
    name: str
    demo: bool


class DraftSettings(Wire):
    """What a draft runs with. model: "" for the workspace's choice."""

    may_change: bool
    model: str
    models: list[ModelOption]
    values: list[DraftValue]
    secrets: list[DraftSecret]
    allowed_hosts: str
    idempotent_hosts: str


class SecretBody(Wire):
    """value: "" keeps what is stored."""

    value: str = Field("", max_length=10_000)
    hosts: str = Field("", max_length=10_000)


class DraftSettingsBody(Wire):
    model: str = Field("", max_length=64)
    values: dict[str, str] = Field(default_factory=dict, max_length=200)
    secrets: dict[str, SecretBody] = Field(default_factory=dict, max_length=200)
    allowed_hosts: str = Field("", max_length=20_000)
    idempotent_hosts: str = Field("", max_length=20_000)


class SingleAsk(Wire):
    """A value that a step reads. default: what it starts from when it is not given."""

    name: str
    type: str
    description: str
    default: Any


class SingleForm(Wire):
    asks: list[SingleAsk]


class SingleBody(Wire):
    """A step, or a tool, to run by itself with these values."""

    step: str = Field("", max_length=64)
    tool: str = Field("", max_length=64)
    values: dict[str, Any] = {}


class SingleRun(Wire):
    """url: where what it asks is answered."""

    run: str
    conversation: str
    url: str


class AnewChannel(Wire):
    """A channel as it was before a step. cut: its value is too long to be changed here, and stays as it was."""

    name: str
    type: str
    description: str
    value: Any
    cut: bool


class AnewForm(Wire):
    """version: the number of the one that ran, null of a draft. in_draft: the newest draft has the step too."""

    address: str
    title: str
    channels: list[AnewChannel]
    version: int | None
    in_draft: bool


class AnewBody(Wire):
    """values: the channels that are changed. on: the version that ran, or the newest draft."""

    step: str = Field(max_length=2000)
    on: Literal["same", "draft"] = "same"
    values: dict[str, Any] = {}


class TraceRoute(Wire):
    """Where a router sent the run. limited: a limit sent it elsewhere than the router chose."""

    route: str
    goto: str
    limited: bool


class TraceStep(Wire):
    """One visit of one node. ms: its own time, null while it works. cost: USD, null without prices."""

    address: str
    node: str
    kind: str
    title: str
    state: StepState
    ms: float | None
    attempts: int
    at: datetime
    models: int
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    route: TraceRoute | None


class TraceBegins(Wire):
    """The run that another one takes up, and the step at which."""

    run: str
    address: str
    title: str


class Trace(Wire):
    """A run step by step. version: its number, null of a draft. error: why it ended, in words.

    unread: how many of its events are left out, because its log is too long to be shown whole.
    """

    run: str
    status: RunStatus
    agent: str
    version: int | None
    at: datetime
    ms: float
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    demo: bool
    error: str
    unread: int
    begins: TraceBegins | None
    steps: list[TraceStep]


class TraceValue(Wire):
    """A channel's value. cut: only its beginning was kept."""

    name: str
    value: Any
    cut: bool


class TraceText(Wire):
    """cut: how many characters it has in all, where only its beginning is here; else 0."""

    text: str
    cut: int


class TraceMessage(Wire):
    role: str
    content: TraceText


class ModelAsked(Wire):
    """A question to a model: the prompt as sent, and the reply."""

    key: str
    attempt: int
    state: Literal["started", "done", "failed"]
    entry: str
    model: str
    demo: bool
    messages: list[TraceMessage]
    reply: TraceText
    error: str
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    first_token_ms: float | None
    ms: float | None


class ToolAsked(Wire):
    """An outgoing request. request and response are as journaled: names stand where secrets were sent."""

    key: str
    attempt: int
    unit: str
    effect: Literal["read", "idempotent", "write"]
    state: Literal["started", "done", "failed", "unknown", "settled"]
    method: str
    target: str
    status: int | None
    request: TraceText
    response: TraceText | None
    error: str
    settled: str
    ms: float | None


class PersonAsked(Wire):
    """A question to a person. answer: as the page repeats it; null while it waits."""

    question: str
    kind: Literal["ask", "form", "approval", "outcome"]
    state: str
    ask: str
    by: str
    reason: str
    answer: Any
    at: datetime


class TraceFault(Wire):
    """An attempt that went wrong, and what followed."""

    code: str
    message: str
    attempt: int
    next: Literal["retry", "onError", "skip", "end"]
    goto: str | None


class StepDetail(Wire):
    step: TraceStep
    read: list[TraceValue]
    written: list[TraceValue]
    models: list[ModelAsked]
    calls: list[ToolAsked]
    people: list[PersonAsked]
    faults: list[TraceFault]


class Waits(Wire):
    """Unfinished runs of one version. live: it is the one that is live there."""

    version: int
    count: int
    live: bool


class LiveAgent(Wire):
    """An agent of the flow. version: the number that is live there, null before the first."""

    slug: str
    name: str
    version: int | None
    paused: bool
    waits: list[Waits]


class VersionRow(Wire):
    """live: the names of the agents where it is live now. was_live: where it may be made live again, by slug."""

    number: int
    note: str
    by: str
    at: datetime
    live: list[str]
    was_live: list[str]
    waits: int


class WentLive(Wire):
    """What went live: where, which version, when and by whom."""

    slug: str
    agent: str
    version: int
    note: str
    by: str
    at: datetime
    now: bool


class Versions(Wire):
    """base: the version that changes counts from, null when nothing was published. changes: ChangeLines since then."""

    base: int | None
    base_agent: str
    changes: list[ChangeLine]
    readable: bool
    versions: list[VersionRow]
    history: list[WentLive]
    agents: list[LiveAgent]
    can_edit: bool
    can_publish: bool


class VersionText(Wire):
    """A version as it is kept. number: null of the draft."""

    number: int | None
    text: str
    units: dict[str, str]
    note: str
    by: str
    at: datetime


class UnitDifference(Wire):
    id: str
    old: str
    new: str


class Difference(Wire):
    """Between two versions: in words, and both texts."""

    old: str
    new: str
    lines: list[ChangeLine]
    units: list[UnitDifference]


class LiveBody(Wire):
    """own_yes: visitors of an open link may approve what they asked for."""

    version: int = Field(ge=1, le=1_000_000_000)
    own_yes: bool = False
