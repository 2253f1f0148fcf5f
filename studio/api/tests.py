"""The tests of a flow over HTTP: what there is, running them, and following how they go."""

from __future__ import annotations

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studio import tracing
from studio.api.json import read
from studio.api.wire_tests import RunTestBody, TestsBegun, TestsBody
from studio.asked import person
from studio.drafts import find
from studio.testing import inside, recorded, tests


class Tests(APIView):
    """The flow's files of tests."""

    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(tests.listed(find(id)).wire())


class Inside(APIView):
    """The flows that run inside this one, whose steps its tests stand in for."""

    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(inside.of(find(id)).wire())


class Runs(APIView):
    """Runs tests of the draft as it is now. A worker takes them."""

    right = "flows.edit"

    def post(self, request: Request, id: uuid.UUID) -> Response:
        flow = find(id)
        begun = tests.begin(flow, person(request), read(TestsBody, request.data))
        return Response(TestsBegun(id=begun.id).wire(), status=202)


class Run(APIView):
    """How a run of tests goes."""

    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID, run: uuid.UUID) -> Response:
        return Response(tests.shown(tests.find(find(id), run)).wire())


class OfRun(APIView):
    """A test made of what happened in a run, in the text of its file; nothing is stored."""

    right = "flows.edit"

    def post(self, request: Request, id: uuid.UUID) -> Response:
        body = read(RunTestBody, request.data)
        return Response(recorded.test_of(tracing.find(id, request), body.name, body.path).wire())
