"""What a chat page is made of: items, and the frames that put and remove them. The pages' types come from here."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Kind = Literal["ask", "form", "approval", "outcome"]
State = Literal["pending", "answered", "approved", "declined", "closed", "expired", "withdrawn"]


class Wire(BaseModel):
    """Snake case here, camel case on the wire. `type` has no default, so that the pages can tell items apart."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")

    def wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)


class Shown(Wire):
    label: str
    value: Any


class Given(Shown):
    """A field of a message. channel: the input that it is; "" in a message of before that was kept."""

    channel: str = ""


class Figure(Wire):
    """A value on a card. editable: the person may correct it before approving."""

    label: str
    channel: str
    value: Any
    editable: bool = False


class MessageItem(Wire):
    type: Literal["message"]
    id: str
    run: str
    text: str
    values: list[Given]
    by: str
    state: Literal["sent", "queued"]
    can_remove: bool
    at: datetime


class StepLine(Wire):
    address: str
    title: str
    kind: str
    state: Literal["running", "done", "failed", "waiting"]
    ms: float | None


class StepsItem(Wire):
    """ms: the steps' own time together, without what people took to answer."""

    type: Literal["steps"]
    id: str
    run: str
    steps: list[StepLine]
    ms: float
    demo: bool


class AnswerItem(Wire):
    """An output. While streaming, value is "" and the text comes as deltas of the same attempt."""

    type: Literal["answer"]
    id: str
    run: str
    channel: str
    label: str
    value: Any
    streaming: bool
    attempt: int
    demo: bool


class AskItem(Wire):
    type: Literal["ask"]
    id: str
    run: str
    question: str
    digest: str
    text: str
    show: list[Figure]
    state: State
    answer: str | None
    by: str | None


class FormItem(Wire):
    """fields: the language's own field declarations by name. values: what the form opens with.

    why: a model's own words on why it asks; "" where the flow itself asks.
    """

    type: Literal["form"]
    id: str
    run: str
    question: str
    digest: str
    title: str
    why: str
    fields: dict[str, Any]
    values: dict[str, Any]
    state: State
    answer_shown: list[Shown]
    by: str | None


class Edit(Wire):
    """The fields a person may correct on a card; names are `channel` or `channel.key`, and come back as they are."""

    fields: dict[str, Any]
    values: dict[str, Any]


class Does(Wire):
    """What an approval lets happen. args: what a tool is sent, in order."""

    kind: str
    tool: str | None
    args: list[Shown]


class Exhibit(Wire):
    """A document behind a decision. opens: it was read when the card was made, and is here. lost: it is no longer."""

    label: str
    channel: str
    id: str
    name: str
    media_type: str
    bytes: int
    sha256: str
    opens: bool
    lost: bool


class ApprovalItem(Wire):
    """A card for those who decide. why: the agent's own account, a paragraph or one line per step."""

    type: Literal["approval"]
    id: str
    run: str
    question: str
    ask: str
    figures: list[Figure]
    exhibits: list[Exhibit]
    why: str | None
    does: Does
    edit: Edit | None
    digest: str
    state: State
    decider: Literal["starter", "reviewers"]
    can_decide: bool
    can_withdraw: bool
    expires_at: datetime | None
    decided_by: str | None
    reason: str | None


class OutcomeItem(Wire):
    """A write nobody can say happened. answer: what a person found out."""

    type: Literal["outcome"]
    id: str
    run: str
    question: str
    digest: str
    ask: str
    figures: list[Figure]
    state: State
    can_decide: bool
    decided_by: str | None
    answer: Literal["happened", "again", "skip"] | None
    reason: str | None


class WaitingItem(Wire):
    """A question as those see it who cannot decide it: what waits, for whom, until when."""

    type: Literal["waiting"]
    id: str
    run: str
    question: str
    digest: str
    ask: str
    kind: Kind
    state: State
    for_whom: str
    expires_at: datetime | None
    can_withdraw: bool
    decided_by: str | None
    reason: str | None


class EndItem(Wire):
    type: Literal["end"]
    id: str
    run: str
    state: Literal["failed", "cancelled", "lost"]
    code: str
    message: str
    can_retry: bool


class StatusItem(Wire):
    """Whose turn it is. question and kind name what is waited for."""

    type: Literal["status"]
    id: Literal["status"]
    state: Literal["idle", "working", "waiting_you", "waiting_others"]
    run: str | None
    question: str | None
    kind: Kind | None


QuestionItem = AskItem | FormItem | ApprovalItem | OutcomeItem | WaitingItem
Item = Annotated[
    MessageItem | StepsItem | AnswerItem | AskItem | FormItem | ApprovalItem | OutcomeItem | WaitingItem | EndItem
    | StatusItem,
    Field(discriminator="type"),
]  # fmt: skip


class Frame(Wire):
    """Put draws an item in place of the one with its id, or after the last one; remove takes it away."""

    seq: int
    op: Literal["put", "remove"]
    id: str
    item: Item | None


class FramesMessage(Wire):
    """seq: how far the page is once it has drawn these."""

    type: Literal["frames"]
    frames: list[Frame]
    seq: int


class DeltaMessage(Wire):
    """Text that follows `offset` characters of the same attempt; one that does not fit is read from the stream."""

    type: Literal["delta"]
    item: str
    attempt: int
    offset: int
    text: str


class ResetMessage(Wire):
    """The page is ahead of the log it asked for: draw it anew from seq 0."""

    type: Literal["reset"]


SocketMessage = Annotated[FramesMessage | DeltaMessage | ResetMessage, Field(discriminator="type")]
