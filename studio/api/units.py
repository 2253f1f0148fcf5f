"""The code of a flow's units over HTTP: reading it, keeping what a person typed, and having it written."""

from __future__ import annotations

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from flows.models import Flow
from runtime.units.generate import regular_router
from runtime.units.shelf import Shelved
from studio import proposals, shelving
from studio.api.flows import described
from studio.api.json import read
from studio.api.wire_units import CodeBody, GenerateBody, Proposed, TakeBody, UnitCode, UnitReply
from studio.drafts import find


def shown(one: Shelved) -> UnitCode:
    return UnitCode(
        kind=one.kind, name=one.name, state=one.state, origin=one.origin, reason=one.reason,
        description=described(one), code=one.code, mark=shelving.mark(one),
        regular=regular_router(one.spec) is not None, turned_down=one.turned_down,
    )  # fmt: skip


def _reply(flow: Flow, one: Shelved, proposed: Proposed | None = None) -> Response:
    return Response(UnitReply(unit=shown(one), revision=flow.revision, proposed=proposed).wire())


def _lines(code: str) -> str:
    """The code with its lines ended as Python ends them."""
    return code.replace("\r\n", "\n")


class UnitView(APIView):
    """One unit's code. A save names the code it began from, so that nobody's is replaced unseen."""

    right = {"GET": "flows.view", "PUT": "flows.edit"}

    def get(self, request: Request, id: uuid.UUID, kind: str, name: str) -> Response:
        flow = find(id)
        return _reply(flow, shelving.unit_of(flow, kind, name))

    def put(self, request: Request, id: uuid.UUID, kind: str, name: str) -> Response:
        flow = find(id)
        body = read(CodeBody, request.data)
        return _reply(flow, shelving.save(flow, kind, name, _lines(body.code), body.was))


class Generate(APIView):
    """Writes one unit from its description with the model for code: to be kept at once, or to be shown first."""

    right = "flows.edit"

    def post(self, request: Request, id: uuid.UUID, kind: str, name: str) -> Response:
        flow = find(id)
        body = read(GenerateBody, request.data)
        if body.keep:
            return _reply(flow, shelving.generate(flow, kind, name, yes=body.yes))
        made = proposals.propose(flow, kind, name)
        shown_first = Proposed(code=made.code, problems=made.problems, by_model=made.by_model, seal=made.seal)
        return _reply(flow, shelving.unit_of(flow, kind, name), shown_first)


class Take(APIView):
    """Takes code that was written and shown."""

    right = "flows.edit"

    def post(self, request: Request, id: uuid.UUID, kind: str, name: str) -> Response:
        flow = find(id)
        body = read(TakeBody, request.data)
        return _reply(flow, proposals.take(flow, kind, name, body.code, body.seal, was=body.was, yes=body.yes))
