"""The endpoints by which programs let failed runs go on, and fork conversations."""

from __future__ import annotations

import uuid

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from runtime import control
from runtime.control import NotContinued
from studio.api.forks import fork
from studio.programs import facts
from studio.programs.api import ProgramView
from studio.programs.wire import Fault, ForkedTalk, RunFacts
from studio.refusal import Refusal


class Continue(ProgramView):
    @extend_schema(operation_id="continueRun", request=None, responses={202: RunFacts, 404: Fault, 409: Fault})
    def post(self, request: Request, id: uuid.UUID) -> Response:
        """Let a run that failed, or was given up, go on at the step at which it ended.

        What it did stays done: finished calls are not made again, and a write of unknown outcome is asked about.
        """
        found = self.run(id)
        try:
            control.let_go_on(found.pk, self.token.name)
        except NotContinued as refused:
            raise Refusal(refused.code, refused.message, 409) from refused
        return Response(facts.runs([self.run(id)])[0].wire(), status=202)


class Fork(ProgramView):
    @extend_schema(
        operation_id="forkConversation", request=None, responses={201: ForkedTalk, 404: Fault, 409: Fault, 429: Fault},
    )  # fmt: skip
    def post(self, request: Request, id: uuid.UUID) -> Response:
        """A new conversation that begins with the turns up to this run. Go on in it with startRun."""
        found = self.run(id)
        made = fork(found.conversation, str(found.pk), self.who)
        return Response(ForkedTalk(conversation=str(made.pk)).wire(), status=201)
