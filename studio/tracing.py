"""What a run did, step by step, for who may know: read from its events, and from the ledgers of its calls."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from rest_framework.request import Request

from flows.models import FlowVersion
from flows.words import strictjson
from flows.words.label import label
from runtime import cards, events
from runtime.canonical import for_page
from runtime.events import (
    AnyEvent,
    ModelCalled,
    QuestionAsked,
    QuestionClosed,
    RouteTaken,
    RunCancelled,
    RunContinued,
    RunFailed,
    RunLost,
    StepFailed,
    StepFinished,
    StepStarted,
    ToolCalled,
)
from runtime.models import Deployment, ModelCall, Question, Run, RunEvent, ToolCall
from runtime.stepname import named
from studio import viewer
from studio.access import may
from studio.api.wire_runs import (
    ModelAsked,
    PersonAsked,
    StepDetail,
    StepState,
    ToolAsked,
    Trace,
    TraceBegins,
    TraceFault,
    TraceMessage,
    TraceRoute,
    TraceStep,
    TraceText,
    TraceValue,
)
from studio.asked import person
from studio.models import Look, User
from studio.refusal import Missing
from studio.strings import t

LONGEST = 20_000
"""So many characters of one text are shown; a page says how many there are."""
SAME_LOOK = timedelta(minutes=10)
MOST_EVENTS = 50_000


def find(id: uuid.UUID, request: Request) -> Run:
    """A run of this workspace for who may see its trace: whose it is, or who holds the right, whose look is recorded.

    Raises Missing for everybody else: a run of somebody else is not told apart from one that does not exist. Raises
    Locked with the run's conversation.
    """
    run = Run.objects.select_related("deployment", "conversation", "version").filter(id=id).first()
    if run is None:
        raise Missing(t("trace.gone"))
    user = person(request)
    own = run.conversation.user_id == user.pk
    if not own and not may(getattr(request, "role", None), "traces"):
        raise Missing(t("trace.gone"))
    viewer.judge_there(run.deployment, viewer.caller_of(request))
    if not own:
        note(user, run.pk, run.deployment)
    return run


def note(user: User, run: uuid.UUID, deployment: Deployment) -> None:
    """Record that somebody looks into a run of somebody else."""
    if not Look.objects.filter(by=user, run=run, at__gt=timezone.now() - SAME_LOOK).exists():
        Look.objects.create(by=user, run=run, of=deployment.name[:200])


@dataclass
class Visit:
    """A visit of a node, as far as the log was read."""

    address: str
    node: str
    kind: str
    title: str
    at: datetime
    state: StepState = "running"
    ms: float | None = None
    attempts: int = 0
    models: int = 0
    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    demo: bool = False
    route: TraceRoute | None = None
    read: list[TraceValue] = field(default_factory=list)
    written: list[TraceValue] = field(default_factory=list)
    faults: list[TraceFault] = field(default_factory=list)

    def wire(self) -> TraceStep:
        return TraceStep(
            address=self.address, node=self.node, kind=self.kind, title=self.title, state=self.state, ms=self.ms,
            attempts=max(1, self.attempts), at=self.at, models=self.models, calls=self.calls,
            input_tokens=self.input_tokens, output_tokens=self.output_tokens, cost=self.cost, route=self.route,
        )  # fmt: skip


class Visits:
    """A run's log, folded into the visits of its nodes, in the order in which they began.

    unread: how many of its events were left out, because the log is longer than a page can show.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.by_address: dict[str, Visit] = {}
        self.error, self.unread = "", 0
        self._asked: dict[str, str] = {}
        self._kinds = _kinds(run.version)
        own = RunEvent.objects.filter(conversation_id=run.conversation_id, run=run)
        rows = own.order_by("seq").values_list("type", "payload", "at")
        read = 0
        for type, payload, at in rows[:MOST_EVENTS]:
            self._fold(events.read(type, payload), at)
            read += 1
        if read == MOST_EVENTS:
            self.unread = own.count() - read
        if run.status in Run.ENDED:
            last: StepState = "done" if run.status == "done" else "failed"
            for visit in self.by_address.values():
                if visit.state in ("running", "waiting"):
                    visit.state = last

    def _visit(self, address: str, node: str, at: datetime, title: str = "") -> Visit:
        found = self.by_address.get(address)
        if found is None:
            id = node.rpartition("/")[2]
            found = Visit(address, node, self._kinds.get(id, "handler"), title or label(id), at)
            self.by_address[address] = found
        return found

    def _fold(self, event: AnyEvent, at: datetime) -> None:
        match event:
            case StepStarted():
                visit = self._visit(event.address, event.node, at, event.title)
                visit.state, visit.kind = "running", event.kind
                visit.attempts += 1
                if event.read:
                    visit.read = _values(event.read, event.cut)
            case StepFinished():
                visit = self._visit(event.address, event.node, at, event.title)
                visit.state, visit.ms, visit.written = "done", event.ms, _values(event.written, event.cut)
            case StepFailed():
                visit = self._visit(event.address, event.node, at, event.title)
                visit.state = "running" if event.next == "retry" else "failed"
                visit.faults.append(
                    TraceFault(
                        code=event.code, message=event.message, attempt=event.attempt, next=event.next, goto=event.goto
                    )
                )
            case RouteTaken():
                if (visit := self._last(event.node)) is not None:
                    visit.route = TraceRoute(route=event.route, goto=event.goto, limited=event.limited)
            case ModelCalled() | ToolCalled():
                self._count(event)
            case QuestionAsked():
                self._asked[event.question] = event.address
                self._visit(event.address, event.node, at).state = "waiting"
            case QuestionClosed():
                visit = self.by_address.get(self._asked.get(event.question, ""))
                if visit is not None and visit.state == "waiting":
                    visit.state = "declined" if event.state in ("declined", "expired", "withdrawn") else "running"
            case RunFailed():
                self.error = event.message
                self._blame(event)
            case RunCancelled():
                self.error = t("conversation.cancelled_by", name=event.by or t("conversation.somebody"))
            case RunLost():
                self.error = event.message
            case RunContinued():
                self._go_on()
            case _:
                pass

    def _count(self, event: ModelCalled | ToolCalled) -> None:
        # A router has no visit of its own; its calls are those of the step before it.
        visit = self.by_address.get(event.address) or self._last(named(event.address).removesuffix(".route"))
        if visit is None:
            return
        if isinstance(event, ToolCalled):
            visit.calls += 1
            return
        visit.models += 1
        visit.demo = visit.demo or event.demo
        visit.input_tokens = _sum(visit.input_tokens, event.input_tokens)
        visit.output_tokens = _sum(visit.output_tokens, event.output_tokens)
        visit.cost = _sum(visit.cost, event.cost)

    def _blame(self, event: RunFailed) -> None:
        """A failure outside of every attempt, such as a router's, stands at the node before it."""
        visit = self._last(event.node or "")
        if visit is not None and not any(fault.message == event.message for fault in visit.faults):
            visit.state = "failed"
            visit.faults.append(TraceFault(code=event.code, message=event.message, attempt=1, next="end", goto=None))

    def _go_on(self) -> None:
        """The steps in which the run had ended are at work again."""
        self.error = ""
        for visit in self.by_address.values():
            if visit.state == "failed" and visit.faults and visit.faults[-1].next == "end":
                visit.state = "running"

    def _last(self, node: str) -> Visit | None:
        return next((one for one in reversed(self.by_address.values()) if one.node == node), None)


def _kinds(version: FlowVersion) -> dict[str, str]:
    """The kind of each node by its id; where flows inside one another share an id, the outer one's."""
    inner = [each["document"] for each in (version.tree or {}).get("flows", {}).values()]
    documents = [*inner, version.document]
    return {node["id"]: node.get("type", "handler") for each in documents for node in each.get("nodes", [])}


def trace(run: Run) -> Trace:
    """The whole run, without what its steps read and wrote."""
    visits = Visits(run)
    steps = list(visits.by_address.values())
    return Trace(
        run=str(run.pk),
        status=run.status,  # type: ignore[arg-type]
        agent=run.deployment.name,
        version=run.version.number,
        at=run.created_at,
        ms=round(sum(step.ms or 0 for step in steps), 2),
        input_tokens=_total(step.input_tokens for step in steps),
        output_tokens=_total(step.output_tokens for step in steps),
        cost=_total(step.cost for step in steps),
        demo=any(step.demo for step in steps),
        error=visits.error,
        unread=visits.unread,
        begins=_begins(run),
        steps=[step.wire() for step in steps],
    )


def _begins(run: Run) -> TraceBegins | None:
    if not run.begins:
        return None
    return TraceBegins(run=run.begins["run"], address=run.begins["address"], title=label(run.begins["node"]))


def detail(run: Run, address: str) -> StepDetail:
    """One step with everything that is kept of it. Raises Missing."""
    visit = Visits(run).by_address.get(address)
    if visit is None:
        raise Missing(t("trace.no_step"))
    node, _, number = address.rpartition("#")
    places = [address, f"{node}.route#{number}"]
    return StepDetail(
        step=visit.wire(),
        read=visit.read,
        written=visit.written,
        models=[_model(row) for row in ModelCall.objects.filter(run=run, address__in=places).order_by("pk")],
        calls=[_call(row) for row in ToolCall.objects.filter(run=run, address__in=places).order_by("pk")],
        people=[_asked(row) for row in Question.objects.filter(run=run, address=address).order_by("created_at")],
        faults=visit.faults,
    )


def _model(row: ModelCall) -> ModelAsked:
    error = row.error or {}
    return ModelAsked(
        key=row.key, attempt=_attempt(row), state=row.state,  # type: ignore[arg-type]
        entry=row.entry, model=row.model, demo=row.demo,
        messages=[
            TraceMessage(role=str(one.get("role", "")), content=text(one.get("content", ""))) for one in row.messages
        ],
        reply=text(row.reply), error=error.get("message", ""), input_tokens=row.input_tokens,
        output_tokens=row.output_tokens, cost=float(row.cost) if row.cost is not None else None,
        first_token_ms=row.first_token_ms, ms=row.ms,
    )  # fmt: skip


def _call(row: ToolCall) -> ToolAsked:
    request, response, settled = row.request or {}, row.response, row.settled or {}
    return ToolAsked(
        key=row.key, attempt=_attempt(row), unit=row.unit, effect=row.effect,  # type: ignore[arg-type]
        state=row.state,  # type: ignore[arg-type]
        method=str(request.get("method", "")), target=str(request.get("url", ""))[:500],
        status=response.get("status") if response else None,
        request=text({name: value for name, value in request.items() if name not in ("method", "url")}),
        # What an older run was answered may be no longer kept.
        response=text(_body(response)) if response and response.keys() & {"text", "base64"} else None, error=row.error,
        settled=str(settled.get("outcome", "")), ms=row.ms,
    )  # fmt: skip


def _attempt(row: ModelCall | ToolCall) -> int:
    """Which attempt of its step it was made in. The ledgers count on, by hundreds, where the
    flows around it were tried before, or the run went on after its end."""
    return (row.attempt - 1) % 100 + 1


def _body(response: dict[str, Any]) -> Any:
    """What was answered, as data where it is JSON that this product takes; else as it came."""
    body = response.get("text")
    if body is None:
        return {"base64": response.get("base64") or ""}
    try:
        return strictjson.loads(body)
    except strictjson.JsonRefused:
        return body


def _asked(row: Question) -> PersonAsked:
    payload = cards.read(row.payload)
    return PersonAsked(
        question=str(row.pk), kind=row.kind, state=row.state,  # type: ignore[arg-type]
        ask=str(payload.get("ask", "")), by=row.decided_name, reason=row.reason,
        answer=for_page((row.answer or {}).get("value")) if row.state == "answered" else None, at=row.created_at,
    )  # fmt: skip


def text(value: Any) -> TraceText:
    """A text, or any value as JSON over several lines; its beginning where it is long."""
    whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2) if value else ""
    return TraceText(text=whole[:LONGEST], cut=len(whole) if len(whole) > LONGEST else 0)


def _values(values: dict[str, Any], cut: list[str]) -> list[TraceValue]:
    return [TraceValue(name=name, value=for_page(value), cut=name in cut) for name, value in values.items()]


def _sum(known: Any, more: Any) -> Any:
    return known if more is None else (known or 0) + more


def _total(values: Iterable[Any]) -> Any:
    given = [value for value in values if value is not None]
    return sum(given) if given else None
