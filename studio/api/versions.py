"""A flow's versions over HTTP: the list, one, the difference of two, and making one live again."""

from __future__ import annotations

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studio import publishing, versions
from studio.access import may
from studio.api.json import read
from studio.api.wire_runs import LiveBody
from studio.asked import person
from studio.drafts import find
from studio.pages.agents import find as find_agent


class Versions(APIView):
    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID) -> Response:
        """The draft's changes since what is live, the versions, what was live, and what waits on which."""
        role = getattr(request, "role", None)
        shown = versions.overview(find(id), edits=may(role, "flows.edit"), publishes=may(role, "publish"))
        return Response(shown.wire())


class Version(APIView):
    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID, name: str) -> Response:
        """One version by its number, or the draft, with its code."""
        return Response(versions.shown(find(id), name).wire())


class Difference(APIView):
    right = "flows.view"

    def get(self, request: Request, id: uuid.UUID, old: str, new: str) -> Response:
        """What the second changes of the first: in words, and both texts."""
        return Response(versions.difference(find(id), old, new).wire())


class Live(APIView):
    right = "publish"

    def post(self, request: Request, slug: str) -> Response:
        """Make a version of an agent's history live again. Runs that wait finish on the one they began with."""
        agent = find_agent(slug)
        body = read(LiveBody, request.data)
        version = versions.find(agent.flow, body.version)
        publishing.make_live(agent, version, person(request), own_yes=body.own_yes)
        return Response({"version": version.number})
