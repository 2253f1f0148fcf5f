"""Agents, runs, questions and events as programs read them. Scoped: the token's workspace is entered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from flows.models import FlowVersion
from flows.words.label import label
from runtime import events, limits
from runtime.models import Conversation, Deployment, Question, Run, RunEvent
from studio.frames import Eyes, draw
from studio.inputs import inputs_of
from studio.programs.wire import (
    AgentFacts,
    AgentInput,
    AgentLimits,
    AgentOutput,
    Journal,
    RunEventFacts,
    RunFacts,
    RunFault,
    RunQuestion,
    RunStatus,
)
from studio.viewer import paused_words

MOST_EVENTS = 1_000


def agent(deployment: Deployment) -> AgentFacts:
    """A deployment with a live version."""
    assert deployment.version is not None
    document = cast(dict[str, Any], deployment.version.document)
    state: dict[str, dict[str, Any]] = document.get("state", {})
    asked = inputs_of(document)
    inputs = [
        AgentInput(
            name=name, type=state.get(name, {}).get("type", "any"),
            required=name == asked.text or asked.fields[name].required,
            label=label(name), description=state.get(name, {}).get("description", ""),
            default=state.get(name, {}).get("default"),
        )
        for name in document.get("inputs", [])
    ]  # fmt: skip
    outputs = [
        AgentOutput(name=name, type=state.get(name, {}).get("type", "any"),
                    description=state.get(name, {}).get("description", ""))
        for name in document.get("outputs", [])
    ]  # fmt: skip
    return AgentFacts(
        slug=deployment.slug, name=deployment.name, description=document.get("description") or "",
        version=deployment.version.number or 0, inputs=inputs, outputs=outputs,
        paused=paused_words(deployment) if deployment.paused else None, limits=_limits(deployment),
    )  # fmt: skip


def _limits(deployment: Deployment) -> AgentLimits:
    found, day = limits.of(deployment.limits), deployment.cost_ceiling
    return AgentLimits(
        minutes=found.minutes, steps=found.steps, rounds=found.rounds,
        cost=None if found.cost is None else float(found.cost), day=None if day is None else float(day),
    )  # fmt: skip


def documents_of(version: FlowVersion) -> list[dict[str, Any]]:
    """The flow of a version, and every flow that it runs."""
    inner = (version.tree or {}).get("flows", {})
    return [cast(dict[str, Any], version.document), *(each["document"] for each in inner.values())]


def asks_for_a_yes(document: dict[str, Any]) -> bool:
    """Whether a step of the flow waits for somebody's yes."""
    return any(node.get("approval") or node.get("approve") for node in document.get("nodes", []))


def status(run: Run) -> RunStatus:
    """A run that was answered and goes on is running, to whoever watches it."""
    return cast(RunStatus, "running" if run.status == "resumable" else run.status)


def runs(rows: Iterable[Run]) -> list[RunFacts]:
    """Read with deployment, version and conversation."""
    found = list(rows)
    waiting: dict[Any, list[Question]] = {}
    for asked in Question.objects.filter(run__in=found, state="pending").order_by("created_at"):
        waiting.setdefault(asked.run_id, []).append(asked)
    return [_run(run, waiting.get(run.pk, [])) for run in found]


def _run(run: Run, waiting: list[Question]) -> RunFacts:
    error = run.error and RunFault(code=run.error["code"], message=run.error["message"], node=run.error.get("node"))
    return RunFacts(
        id=str(run.pk), agent=run.deployment.slug, version=run.version.number or 0,
        conversation=str(run.conversation_id), status=status(run), inputs=run.inputs, outputs=run.outputs,
        error=error or None, questions=[question(each) for each in waiting], seq=run.conversation.next_seq - 1,
        created_at=run.created_at, started_at=run.started_at, finished_at=run.finished_at,
    )  # fmt: skip


def question(asked: Question) -> RunQuestion:
    """A question as the program sees it: the card when it may decide it, else only that it waits."""
    return RunQuestion(
        id=str(asked.pk), kind=asked.kind, node=asked.node, state=asked.state, decider=asked.decider,  # type: ignore[arg-type]
        expires_at=asked.expires_at, item=draw.question(draw.card_of(asked), str(asked.run_id), Eyes(True), None),
    )  # fmt: skip


def journal(run: Run, after: int, name: str, limit: int = MOST_EVENTS) -> Journal:
    """The run's events behind a cursor, as the program of this name may read them."""
    # The status is read before the events, so that an ended run's last event is among them.
    ended = Run.objects.filter(pk=run.pk, status__in=Run.ENDED).exists()
    own = RunEvent.objects.filter(conversation_id=run.conversation_id, run=run, seq__gt=after)
    rows = own.order_by("seq").values_list("seq", "type", "payload", "at")
    found = [
        RunEventFacts(seq=seq, type=type, at=at, fields=_fields(events.read(type, payload), name))
        for seq, type, payload, at in rows[: limit + 1]
    ]
    more = len(found) > limit
    found = found[:limit]
    return Journal(events=found, next=found[-1].seq if found else after, ended=ended and not more)


def _fields(event: events.AnyEvent, name: str) -> dict[str, Any]:
    """What an event holds, without what steps hand each other and what people decided: a chat shows neither."""
    found = events.payload(event)
    for inner in ("read", "written", "cut"):
        found.pop(inner, None)
    if isinstance(event, events.QuestionClosed) and event.by != name:
        found["shown"] = None
    return found


def conversation(id: Any, visitor: str) -> Conversation | None:
    """A conversation of this token's own."""
    return Conversation.objects.select_related("deployment").filter(id=id, visitor=visitor).first()
