"""Importing over HTTP: a folder, file by file, as a page's script reads it."""

from __future__ import annotations

import base64
import binascii

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from flows.beside.names import SECRETS
from studio.api.json import StrictJSONParser, read
from studio.asked import person
from studio.frames.items import Wire
from studio.refusal import Refusal
from studio.strings import t
from studio.transfer import parcels
from studio.transfer.sent import MAX_FILES, MOST, Sent


class SentFile(Wire):
    """base64: what is in it; null for one that is larger than any that is taken."""

    path: str = Field(max_length=1_000)
    base64: str | None


class ImportBody(Wire):
    """A folder. name: what it is called."""

    name: str = Field(max_length=200)
    files: list[SentFile] = Field(max_length=MAX_FILES * 2)


class FolderParser(StrictJSONParser):
    """The largest folder that is taken is a third longer in base64."""

    max_bytes = MOST * 4 // 3 + 1_000_000


class Imports(APIView):
    """Keeps a folder until the person has looked at it, and says where."""

    right = {"POST": "flows.edit"}
    parser_classes = [FolderParser]

    def post(self, request: Request) -> Response:
        body = read(ImportBody, request.data)
        sent = Sent(body.name)
        for file in body.files:
            if file.base64 is not None:
                sent.add(file.path, _decoded(file.base64))
            elif sent.wants(file.path) and file.path.rpartition("/")[2] != SECRETS:
                sent.leave(file.path, t("transfer.left_large", size="1 MB"))
        sent.settle()
        return Response({"url": f"/flows/imports/{parcels.keep(sent, person(request)).pk}"})


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Refusal("NOT_BASE64", t("transfer.not_base64"), 422) from None
