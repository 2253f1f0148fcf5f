"""A conversation forked at one of its turns, by whose it is."""

from __future__ import annotations

import uuid

from rest_framework.request import Request
from rest_framework.response import Response

from runtime import budget, forking
from runtime.forking import NotForked
from runtime.models import Conversation
from studio import viewer
from studio.api.chat import ChatView
from studio.api.json import read
from studio.api.wire import ForkBody, Forked
from studio.refusal import Refusal
from studio.strings import t
from studio.viewer import Viewer, caller_of

MOST_A_DAY = 100
MOST_OF_VISITORS = 10 * MOST_A_DAY


class Fork(ChatView):
    def post(self, request: Request, id: uuid.UUID) -> Response:
        """A new conversation with the turns up to this one."""
        talk, who = viewer.conversation(id, caller_of(request))
        body = read(ForkBody, request.data)
        return Response(Forked(conversation=str(fork(talk, body.run, who).pk)).wire(), status=201)


def fork(talk: Conversation, run: str, who: Viewer) -> Conversation:
    """Raises Refusal, with the reason in words. Scoped."""
    try:
        wanted = uuid.UUID(run)
    except ValueError:
        raise Refusal("TURN_GONE", t("conversation.no_turn"), 404) from None
    forks = Conversation.objects.filter(deployment=talk.deployment_id, created_at__gte=budget.today())
    forks = forks.exclude(forked_from=None)
    mine = forks.filter(user_id=who.actor.user, visitor=who.actor.visitor)
    # A visitor may be another one with each cookie; all of them together have an end too.
    theirs = forks.exclude(visitor="").count() if who.actor.visitor else 0
    if mine.count() >= MOST_A_DAY or theirs >= MOST_OF_VISITORS:
        raise Refusal("TOO_MANY_FORKS", t("conversation.too_many_forks", count=MOST_A_DAY), 429)
    try:
        return forking.fork(talk, wanted, who.actor)
    except NotForked as refused:
        raise Refusal(refused.code, refused.message, 404 if refused.code == "TURN_GONE" else 409) from refused
