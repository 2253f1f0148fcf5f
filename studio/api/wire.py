"""What the chat, the inbox and the decision page say to the server, and hear from it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.questions import Decision
from studio.frames.items import Frame, Kind, QuestionItem, State, Wire

Key = Annotated[str, Field(max_length=64, pattern=r"^[\w.-]*$")]
Tab = Literal["mine", "others", "decided"]
TurnState = Literal["idle", "working", "waiting_you", "waiting_others"]


class MessageBody(Wire):
    """A message. key: the page's own; the same one again is the same message."""

    conversation: str | None = None
    text: str | None = Field(None, max_length=100_000)
    inputs: dict[str, Any] = {}
    key: Key = ""


class OpenBody(Wire):
    key: Key = ""


class MessageSent(Wire):
    conversation: str
    run: str
    queued: bool


class Opened(Wire):
    """run: the one that began by itself, for a flow without inputs."""

    conversation: str
    run: str | None


class ConversationRow(Wire):
    id: str
    title: str
    last_at: datetime
    state: TurnState


class StreamText(Wire):
    attempt: int
    text: str


class RunState(Wire):
    status: str


class AnswerBody(Wire):
    """A decision, naming by its digest what was shown."""

    digest: str = Field(max_length=64)
    decision: Decision
    text: str | None = None
    values: dict[str, Any] | None = None
    reason: str | None = None
    key: Key = ""


class Decided(Wire):
    state: State


class ForkBody(Wire):
    """The turn after which the new conversation goes its own way, by its run."""

    run: str = Field(max_length=64)


class Forked(Wire):
    conversation: str


class InboxRow(Wire):
    """A question in a list. by: whose run asks. summary: the first figures of its card."""

    question: str
    kind: Kind
    title: str
    agent: str
    summary: str
    state: State
    by: str
    asked_at: datetime
    expires_at: datetime | None
    decided_by: str | None
    decided_at: datetime | None


class Counts(Wire):
    mine: int
    others: int
    decided: int


class InboxPage(Wire):
    rows: list[InboxRow]
    counts: Counts


class SoFar(Wire):
    at: datetime
    text: str


class QuestionDetail(Wire):
    """conversation: its id, for the person whose it is. so_far: what the run did until it asked."""

    row: InboxRow
    card: QuestionItem
    run: str
    node: str
    slug: str
    conversation: str | None
    so_far: list[SoFar]


class ExhibitsNow(Wire):
    """lost: the channels of a card's documents that were there when it was made and are not as they were now."""

    lost: list[str]


class Agent(Wire):
    """An agent as its chat page draws it.

    text_input: the input that the composer's text fills; None when the flow takes no message. inputs: the others, as
    form fields. paused: the operator's sentence, None while the agent is live.
    """

    slug: str
    name: str
    description: str
    suggestions: list[str]
    text_input: str | None
    inputs: dict[str, Any]
    opens_by_itself: bool
    welcome: str
    paused: str | None


class Person(Wire):
    """key: tells two people of one name apart, for what a browser's tab keeps of each."""

    name: str
    key: str
    signed_in: bool


class SignIn(Wire):
    """Another way to sign in than by a password. name: whose."""

    name: str
    href: str


class Here(Wire):
    """How long the session has until it locks; 0 when it is locked."""

    seconds: int


class Unlock(Wire):
    password: str = Field(max_length=512)


class Lock(Wire):
    """How the page of an agent that knows its people locks. seconds: until then, 0 when it is. password: whether the
    person has one."""

    seconds: int
    minutes: int
    email: str
    password: bool
    sign_in: SignIn | None


class ChatBoot(Wire):
    """What the chat page carries: enough to draw itself before anything is fetched.

    pane: it stands inside the editor, which it tells what its runs do. lock: None where nothing locks.
    """

    agent: Agent
    person: Person
    conversation: str | None
    title: str
    frames: list[Frame]
    seq: int
    hide: list[str]
    pane: bool
    inbox_url: str | None
    lock: Lock | None


class InboxBoot(Wire):
    tab: Tab
    page: InboxPage
    question: str | None
    workspace: str


class DecideBoot(Wire):
    detail: QuestionDetail
    inbox_url: str | None
