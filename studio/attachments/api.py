"""Giving a file to an agent, or to a form that asks for one; taking it back; and opening one."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from runtime import cards
from runtime.files import giving
from runtime.files.giving import Giver
from runtime.files.kinds import FileRefused
from runtime.models import Question, StoredFile
from studio import opening, viewer
from studio.access import page
from studio.api.chat import ChatView
from studio.api.wire import ExhibitsNow
from studio.attachments import sending, sight
from studio.attachments.wire import FileReference
from studio.frames import draw
from studio.refusal import Refusal
from studio.strings import t
from studio.viewer import Viewer, caller_of


class FileView(ChatView):
    """What takes files, one at a time, and nothing but files."""

    parser_classes = [MultiPartParser]


class AgentFiles(FileView):
    def post(self, request: Request, slug: str) -> Response:
        """Give a file for one of the agent's inputs, before the message that brings it."""
        deployment, who = viewer.agent(slug, caller_of(request))
        field = opening.inputs_for(deployment, who).fields.get(request.query_params.get("input", ""))
        if field is None or field.type != "file":
            raise Refusal("NO_FILE_INPUT", t("attachments.no_input"), 422)
        return given(request, Giver(deployment.id, who.actor), field.accept)


class QuestionFiles(FileView):
    def post(self, request: Request, id: uuid.UUID) -> Response:
        """Give a file for a field of a form, before the answer that brings it."""
        question, who, _ = viewer.question(id, caller_of(request))
        return given_to(question, who, request)


class QuestionExhibits(ChatView):
    def get(self, request: Request, id: uuid.UUID) -> Response:
        """Which of a card's documents are not here any more, for who may decide it."""
        question, _, eyes = viewer.question(id, caller_of(request))
        card = draw.question(draw.card_of(question), str(question.run_id), eyes, None)
        shown = card.exhibits if card.type == "approval" else []
        return Response(ExhibitsNow(lost=[one.channel for one in shown if one.lost]).wire())


class OneFile(ChatView):
    def delete(self, request: Request, id: uuid.UUID) -> Response:
        """Take a file back that no message has brought yet."""
        file = sight.file_of(id, caller_of(request))
        who = viewer.admit(file.deployment, caller_of(request))
        giving.take_back(Giver(file.deployment_id, who.actor), file.id)
        return Response(status=204)


@page("public")
@require_safe
def one_file(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """`/files/<id>`: a picture or a recording as itself, anything else to be saved; `?download=1` saves these too."""
    file = sight.file_of(id, caller_of(request))
    # What the browser kept would be there behind the lock, and for whoever signs in next.
    kept = not viewer.knows_people(file.deployment)
    return sending.answer(file, download="download" in request.GET, wanted=request.headers.get("Range", ""), kept=kept)


def given_to(question: Question, who: Viewer, request: Request) -> Response:
    """Keep the one file that a request carries for a field of a form that waits. Raises Refusal."""
    fields = cards.read(question.payload).get("fields") or {}
    field = fields.get(request.query_params.get("input", ""))
    if question.state != "pending" or not isinstance(field, dict) or field.get("type") != "file":
        raise Refusal("NO_FILE_INPUT", t("attachments.no_input"), 422)
    talk = question.conversation
    return given(request, Giver(talk.deployment_id, who.actor, talk.id), field.get("accept"))


def given(request: Request, giver: Giver, accept: str | None) -> Response:
    """Keep the one file that a request carries. Raises Refusal."""
    row = taken(request, giver, accept)
    return Response(FileReference.model_validate(row.reference).wire(), status=201)


def taken(request: Request, giver: Giver, accept: str | None = None) -> StoredFile:
    files: Any = request.FILES
    sent = [each for name in files for each in files.getlist(name)]
    if len(sent) != 1:
        raise Refusal("ONE_FILE", t("attachments.one_file"), 422)
    file = sent[0]
    if file.size > settings.FILE_LARGEST:
        raise Refusal("FILE_TOO_LARGE", giving.too_large(file.name), 413)
    try:
        return giving.keep(giver, file.name, file.read(), accept)
    except FileRefused as refused:
        raise Refusal(refused.code, refused.message, 429 if refused.code == "FILES_A_DAY" else 422) from None
