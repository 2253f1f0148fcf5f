"""Files of programs: given before the run or the form that takes them, and fetched from what a run gave back."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from runtime.files.giving import Giver
from runtime.models import StoredFile
from studio import opening
from studio.attachments import sending
from studio.attachments.api import given, given_to
from studio.attachments.wire import FileReference
from studio.programs.api import ProgramView, QuestionView
from studio.programs.wire import Fault
from studio.refusal import Missing, Refusal
from studio.strings import t

_FORM: dict[str, Any] = {
    "multipart/form-data": {
        "type": "object",
        "properties": {"file": {"type": "string", "format": "binary"}},
        "required": ["file"],
    }
}


class AgentFiles(ProgramView):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="giveFile", request=_FORM,
        parameters=[OpenApiParameter("input", str, required=True, description="The input of type file it is for.")],
        responses={201: FileReference, 404: Fault, 413: Fault, 422: Fault, 429: Fault},
    )  # fmt: skip
    def post(self, request: Request, slug: str) -> Response:
        """Give a file, to be named by its id among the inputs of a run: `{"photo": {"id": "…"}}`."""
        deployment, who = self.agent(slug), self.who
        field = opening.inputs_for(deployment, who).fields.get(request.query_params.get("input", ""))
        if field is None or field.type != "file":
            raise Refusal("NO_FILE_INPUT", t("attachments.no_input"), 422)
        return given(request, Giver(deployment.pk, who.actor), field.accept)


class QuestionFiles(QuestionView):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="giveFileToQuestion", request=_FORM,
        parameters=[OpenApiParameter("input", str, required=True, description="The form's field of type file.")],
        responses={201: FileReference, 404: Fault, 413: Fault, 422: Fault, 429: Fault},
    )  # fmt: skip
    def post(self, request: Request, id: uuid.UUID) -> Response:
        """Give a file for a form, to be named by its id among the values of the answer: `{"photo": {"id": "…"}}`."""
        return given_to(self.question(id), self.who, request)


class OneFile(ProgramView):
    @extend_schema(operation_id="getFile", responses={(200, "application/octet-stream"): bytes, 404: Fault, 410: Fault})
    def get(self, request: Request, id: uuid.UUID) -> HttpResponse:
        """The bytes of a file that this token gave, or that one of its runs made."""
        own = StoredFile.objects.filter(visitor=self.who.actor.visitor, user=None, deployment__in=self.agents())
        file = own.filter(pk=id).first()
        if file is None:
            raise Missing(t("attachments.gone"))
        return sending.answer(file, download=True)
