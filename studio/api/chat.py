"""The chat over HTTP: messages, conversations, what a page draws, and taking things back. Events come by socket."""

from __future__ import annotations

import uuid
from typing import Any

from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from runtime import runs
from runtime.files.giving import Giver
from runtime.models import Conversation, Deployment, Question, Run, RunStream
from runtime.questions import decides
from studio import allowance, frames, opening, viewer
from studio.api.json import read
from studio.api.wire import ConversationRow, MessageBody, MessageSent, OpenBody, Opened, RunState, StreamText, TurnState
from studio.frames import Eyes
from studio.refusal import Missing, Refusal, Wrong
from studio.strings import t
from studio.viewer import Viewer, caller_of

HISTORY = 100


class PersonOrVisitor(SessionAuthentication):
    """A signed-in person or an anonymous visitor; the CSRF token is asked of both, since both have cookies."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        person = getattr(request._request, "user", None)
        self.enforce_csrf(request)
        return (person, None) if person is not None and person.is_active else None


class ChatView(APIView):
    """Everybody gets in; studio.viewer finds out, for the thing asked for, who may have it."""

    right = "public"
    authentication_classes = [PersonOrVisitor]


class Messages(ChatView):
    def post(self, request: Request, slug: str) -> Response:
        """Send a message: starts a run, or queues it behind the turn before it."""
        deployment, who = viewer.agent(slug, caller_of(request))
        body = read(MessageBody, request.data)
        asked = opening.inputs_for(deployment, who)
        talk, who = _conversation(deployment, who, body, request)
        values = asked.check(body.text, body.inputs, Giver(deployment.id, who.actor, talk.id if talk else None))
        if body.key and talk is not None:
            known = runs.known(talk.id, body.key)
            if known is not None:
                return _sent(known)
        allowance.judge(deployment, who)
        text = (body.text or "").strip() if asked.text else ""
        talk = talk or opening.begin(deployment, who, body.key)
        return _sent(
            runs.start(
                deployment, who.actor, inputs=values, text=text, text_input=asked.text, conversation=talk, key=body.key
            )
        )


class Conversations(ChatView):
    def get(self, request: Request, slug: str) -> Response:
        """The caller's earlier conversations with this agent, the latest first."""
        deployment, who = viewer.agent(slug, caller_of(request))
        return Response([row.wire() for row in history(deployment, who)])

    def post(self, request: Request, slug: str) -> Response:
        """A new conversation; of a flow without inputs it starts the run at once."""
        deployment, who = viewer.agent(slug, caller_of(request))
        body = read(OpenBody, request.data)
        asked = opening.inputs_for(deployment, who)
        if asked.none:
            allowance.judge(deployment, who)
        talk = opening.begin(deployment, who, body.key)
        started = None
        if asked.none:
            started = runs.start(deployment, who.actor, inputs={}, conversation=talk, key=body.key or "open").run
        opened = Opened(conversation=str(talk.id), run=str(started) if started else None)
        return Response(opened.wire(), status=201)


class Frames(ChatView):
    def get(self, request: Request, id: uuid.UUID) -> Response:
        """What changed on the page after `since`; all of it from 0."""
        talk, who = viewer.conversation(id, caller_of(request))
        found = frames.since(talk.id, Eyes(True, who.role), _since(request))
        return Response(found.message().wire())


class Stream(ChatView):
    def get(self, request: Request, id: uuid.UUID) -> Response:
        """The text so far of an answer that streams, by the id of its item."""
        talk, _ = viewer.conversation(id, caller_of(request))
        item = request.query_params.get("item", "")[:200]
        found = RunStream.objects.filter(run__conversation=talk, item=item).first()
        if found is None:
            raise Missing(t("conversation.no_stream"))
        return Response(StreamText(attempt=found.attempt, text=found.text).wire())


class Cancel(ChatView):
    def post(self, request: Request, id: uuid.UUID) -> Response:
        """Stop a run; one that a worker has stops before its next effect."""
        run, who = viewer.run(id, caller_of(request))
        return Response(RunState(status=runs.cancel(run.id, who.actor.name)).wire())


class Queued(ChatView):
    def delete(self, request: Request, id: uuid.UUID) -> Response:
        """Take a queued message back, before its turn."""
        run, _ = viewer.run(id, caller_of(request))
        if not runs.remove_queued(run.id):
            raise Refusal("TURN_BEGUN", t("conversation.turn_begun"), 409)
        return Response(status=204)


def history(deployment: Deployment, who: Viewer) -> list[ConversationRow]:
    """Scoped. Conversations in which something was said."""
    actor = who.actor
    mine = Conversation.objects.filter(deployment=deployment, next_seq__gt=1)
    mine = mine.filter(user_id=actor.user) if actor.user else mine.filter(visitor=actor.visitor).exclude(visitor="")
    found = list(mine.order_by("-last_at")[:HISTORY])
    turns = dict(
        Run.objects.filter(conversation__in=found, status__in=Run.ACTIVE).values_list("conversation_id", "status")
    )
    asked: dict[uuid.UUID, list[tuple[str, bool]]] = {}
    for id, decider, not_starter in Question.objects.filter(conversation__in=found, state="pending").values_list(
        "conversation_id", "decider", "not_starter"
    ):
        asked.setdefault(id, []).append((decider, not_starter))

    def state(id: uuid.UUID) -> TurnState:
        if id not in turns:
            return "idle"
        if not asked.get(id):
            return "working"
        mine = any(decides(decider, not_starter, True, who.role) for decider, not_starter in asked[id])
        return "waiting_you" if mine else "waiting_others"

    return [ConversationRow(id=str(row.id), title=row.title, last_at=row.last_at, state=state(row.id)) for row in found]


def _conversation(
    deployment: Deployment, who: Viewer, body: MessageBody, request: Request
) -> tuple[Conversation | None, Viewer]:
    """The conversation that the message belongs to, None when it begins one, and who the caller is in it."""
    if body.conversation is None:
        id = opening.id_of(deployment, who, body.key)
        return (Conversation.objects.filter(id=id).first() if body.key else None), who
    try:
        id = uuid.UUID(body.conversation)
    except ValueError:
        raise Wrong({"conversation": t("conversation.no_conversation")}) from None
    talk, there = viewer.conversation(id, caller_of(request))
    if talk.deployment_id != deployment.id:
        raise Missing(t("conversation.no_conversation"))
    return talk, there


def _sent(started: runs.Started) -> Response:
    sent = MessageSent(conversation=str(started.conversation), run=str(started.run), queued=started.queued)
    return Response(sent.wire(), status=202)


def _since(request: Request) -> int:
    text = request.query_params.get("since", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
