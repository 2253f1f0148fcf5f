"""What a run did, step by step, over HTTP: for whose run it is, and for who may look into those of others."""

from __future__ import annotations

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studio import tracing


class Steps(APIView):
    """Every step of a run with its state, time and cost."""

    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(tracing.trace(tracing.find(id, request)).wire())


class Step(APIView):
    """One step: what it read and wrote, the prompt as sent, the reply, its calls, and what went wrong."""

    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID, address: str) -> Response:
        return Response(tracing.detail(tracing.find(id, request), address).wire())
