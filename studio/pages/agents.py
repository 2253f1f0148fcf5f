"""The deployed agents, and what an operator sets of each."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings as django_settings
from django.db import transaction
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from flows.models import FlowVersion
from flows.pinned import whole_version
from flows.words.document import Document
from runtime import control, health
from runtime.health import Health
from runtime.models import Deployment, Publication
from studio import known, presence, publishing, terms, viewer
from studio.access import may, page
from studio.asked import Asked, person
from studio.pages.frame import flash
from studio.refusal import Missing, Refusal
from studio.strings import t
from studio.terms import Terms

STATES = {"live": "ok", "failing": "bad", "paused": "warn", "waiting": "warn", "empty": ""}


@dataclass(frozen=True)
class Row:
    """An agent in the list. health: how it is doing, for whoever may see its settings. may_go_on: so many of its runs
    that ended badly, for whoever may let them. nobody: it answers only listed people, and none is."""

    agent: Deployment
    state: str
    hue: str
    about: str
    health: Health
    may_go_on: int = 0
    nobody: bool = False


def state_of(agent: Deployment) -> str:
    return "paused" if agent.paused else "live" if agent.version_id else "empty"


def link_of(agent: Deployment) -> str:
    """The address to hand out: an open link carries its token."""
    address = f"{django_settings.PUBLIC_URL}/a/{agent.slug}"
    opens = agent.access == "link" and not agent.known_people
    return f"{address}?k={agent.link_token}" if opens else address


@page("chat")
@require_safe
def agents(request: Asked) -> HttpResponse:
    """All agents for whoever sees their settings; for everybody else those they may chat with."""
    agents = Deployment.objects.filter(workbench=False).select_related("version", "flow").order_by("name")
    agents = agents.defer("version__units", "flow__draft")
    if not may(request.role, "agents.view"):
        mine = Q(access__in=("workspace", "link")) | Q(access="listed", people=person(request))
        agents = agents.filter(mine, version__isnull=False).distinct()
    shown = list(agents)
    found = health.of(shown) if may(request.role, "agents.view") else {}
    failed = (
        [agent for agent in shown if found.get(agent.pk, Health()).failures] if may(request.role, "operate") else []
    )
    going = control.counts(failed)
    knows = {agent.pk for agent in shown if viewer.knows_people(agent)} & found.keys()
    if knows and not presence.is_there(request.session.session_key or "", person(request)):
        # Why a run failed may repeat what was said in it.
        found |= {id: replace(found[id], words="") for id in knows}
    nobody = known.answer_nobody(shown)
    rows = [_row(agent, found.get(agent.pk, Health()), going.get(agent.pk, 0), agent.pk in nobody) for agent in shown]
    unattended = bool(found) and health.unattended()
    return render(request, "agents/list.html", {"rows": rows, "unattended": unattended})


def _row(agent: Deployment, found: Health, may_go_on: int, nobody: bool) -> Row:
    state = state_of(agent)
    if state == "live":
        state = "failing" if found.failing else "waiting" if found.waits else state
    return Row(agent, state, STATES[state], _about(agent), found, may_go_on, nobody)


def _about(agent: Deployment) -> str:
    words = agent.version.document.get("description", "") if agent.version else ""
    return words if isinstance(words, str) else ""


def find(slug: str) -> Deployment:
    """The agent of this workspace. Raises Missing; a workbench is none."""
    agents = Deployment.objects.filter(workbench=False).select_related("version", "flow", "model_entry")
    found = agents.filter(slug=slug).first()
    if found is None:
        raise Missing(t("agents.gone"))
    return found


@page("agents.view", POST="agents.change")
@require_http_methods(["GET", "POST"])
def settings(request: Asked, slug: str) -> HttpResponse:
    agent = find(slug)
    if request.method == "GET":
        return _show(request, agent)
    document, operate = _document(agent), may(request.role, "operate")
    wanted = terms.read(request.POST, terms.of(agent, document), document, operate=operate)
    name = request.POST.get("name", "").strip()
    if not name or len(name) > 120:
        wanted.problems["name"] = t("field.too_long", count=120) if name else t("publish.name_missing")
    if wanted.problems:
        agent.refresh_from_db()
        return _show(request, agent, wanted, status=422, name=name)
    with transaction.atomic():
        agent.name = name
        terms.write(wanted, agent, operate=operate, also=["name"])
    flash(request, t("page.saved"))
    return redirect(f"/agents/{agent.slug}/settings")


def _document(agent: Deployment) -> Document | None:
    return whole_version(agent.version) if agent.version else None


def _show(
    request: Asked, agent: Deployment, wanted: Terms | None = None, *, status: int = 200, **more: Any
) -> HttpResponse:
    """The page with its terms as they stand, or as they were typed."""
    from studio.pages.publish import choices

    document = _document(agent)
    words = {
        "agent": agent, "terms": wanted or terms.of(agent, document), "link": link_of(agent), "name": agent.name,
        "nobody": bool(known.answer_nobody([agent])),
        **choices(may(request.role, "operate"), document), **_history(agent), **more,
    }  # fmt: skip
    return render(request, "agents/settings.html", words, status=status)


def _history(agent: Deployment) -> dict[str, Any]:
    rows = Publication.objects.filter(deployment=agent).select_related("version", "by").order_by("-at", "-pk")[:30]
    state = state_of(agent)
    return {"history": rows, "waiting": publishing.waiting(agent), "state": state, "hue": STATES[state]}


@page("agents.change")
@require_POST
def renew_link(request: Asked, slug: str) -> HttpResponse:
    agent = find(slug)
    publishing.renew_link(agent)
    flash(request, t("agents.link_renewed"))
    return redirect(f"/agents/{slug}/settings")


@page("agents.change")
@require_POST
def pause(request: Asked, slug: str) -> HttpResponse:
    """Pauses with a sentence for the people who chat, or lets the agent go on."""
    agent = find(slug)
    if request.POST.get("resume") == "1":
        publishing.resume(agent)
        flash(request, t("agents.resumed", name=agent.name))
    else:
        publishing.pause(agent, request.POST.get("words", ""))
        flash(request, t("agents.paused", name=agent.name))
    return redirect(f"/agents/{slug}/settings")


@page("publish")
@require_POST
def make_live(request: Asked, slug: str) -> HttpResponse:
    agent = find(slug)
    try:
        wanted = uuid.UUID(request.POST.get("version", ""))
    except ValueError as wrong:
        raise Missing(t("agents.never_live")) from wrong
    version = FlowVersion.objects.filter(pk=wanted, flow_id=agent.flow_id).first()
    if version is None:
        raise Refusal("NEVER_LIVE", t("agents.never_live"), 404)
    try:
        publishing.make_live(agent, version, person(request), own_yes=request.POST.get("own_yes") == "1")
    except Refusal as refusal:
        if refusal.code == "KNOWN_PEOPLE_ONLY":
            return _show(request, agent, status=409, not_live=refusal.message)
        if refusal.code != "OWN_YES_MISSING":
            raise
        return _show(request, agent, status=409, confirm=version, confirm_problem=refusal.message)
    flash(request, t("agents.live_again", number=version.number))
    return redirect(f"/agents/{slug}/settings")
