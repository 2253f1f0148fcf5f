"""Runs: the list of them, and one with its timeline, step by step."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet, Sum
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from runtime import control
from runtime import runs as verbs
from runtime.models import Deployment, ModelCall, Run
from studio import presence, tracing, viewer
from studio.access import may, page
from studio.api.wire_runs import StepDetail, Trace, TraceStep
from studio.asked import Asked, person
from studio.pages import going_on
from studio.pages.frame import flash
from studio.programs import tokens
from studio.refusal import Forbidden, Missing
from studio.strings import t
from studio.templatetags.studio import money
from studio.viewer import Caller

ROWS = 50
GROUPS: dict[str, tuple[str, ...]] = {
    "working": ("held", "queued", "running", "resumable"),
    "waiting": ("waiting",),
    "failed": ("failed", "lost"),
    "done": ("done",),
    "cancelled": ("cancelled",),
}
HUES = {"done": "ok", "failed": "bad", "lost": "bad", "waiting": "warn", "running": "accent", "resumable": "accent"}
LIVE_SECONDS = 2
STEPS_A_SECOND = 100
"""The page of a run that goes on asks for what is new less often where there is more to draw."""
WIDE = 1_000
"""The width of the timeline in its own units."""


@dataclass(frozen=True)
class Row:
    run: Run
    state: str
    hue: str
    who: str
    took: str
    cost: str
    words: str


@dataclass(frozen=True)
class Bar:
    """A step on the timeline. x, width: of WIDE."""

    step: TraceStep
    x: float
    width: float
    took: str
    here: bool


def mine(request: Asked) -> QuerySet[Run]:
    """The runs that this person may look into: their own, and with the right to traces those of others."""
    found = Run.objects.select_related("deployment", "conversation__user", "version")
    found = found.defer("version__document", "version__units", "inputs", "outputs", "begins", "conversation__history")
    if may(request.role, "traces"):
        return found
    return found.filter(conversation__user=person(request))


@page("flows.view")
@require_safe
def runs(request: Asked) -> HttpResponse:
    found, asked = mine(request), request.GET
    agent = Deployment.objects.filter(slug=asked.get("agent", "")[:80]).first()
    group = asked.get("state", "") if asked.get("state", "") in GROUPS else ""
    found = found.filter(deployment=agent) if agent else found.filter(deployment__workbench=False)
    if group:
        found = found.filter(status__in=GROUPS[group])
    before = _uuid(asked.get("before", ""))
    last = found.filter(pk=before).values_list("created_at", "pk").first() if before else None
    if last is not None:
        found = found.filter(Q(created_at__lt=last[0]) | Q(created_at=last[0], pk__lt=last[1]))
    rows = list(found.order_by("-created_at", "-pk")[: ROWS + 1])
    agents = Deployment.objects.filter(workbench=False).order_by("name")
    return render(
        request,
        "runs/list.html",
        {
            "rows": _rows(rows[:ROWS], viewer.caller_of(request)),
            "next": rows[ROWS - 1].pk if len(rows) > ROWS else None,
            "agent": agent,
            "agents": agents,
            "state": group,
            "states": [(name, t(f"runs.group.{name}")) for name in GROUPS],
            "all_people": may(request.role, "traces"),
            "filtered": bool(agent or group or last),
            "may_go_on": control.counts([agent]).get(agent.pk, 0) if agent and may(request.role, "operate") else 0,
        },
    )


def _rows(found: list[Run], caller: Caller) -> list[Row]:
    programs = tokens.names()
    knows = {run.pk for run in found if viewer.knows_people(run.deployment)}
    # Why a run failed may repeat what was said in it.
    locked = knows if knows and not presence.is_there(caller.session, caller.user) else set()
    costs = dict(
        ModelCall.objects.filter(run__in=found).values_list("run").annotate(cost=Sum("cost")).values_list("run", "cost")
    )
    return [
        Row(
            run, state_of(run), HUES.get(run.status, ""), who_of(run, programs), took(run),
            money(costs.get(run.pk)),
            (run.error or {}).get("message", "") if run.status in GROUPS["failed"] and run.pk not in locked else "",
        )
        for run in found
    ]  # fmt: skip


def state_of(run: Run) -> str:
    return t(f"runs.state.{'running' if run.status == 'resumable' else run.status}")


def who_of(run: Run, programs: Mapping[str, str]) -> str:
    """Whose run it is, as people say it. programs: the names of tokens, by their conversations' mark."""
    talk = run.conversation
    return str(talk.user) if talk.user is not None else programs.get(talk.visitor) or t("conversation.visitor")


def took(run: Run) -> str:
    """From its start to its end, or until now; with the time that people took to answer."""
    if run.started_at is None:
        return ""
    end = run.finished_at or (timezone.now() if run.status in Run.ACTIVE else run.started_at)
    return length(end - run.started_at)


def length(span: timedelta) -> str:
    """A length of time in the two units that say most of it."""
    ms = span / timedelta(milliseconds=1)
    if ms < 1_000:
        return t("time.ms", count=round(ms))
    seconds = round(ms / 1_000, 1 if ms < 10_000 else None)
    if seconds < 60:
        return t("time.s", count=f"{seconds:g}")
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return t("time.min_s", minutes=minutes, seconds=rest)
    return t("time.h_min", hours=minutes // 60, minutes=minutes % 60)


@page("flows.view")
@require_safe
def run(request: Asked, id: uuid.UUID) -> HttpResponse:
    """The run with the timeline of its steps, and the chosen one in full."""
    found = tracing.find(id, request)  # pyright: ignore[reportArgumentType]
    trace = tracing.trace(found)
    addresses = [step.address for step in trace.steps]
    wanted = request.GET.get("step", "")
    chosen = wanted if wanted in addresses else _first(trace)
    detail = tracing.detail(found, chosen) if chosen else None
    own = found.conversation.user_id == person(request).pk
    return render(
        request,
        "runs/run.html",
        {
            "run": found,
            "trace": trace,
            "bars": bars(trace, chosen, found),
            "wide": WIDE,
            "detail": detail,
            "sections": _sections(detail),
            "state": state_of(found),
            "hue": HUES.get(found.status, ""),
            "who": who_of(found, tokens.names()),
            "took": took(found),
            "cost": money(trace.cost),
            "own": own,
            "address": found.started_by.email if found.started_by is not None else "",
            "going_on": going_on.of(request, found),
            "worked": length(timedelta(seconds=found.worked)) if found.worked else "",
            "live": 0 if found.status in Run.ENDED else LIVE_SECONDS + len(trace.steps) // STEPS_A_SECOND,
            "may_stop": found.status in (*Run.ACTIVE, "held") and (own or may(request.role, "operate")),
        },
    )


def _first(trace: Trace) -> str:
    """What somebody wants to see first: the step that went wrong, else one that waits, else the last."""
    for state in ("failed", "waiting", "running"):
        for step in trace.steps:
            if step.state == state:
                return step.address
    return trace.steps[-1].address if trace.steps else ""


def bars(trace: Trace, chosen: str, run: Run) -> list[Bar]:
    """Where each step stands between the start of the run and its end."""
    if not trace.steps:
        return []
    begin = trace.steps[0].at
    ends = [_end(step, run) for step in trace.steps]
    whole = max((max(ends) - begin) / timedelta(milliseconds=1), 1.0)

    def bar(step: TraceStep, end: datetime) -> Bar:
        x = (step.at - begin) / timedelta(milliseconds=1) / whole * WIDE
        width = max((end - step.at) / timedelta(milliseconds=1) / whole * WIDE, 6.0)
        ms = "" if step.ms is None else length(timedelta(milliseconds=step.ms))
        return Bar(step, round(min(x, WIDE - 6), 1), round(min(width, WIDE - x), 1), ms, step.address == chosen)

    return [bar(step, end) for step, end in zip(trace.steps, ends, strict=True)]


def _end(step: TraceStep, run: Run) -> datetime:
    if step.ms is not None:
        return step.at + timedelta(milliseconds=step.ms)
    return run.finished_at or timezone.now()


def _sections(detail: StepDetail | None) -> dict[str, Any]:
    """What the template lists of a step, with the sentences that names stand for."""
    if detail is None:
        return {}
    return {
        "models": [(one, _spent(one.input_tokens, one.output_tokens, one.cost, one.ms)) for one in detail.models],
        "calls": [
            (one, t(f"trace.call.{one.state}"), t(f"trace.effect.{one.effect}"), _time(one.ms)) for one in detail.calls
        ],
        "people": [(one, _asked(one.state, one.by)) for one in detail.people],
        "faults": [(one, _after(one.next, one.goto)) for one in detail.faults],
    }


def _spent(read: int | None, written: int | None, cost: float | None, ms: float | None) -> str:
    tokens = t("trace.tokens", **{"in": f"{read or 0:,}", "out": f"{written or 0:,}"}) if read or written else ""
    return _line([tokens, money(cost), _time(ms)])


def _time(ms: float | None) -> str:
    return "" if ms is None else length(timedelta(milliseconds=ms))


def _line(parts: Iterable[str]) -> str:
    return " · ".join(part for part in parts if part)


def _asked(state: str, by: str) -> str:
    words = t(f"trace.asked.{state}")
    return t("trace.askedBy", state=words, name=by) if by else words


def _after(following: str, goto: str | None) -> str:
    if following == "onError":
        return t("trace.faultOnError", node=goto or "")
    return t({"retry": "trace.faultRetry", "skip": "trace.faultSkip"}.get(following, "trace.faultEnd"))


@page("flows.view")
@require_POST
def stop(request: Asked, id: uuid.UUID) -> HttpResponse:
    """Ends a run, for whose it is and for operators."""
    found = tracing.find(id, request)  # pyright: ignore[reportArgumentType]
    if found.conversation.user_id != person(request).pk and not may(request.role, "operate"):
        raise Forbidden
    status = verbs.cancel(found.pk, str(person(request)))
    flash(request, t("runs.stopping" if status == "running" else "runs.stopped"))
    return redirect(f"/runs/{id}")


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text) if text else None
    except ValueError:
        raise Missing(t("trace.gone")) from None
