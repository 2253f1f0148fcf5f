"""Deciding over HTTP: one question with all that belongs to it, and the answer to it."""

from __future__ import annotations

import uuid

from django.utils import translation
from rest_framework.request import Request
from rest_framework.response import Response

from runtime import questions
from runtime.models import Question
from runtime.questions import Conflict, NotYours, Refused
from studio import allowance, viewer
from studio.api.chat import ChatView
from studio.api.inbox import detail
from studio.api.json import read
from studio.api.wire import AnswerBody, Decided
from studio.refusal import Missing, Refusal
from studio.strings import t
from studio.viewer import Viewer, caller_of


class OneQuestion(ChatView):
    def get(self, request: Request, id: uuid.UUID) -> Response:
        """The question as the caller may see it, where it comes from, and what its run did so far."""
        question, _, eyes = viewer.question(id, caller_of(request))
        return Response(detail(question, eyes).wire())


class Answer(ChatView):
    def post(self, request: Request, id: uuid.UUID) -> Response:
        """Decide. 409 says how the question stands by now, 422 what is wrong beside each field."""
        question, who, _ = viewer.question(id, caller_of(request))
        return Response(decide(question, who, read(AnswerBody, request.data)).wire())


def decide(question: Question, who: Viewer, body: AnswerBody) -> Decided:
    """What this caller decides about a question. Scoped. Raises Refusal."""
    if question.state == "pending" and question.kind in ("ask", "form") and body.decision == "answer":
        allowance.judge(question.conversation.deployment, who)
    try:
        answered = questions.answer(
            question.id,
            by=who.actor,
            role=who.role,
            digest=body.digest,
            decision=body.decision,
            text=body.text,
            values=body.values,
            reason=body.reason,
            key=body.key,
            language=translation.get_language() or "en",
        )
    except NotYours as refused:
        raise Refusal(refused.code, refused.message, 403) from refused
    except Refused as refused:
        raise Refusal(refused.code, refused.message, 422, fields=refused.fields) from refused
    except Conflict as conflict:
        raise Refusal(conflict.code, conflict.message, 409, state=conflict.state) from conflict
    except Question.DoesNotExist as gone:
        raise Missing(t("conversation.no_question")) from gone
    return Decided(state=answered.state)  # type: ignore[arg-type]
