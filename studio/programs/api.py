"""The endpoints for programs: start a run, follow it, answer what it asks, stop it, read what happened."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from runtime import runs
from runtime.files.giving import Giver
from runtime.models import Deployment, Question, Run
from studio import allowance, opening
from studio.access import right_of
from studio.api.json import read
from studio.api.questions import decide
from studio.inputs import Inputs
from studio.models import ApiToken
from studio.programs import facts
from studio.programs.following import Following
from studio.programs.tokens import Bearer, viewer_of
from studio.programs.wire import (
    AgentFacts,
    AgentList,
    AnswerBody,
    Cancelled,
    Decided,
    Fault,
    Journal,
    RunBody,
    RunFacts,
    RunList,
    RunQuestion,
)
from studio.refusal import Missing, Refusal, Wrong
from studio.strings import t
from studio.viewer import Viewer

ROWS = 50
_AFTER = OpenApiParameter("after", int, description="A cursor: only events with a higher number.")


class ProgramView(APIView):
    """Whoever shows a token gets in; each endpoint looks among what that token may use."""

    right = "public"
    authentication_classes = [Bearer]

    def perform_authentication(self, request: Request) -> None:
        """What no endpoint takes is refused as that, whoever sends it."""
        right_of(self, request.method or "GET")
        super().perform_authentication(request)

    @property
    def token(self) -> ApiToken:
        return cast(Any, self.request).auth

    @property
    def who(self) -> Viewer:
        return viewer_of(self.token)

    def agents(self) -> QuerySet[Deployment]:
        """The live agents that this token may use. A draft's workbench is none."""
        found = Deployment.objects.select_related("version", "flow").filter(workbench=False, version__isnull=False)
        return found if self.token.every_agent else found.filter(pk__in=self.token.agents.values("pk"))

    def agent(self, slug: str) -> Deployment:
        found = self.agents().filter(slug=slug).first()
        if found is None:
            raise Missing(t("programs.no_agent"))
        return found

    def runs(self) -> QuerySet[Run]:
        """The runs that this token started, of agents that it still may use."""
        mine = Run.objects.filter(conversation__visitor=self.who.actor.visitor, deployment__in=self.agents())
        return mine.select_related("deployment", "version", "conversation")

    def run(self, id: uuid.UUID) -> Run:
        found = self.runs().filter(pk=id).first()
        if found is None:
            raise Missing(t("programs.no_run"))
        return found


class Agents(ProgramView):
    @extend_schema(operation_id="listAgents", responses={200: AgentList, 401: Fault})
    def get(self, request: Request) -> Response:
        """The agents that this token may use."""
        return Response(AgentList(agents=[facts.agent(one) for one in self.agents().order_by("slug")]).wire())


class Agent(ProgramView):
    @extend_schema(operation_id="getAgent", responses={200: AgentFacts, 404: Fault})
    def get(self, request: Request, slug: str) -> Response:
        """An agent with what it takes and what it gives back."""
        return Response(facts.agent(self.agent(slug)).wire())


class AgentRuns(ProgramView):
    @extend_schema(
        operation_id="startRun", request=RunBody,
        responses={202: RunFacts, 404: Fault, 409: Fault, 422: Fault, 429: Fault},
        parameters=[OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, description="As `key`.")],
    )  # fmt: skip
    def post(self, request: Request, slug: str) -> Response:
        """Start a run; in a conversation with an unfinished one it waits its turn."""
        deployment, who = self.agent(slug), self.who
        body = read(RunBody, request.data)
        if not body.key and request.headers.get("Idempotency-Key"):
            body = read(RunBody, {**body.wire(), "key": request.headers["Idempotency-Key"]})
        asked = opening.inputs_for(deployment, who)
        _judge(deployment, self.token)
        talk = None
        if body.conversation is not None:
            talk = facts.conversation(_uuid(body.conversation, "conversation.no_conversation"), who.actor.visitor)
            if talk is None or talk.deployment_id != deployment.pk:
                raise Missing(t("conversation.no_conversation"))
        giver = Giver(deployment.pk, who.actor, talk.pk if talk is not None else None)
        text, values = _values(asked, body.inputs, giver)
        talk_id = talk.pk if talk is not None else opening.id_of(deployment, who, body.key)
        known = runs.known(talk_id, body.key)
        if known is None:
            allowance.judge(deployment, who)
            known = runs.start(
                deployment, who.actor, inputs=values, text=text, text_input=asked.text,
                conversation=talk or opening.begin(deployment, who, body.key), key=body.key,
            )  # fmt: skip
        return Response(facts.runs([self.run(known.run)])[0].wire(), status=202)


class Runs(ProgramView):
    @extend_schema(
        operation_id="listRuns", responses={200: RunList},
        parameters=[
            OpenApiParameter("agent", str, description="Only this agent's."),
            OpenApiParameter("status", str, description="Only runs of this status."),
            OpenApiParameter("before", str, description="What `next` said on the page before."),
        ],
    )  # fmt: skip
    def get(self, request: Request) -> Response:
        """The runs that this token started, the latest first."""
        found = self.runs()
        asked = request.query_params
        if asked.get("agent"):
            found = found.filter(deployment__slug=asked["agent"])
        if asked.get("status"):
            wanted = ["running", "resumable"] if asked["status"] == "running" else [asked["status"]]
            found = found.filter(status__in=wanted)
        return Response(_page(found, request).wire())


class OneRun(ProgramView):
    @extend_schema(operation_id="getRun", responses={200: RunFacts, 404: Fault})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        """A run: how far it is, what it waits for, what it gave back, or why it failed."""
        return Response(facts.runs([self.run(id)])[0].wire())


class Events(ProgramView):
    @extend_schema(operation_id="listEvents", parameters=[_AFTER], responses={200: Journal, 404: Fault})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        """What happened in a run, behind a cursor."""
        return Response(facts.journal(self.run(id), _after(request), self.token.name).wire())


class Stream(ProgramView):
    @extend_schema(
        operation_id="streamRun", parameters=[_AFTER], responses={(200, "text/event-stream"): str, 404: Fault},
    )  # fmt: skip
    def get(self, request: Request, id: uuid.UUID) -> HttpResponse:
        """What happens in a run, as server-sent events, until it has ended.

        Each event has its type, its number as id, and as JSON what GET events says of it. `delta` carries words of an
        answer while it is written, `ping` nothing, `end` the run as it stands; after it the stream closes. Words of a
        higher attempt replace those before; answer_withdrawn says that there was no answer in them. A broken stream
        goes on behind the last id, by the header Last-Event-ID or by ?after.
        """
        return Following(self.run(id), self.token, _after(request))


class Cancel(ProgramView):
    @extend_schema(operation_id="cancelRun", request=None, responses={200: Cancelled, 404: Fault})
    def post(self, request: Request, id: uuid.UUID) -> Response:
        """Stop a run."""
        found = self.run(id)
        runs.cancel(found.pk, self.token.name)
        found.refresh_from_db(fields=["status"])
        return Response(Cancelled(status=facts.status(found)).wire())


class QuestionView(ProgramView):
    def question(self, id: uuid.UUID) -> Question:
        found = Question.objects.select_related("conversation__deployment", "run").filter(
            pk=id, run__in=self.runs().values("pk")
        )
        question = found.first()
        if question is None:
            raise Missing(t("conversation.no_question"))
        return question


class OneQuestion(QuestionView):
    @extend_schema(operation_id="getQuestion", responses={200: RunQuestion, 404: Fault})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        """A question of one of this token's runs."""
        return Response(facts.question(self.question(id)).wire())


class Answer(QuestionView):
    @extend_schema(
        operation_id="answerQuestion", request=AnswerBody,
        responses={200: Decided, 403: Fault, 404: Fault, 409: Fault, 422: Fault},
    )  # fmt: skip
    def post(self, request: Request, id: uuid.UUID) -> Response:
        """Answer a question: text for an ask, values for a form, yes or no for an approval where the token may."""
        question = self.question(id)
        body = read(AnswerBody, request.data)
        if question.kind in ("approval", "outcome") and body.decision != "withdraw" and not self.token.approves:
            raise Refusal("TOKEN_MAY_NOT_APPROVE", t("programs.may_not_approve"), 403)
        return Response(decide(question, self.who, body).wire())


def _judge(deployment: Deployment, token: ApiToken) -> None:
    """Raises Refusal for an agent whose runs could not come to an end when a program starts them."""
    assert deployment.version is not None
    documents = facts.documents_of(deployment.version)
    if deployment.known_people:
        raise Refusal("PERSON_REQUIRED", t("programs.person_required", name=deployment.name), 409)
    if deployment.deciders == "starter" and not token.approves and any(map(facts.asks_for_a_yes, documents)):
        raise Refusal("NOBODY_DECIDES", t("programs.nobody_decides", name=deployment.name), 409)


def _values(asked: Inputs, given: dict[str, Any], giver: Giver) -> tuple[str, dict[str, Any]]:
    """The message, and all inputs by name. Raises Wrong."""
    rest = {name: value for name, value in given.items() if name != asked.text}
    text = given.get(asked.text) if asked.text is not None else ""
    if text is not None and not isinstance(text, str):
        raise Wrong({str(asked.text): t("refusal.field_text")})
    try:
        values = asked.check(text, rest, giver)
    except Wrong as wrong:
        # A program knows the message by the input's own name.
        fields = {asked.text or "text" if name == "text" else name: words for name, words in wrong.fields.items()}
        raise Wrong(fields) from None
    return (text or "").strip(), values


def _page(found: QuerySet[Run], request: Request) -> RunList:
    before = request.query_params.get("before")
    if before:
        last = found.filter(pk=_uuid(before)).values_list("created_at", "pk").first()
        if last is None:
            raise Missing(t("programs.no_run"))
        found = found.filter(created_at__lt=last[0]) | found.filter(created_at=last[0], pk__lt=last[1])
    rows = list(found.order_by("-created_at", "-pk")[: ROWS + 1])
    return RunList(runs=facts.runs(rows[:ROWS]), next=str(rows[ROWS - 1].pk) if len(rows) > ROWS else None)


def _uuid(text: str, missing: str = "programs.no_run") -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise Missing(t(missing)) from None


def _after(request: Request) -> int:
    text = request.query_params.get("after") or request.headers.get("Last-Event-ID") or "0"
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise Wrong({"after": t("programs.after_wrong")})
    return int(text)
