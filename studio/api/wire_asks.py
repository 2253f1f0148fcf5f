"""What the Ask bar says to the server, and hears from it."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from flows.edits.lines import ChangeLine
from studio.frames.items import Wire

Json = Any
AskState = Literal["working", "proposed", "answered", "stopped", "failed", "accepted", "dropped"]
LONGEST = 8_000


class AskBody(Wire):
    """An ask. selection: the ids of the nodes that are selected, when it is about them."""

    text: str = Field(max_length=1_000_000)
    selection: list[Annotated[str, Field(max_length=64)]] = Field([], max_length=500)


class AskBegun(Wire):
    id: uuid.UUID


class AskStep(Wire):
    """Something done on the way. tool: empty for words that the model said."""

    tool: str
    words: str
    ok: bool


class AskRefused(Wire):
    """A call of the model that was not carried out."""

    tool: str
    code: str
    message: str


class AskRow(Wire):
    """An ask as a list shows it. count: how many things it changes."""

    id: uuid.UUID
    state: AskState
    text: str
    by: str
    mine: bool
    at: datetime
    reply: str
    note: str
    count: int


class Ask(AskRow):
    """All of an ask. reply: the model's words. note: ours, about what really happened.

    lines: made of the operations that were applied, never of the model's words. document, layout: the draft as it is
    now with the proposal in it, where it fits. new_errors: what would be wrong then and is not now. began: a worker has
    it. base_revision: the draft's that document was made from.
    """

    rev: int
    began: bool
    steps: list[AskStep]
    lines: list[ChangeLine]
    refused: list[AskRefused]
    fits: bool
    document: Json = None
    layout: Json = None
    new_errors: list[str]
    base_revision: int
    accepted_revision: int | None
    model: str
    demo: bool
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    code: str


class Asks(Wire):
    """The flow's last asks, the newest first. current: the one of this person that works or waits for a yes.

    problem: why nothing can be asked at the moment; empty when it can. may_set: this person may set that right.
    demo: the demo model would answer.
    """

    asks: list[AskRow]
    current: Ask | None
    problem: str
    may_set: bool
    demo: bool


class AskNews(Wire):
    """What the flow's socket says: an ask came further."""

    type: Literal["ask"]
    id: uuid.UUID
    rev: int
