"""What the editor says to the server about a draft, and hears from it."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from flows.edits.changes import Change
from flows.edits.fields import SetField
from flows.edits.layout import Layout
from flows.edits.lines import ChangeLine
from flows.edits.operations import AnyOperation
from studio.frames.items import Wire

Json = Any
Revision = Annotated[int, Field(ge=0, le=2_000_000_000, strict=True)]


class EditsBody(Wire):
    """An edit. id: the page's own; the same one again is the same edit. label: words for "Undo …"; made when empty."""

    id: uuid.UUID
    revision: Revision
    label: str = Field("", max_length=200)
    operations: list[AnyOperation] = Field(min_length=1, max_length=2_000)


class RevisionBody(Wire):
    """revision: the one that the page shows."""

    revision: Revision


class AsideBody(RevisionBody):
    """What becomes of an edit that was set aside."""

    act: Literal["apply", "drop"]


class DraftProblem(Wire):
    """fix: what puts it right, where there is one obvious way."""

    code: str
    level: Literal["error", "warning"]
    path: str
    message: str
    hint: str
    fix: list[SetField] | None = None


class DraftUnit(Wire):
    """The code of one handler, router, tool or service."""

    kind: Literal["handler", "router", "tool", "service"]
    name: str
    state: Literal["current", "stale", "edited", "missing", "refused"]
    origin: Literal["generated", "regular", "edited", ""]
    reason: str
    description: str
    code: str


class EditStep(Wire):
    """What undo or redo would do, in words."""

    label: str


class AsidePlace(Wire):
    """One place that two people changed. words: where; yours and theirs: what each of them made of it."""

    words: str
    yours: Json
    theirs: Json


class Aside(Wire):
    """An edit that met another one at the same place, kept until somebody applies or drops it."""

    id: uuid.UUID
    label: str
    by: str
    at: datetime
    mine: bool
    operations: list[AnyOperation]
    places: list[AsidePlace]
    message: str


class EditReply(Wire):
    """The draft after an edit. changes: all since the revision that was sent, others' included.

    text and layout: instead of changes, when these do not say it exactly. lines: what this edit did, in words.
    renamed: the names that a paste changed, old to new.
    """

    revision: int
    changes: list[Change]
    text: str | None = None
    layout: Layout | None = None
    name: str
    problems: list[DraftProblem]
    units: list[DraftUnit]
    undo: EditStep | None
    redo: EditStep | None
    asides: list[Aside]
    lines: list[ChangeLine]
    renamed: dict[str, str] | None = None


class EditConflict(EditReply):
    """Two people changed one place: nothing was overwritten, and the later edit is kept as an aside."""

    code: Literal["EDIT_CONFLICT"]
    message: str
    aside: Aside


class EditMistake(Wire):
    """operation: its position in what was sent."""

    operation: int
    code: str
    message: str
    hint: str


class EditRefusal(Wire):
    """Nothing was applied; all that is wrong, at once."""

    code: str
    message: str
    problems: list[EditMistake]


class DraftNews(Wire):
    """What the flow's socket says: the draft has a new revision."""

    type: Literal["draft"]
    revision: int
    by: str


class EditorBoot(Wire):
    """What the editor's page carries. kept: how many edits undo reaches back. language: where panels read theirs."""

    id: uuid.UUID
    name: str
    text: str
    revision: int
    layout: Layout
    can_edit: bool
    can_publish: bool
    can_run: bool
    problems: list[DraftProblem]
    units: list[DraftUnit]
    undo: EditStep | None
    redo: EditStep | None
    asides: list[Aside]
    kept: int
    language: str
