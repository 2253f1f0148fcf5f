"""The files beside a flow over HTTP: triggers, the registry of agents, tests, evals and their cases."""

from __future__ import annotations

import uuid
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from flows import files
from flows.files import Kept
from flows.stored import file_of
from studio import beside, callees
from studio.api.flows import DraftParser
from studio.api.json import read
from studio.api.wire_files import FileBody, FileProblem, FlowFileLine, FlowFileList, FlowFileReply
from studio.asked import person
from studio.drafts import find


def shown_problems(kept: Kept) -> list[FileProblem]:
    return [
        FileProblem(code=one.code, level=one.level, path=one.path, message=one.message, hint=one.hint)
        for one in kept.problems
    ]


def _line(kept: Kept) -> dict[str, Any]:
    levels = [one.level for one in kept.problems]
    return {
        "path": kept.file.path, "kind": kept.kind, "sha": kept.file.sha, "size": kept.file.size,
        "errors": levels.count("error"), "warnings": levels.count("warning"),
        "by": beside.name_of(kept.file), "at": kept.file.updated_at,
    }  # fmt: skip


def _reply(kept: Kept) -> Response:
    return Response(FlowFileReply(**_line(kept), text=kept.file.text, problems=shown_problems(kept)).wire())


class Files(APIView):
    """All files beside a flow."""

    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID) -> Response:
        flow = find(id)
        lines = [FlowFileLine(**_line(kept)) for kept in files.checked(flow, files.files_of(flow))]
        return Response(FlowFileList(path=file_of(flow.path), files=lines).wire())


class Callees(APIView):
    """What the flow's steps may run."""

    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(callees.of(find(id)).wire())


class File(APIView):
    """One file. A save or a removal names the text that the person saw, so that nobody's is replaced unseen."""

    right = {"GET": "flows.view", "PUT": "flows.edit", "DELETE": "flows.edit"}
    parser_classes = [DraftParser]

    def get(self, request: Request, id: uuid.UUID, path: str) -> Response:
        return _reply(beside.find(find(id), path))

    def put(self, request: Request, id: uuid.UUID, path: str) -> Response:
        flow = find(id)
        body = read(FileBody, request.data)
        return _reply(beside.save(flow, path, body.text, body.was, person(request)))

    def delete(self, request: Request, id: uuid.UUID, path: str) -> Response:
        flow = find(id)
        beside.remove(flow, path, request.query_params.get("was", ""), person(request))
        return Response({})
