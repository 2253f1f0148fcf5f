"""The lock over HTTP: the sign of life of a page that is used, how long there is left, and unlocking."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studio import presence
from studio.api.json import read
from studio.api.wire import Here, Unlock
from studio.asked import person
from studio.pages.unlock import unlock


class Presence(APIView):
    right = "account"

    def get(self, request: Request) -> Response:
        """How long this session has until it locks. To ask is no sign of life."""
        return _here(request)

    def post(self, request: Request) -> Response:
        """Somebody uses a page. Whatever is sent is a sign of life, so there is nothing more to do."""
        return _here(request)


class Open(APIView):
    right = "account"

    def post(self, request: Request) -> Response:
        """Unlock this session with the person's password."""
        unlock(request._request, read(Unlock, request.data).password)
        return _here(request)


def _here(request: Request) -> Response:
    session = request._request.session.session_key or ""
    return Response(Here(seconds=presence.left(session, person(request))).wire())
