"""Runs that ended badly, let go on at a word: one from its page, or all of an agent."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from runtime import control
from runtime.control import NotContinued
from runtime.events import RunContinued
from runtime.models import Run, RunEvent
from studio import tracing
from studio.access import may, page
from studio.asked import Asked, person
from studio.pages.agents import find
from studio.pages.frame import flash
from studio.refusal import Forbidden
from studio.strings import t


@dataclass(frozen=True)
class GoingOn:
    """What the page of a run says of it. may: this person may let it go on. why_not: why nobody may, in words."""

    may: bool = False
    why_not: str = ""
    earlier: tuple[tuple[str, datetime], ...] = ()


def may_let(request: Asked, run: Run) -> bool:
    """Operators let runs go on; what somebody tries on a draft they do themselves."""
    own = run.conversation.user_id == person(request).pk
    return may(request.role, "operate") or (own and run.deployment.workbench and may(request.role, "flows.edit"))


def of(request: Asked, run: Run) -> GoingOn:
    earlier = tuple(_earlier(run)) if run.continued else ()
    if run.status not in control.ENDED_BADLY or not may_let(request, run):
        return GoingOn(earlier=earlier)
    refused = control.may_go_on(run)
    return GoingOn(refused is None, refused.message if refused else "", earlier)


def _earlier(run: Run) -> Iterable[tuple[str, datetime]]:
    own = RunEvent.objects.filter(conversation_id=run.conversation_id, run=run, type="run_continued").order_by("seq")
    for payload, at in own.values_list("payload", "at"):
        yield RunContinued.model_validate(payload).by, at


@page("flows.view")
@require_POST
def run(request: Asked, id: uuid.UUID) -> HttpResponse:
    """Lets a run go on at the step at which it ended."""
    found = tracing.find(id, request)  # pyright: ignore[reportArgumentType]
    if not may_let(request, found):
        raise Forbidden
    try:
        control.let_go_on(found.pk, str(person(request)))
        flash(request, t("runs.continued"))
    except NotContinued as refused:
        flash(request, refused.message, bad=True)
    return redirect(f"/runs/{id}")


@page("operate")
@require_POST
def agent(request: Asked, slug: str) -> HttpResponse:
    """Lets all runs of the agent go on that ended badly."""
    found = find(slug)
    try:
        came = control.let_all_go_on(found, str(person(request)))
    except NotContinued as refused:
        flash(request, refused.message, bad=True)
        return redirect(f"/runs?state=failed&agent={slug}")
    words = [t("runs.continued_all", count=came.count)] if came.count else [t("runs.continued_none")]
    if came.refused:
        words.append(t("runs.continued_not", count=sum(came.refused.values())))
    if came.left:
        words.append(t("runs.continued_left", count=came.left))
    flash(request, " ".join(words), bad=not came.count)
    return redirect(f"/runs?agent={slug}")
