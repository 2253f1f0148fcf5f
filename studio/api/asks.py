"""The Ask bar over HTTP: begin an ask, follow it, stop it, accept or drop what it proposes."""

from __future__ import annotations

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studio import drafts
from studio.api.edits import reply_of
from studio.api.json import read
from studio.api.wire_asks import AskBegun, AskBody
from studio.api.wire_edits import RevisionBody
from studio.ask import asks
from studio.asked import person
from studio.drafts import find


class Asks(APIView):
    """The flow's last asks; a new one begins, and a worker takes it."""

    right = {"GET": "flows.view", "POST": "flows.edit"}

    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(asks.listed(find(id), person(request), getattr(request, "role", None)).wire())

    def post(self, request: Request, id: uuid.UUID) -> Response:
        flow = find(id)
        body = read(AskBody, request.data)
        begun = asks.begin(flow, person(request), body.text, body.selection)
        return Response(AskBegun(id=begun.id).wire(), status=202)


class Ask(APIView):
    """One ask: how far it is, what it proposes."""

    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID, ask: uuid.UUID) -> Response:
        flow = find(id)
        return Response(asks.shown(asks.find(flow, ask), flow, person(request)).wire())


class Stop(APIView):
    """Ends an ask, wherever it is."""

    right = "flows.edit"

    def post(self, request: Request, id: uuid.UUID, ask: uuid.UUID) -> Response:
        asks.stop(asks.own(find(id), ask, person(request)))
        return _after(request, id, ask)


class Accept(APIView):
    """Puts the proposal into the draft, as one edit; answers as an edit does."""

    right = "flows.edit"

    def post(self, request: Request, id: uuid.UUID, ask: uuid.UUID) -> Response:
        flow, who = find(id), person(request)
        body = read(RevisionBody, request.data)
        with drafts.refusing():
            outcome = asks.accept(asks.own(flow, ask, who), flow, who, body.revision)
        return Response(reply_of(outcome, body.revision, who))


class Drop(APIView):
    """Turns the proposal down."""

    right = "flows.edit"

    def post(self, request: Request, id: uuid.UUID, ask: uuid.UUID) -> Response:
        asks.drop(asks.own(find(id), ask, person(request)))
        return _after(request, id, ask)


def _after(request: Request, id: uuid.UUID, ask: uuid.UUID) -> Response:
    flow = find(id)
    return Response(asks.shown(asks.find(flow, ask), flow, person(request)).wire())
