"""Edits over HTTP: send one, undo, redo, decide what was set aside, and read what changed since."""

from __future__ import annotations

import uuid
from itertools import zip_longest
from typing import Any

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from flows import saving
from flows.check import Checked
from flows.edits.apply import EditRefused
from flows.edits.fixes import fix_of
from flows.models import Flow, FlowAside
from flows.saving import TooOld
from flows.words import strictjson
from studio import drafts, editing
from studio.access import may
from studio.api.flows import DraftParser, shown_problems, shown_units
from studio.api.json import read
from studio.api.wire_edits import AsideBody, EditsBody, RevisionBody
from studio.asked import person
from studio.drafts import find
from studio.editing import Outcome, Sent
from studio.models import User
from studio.refusal import Refusal
from studio.shelving import shelved
from studio.strings import t

Json = Any
LANGUAGE = "/api/language"
FIXED = 40
"""For how many problems a way to put them right is looked for."""


class _Body(EditsBody):
    """As EditsBody, with the operations unread: all that is wrong with them is said at once, by operation."""

    operations: list[Any] = Field(min_length=1, max_length=2_000)  # type: ignore[assignment]


def editor_boot(flow: Flow, user: User, role: str | None) -> dict[str, Json]:
    """What the editor's page carries: EditorBoot."""
    state = _state(flow, user)
    return {
        "id": str(flow.pk),
        "text": flow.draft,
        "layout": _layout(flow),
        "canEdit": may(role, "flows.edit"),
        "canPublish": may(role, "publish"),
        "canRun": may(role, "flows.edit"),
        "kept": saving.KEPT,
        "language": LANGUAGE,
        **state,
    }


def reply_of(outcome: Outcome, since: int, user: User) -> dict[str, Json]:
    """EditReply: the draft now, and how it came there from the revision that the page shows."""
    flow = outcome.flow
    reply = _state(flow, user) | {
        "changes": [],
        "text": None,
        "layout": None,
        "lines": [line.wire() for line in outcome.lines],
        "renamed": outcome.renamed or None,
    }
    try:
        rows = saving.since(flow, since)
    except TooOld:
        rows = None
    if rows is None or since > flow.revision or any(row.after is not None for row in rows):
        return reply | {"text": flow.draft, "layout": _layout(flow)}
    return reply | {"changes": [change for row in rows for change in row.changes]}


def _state(flow: Flow, user: User) -> dict[str, Json]:
    checked = drafts.checked_in_place(flow)
    undo, redo = editing.next_undo(flow, user), editing.next_redo(flow, user)
    return {
        "revision": flow.revision,
        "name": flow.name,
        "problems": _with_fixes(shown_problems(checked), checked, flow.draft),
        "units": shown_units(shelved(flow, checked.flow)),
        "undo": {"label": undo.label} if undo else None,
        "redo": {"label": redo.label} if redo else None,
        "asides": [shown_aside(each, user) for each in editing.asides(flow)],
    }


def _with_fixes(shown: list[dict[str, str]], checked: Checked, text: str) -> list[dict[str, Json]]:
    """The problems as the editor shows them; the first of them with what puts them right, where that is obvious."""
    if checked.flow is None or not shown:
        return [*shown]
    document = strictjson.loads(text)
    fixes = [fix_of(document, problem, checked.problems) for problem in checked.problems[:FIXED]]
    return [{**one, "fix": fix} if fix else one for one, fix in zip_longest(shown, fixes)]


def _layout(flow: Flow) -> dict[str, Json]:
    return {"nodes": {}, "comments": [], **flow.layout}


def shown_aside(aside: FlowAside, user: User) -> dict[str, Json]:
    return {
        "id": str(aside.key),
        "label": aside.label,
        "by": aside.by.name if aside.by else t("draft.somebody"),
        "at": aside.at.isoformat(),
        "mine": aside.by_id == user.pk,
        "operations": aside.operations,
        "places": aside.places,
        "message": aside.message,
    }


def answer(outcome: Outcome, since: int, user: User) -> Response:
    """The reply to an edit; what was set aside is a conflict with everything that a page needs to show it."""
    body = reply_of(outcome, since, user)
    if outcome.aside is None:
        return Response(body)
    message = outcome.aside.message
    return Response(
        {"code": "EDIT_CONFLICT", "message": message, "aside": shown_aside(outcome.aside, user), **body}, status=409
    )


def refused(refusal: EditRefused) -> Refusal:
    """What cannot be applied, as an answer: nothing was, and every mistake is named."""
    problems = [each._asdict() for each in refusal.problems]
    return Refusal(refusal.code, refusal.message, 422, problems=problems)


class Editor(APIView):
    """What the editor shows of a flow."""

    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(editor_boot(find(id), person(request), getattr(request, "role", None)))


class Edits(APIView):
    """One edit of a draft: applied whole, refused whole, or kept aside."""

    right = {"POST": "flows.edit"}
    parser_classes = [DraftParser]

    def post(self, request: Request, id: uuid.UUID) -> Response:
        flow, user = find(id), person(request)
        body = read(_Body, request.data)
        sent = Sent(body.id, body.revision, body.operations, body.label)
        try:
            with drafts.refusing():
                outcome = editing.submit(flow, sent, user)
        except EditRefused as refusal:
            raise refused(refusal) from refusal
        return answer(outcome, body.revision, user)


class Undo(APIView):
    """Takes back the person's latest edit."""

    right = {"POST": "flows.edit"}

    def post(self, request: Request, id: uuid.UUID) -> Response:
        flow, user = find(id), person(request)
        body = read(RevisionBody, request.data)
        with drafts.refusing():
            return answer(editing.undo(flow, user), body.revision, user)


class Redo(APIView):
    """Does again what the person undid last."""

    right = {"POST": "flows.edit"}

    def post(self, request: Request, id: uuid.UUID) -> Response:
        flow, user = find(id), person(request)
        body = read(RevisionBody, request.data)
        with drafts.refusing():
            return answer(editing.redo(flow, user), body.revision, user)


class Aside(APIView):
    """Applies an edit that was set aside, or lets it go."""

    right = {"POST": "flows.edit"}

    def post(self, request: Request, id: uuid.UUID, aside: uuid.UUID) -> Response:
        flow, user = find(id), person(request)
        body = read(AsideBody, request.data)
        try:
            with drafts.refusing():
                outcome = editing.decide_aside(flow, aside, body.act, user)
        except EditRefused as refusal:
            raise refused(refusal) from refusal
        return answer(outcome, body.revision, user)


class Changes(APIView):
    """What changed since a revision."""

    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID) -> Response:
        flow, user = find(id), person(request)
        given = request.query_params.get("since", "")
        since = int(given) if given.isascii() and given.isdigit() and len(given) < 11 else -1
        return Response(reply_of(Outcome(flow), since, user))
