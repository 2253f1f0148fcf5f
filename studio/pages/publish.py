"""Publish: what changes, where it goes, on which terms; and the page that follows."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from flows.edits.lines import ChangeLine
from flows.models import Flow, FlowVersion
from flows.store import Seen
from flows.words.document import Document
from runtime.models import Deployment, ModelEntry
from studio import known, presence, publishing, shelving, terms, versions
from studio.access import may, page
from studio.asked import Asked, person
from studio.drafts import find
from studio.models import Membership
from studio.pages.agents import find as find_agent
from studio.pages.agents import link_of
from studio.publishing import Readiness
from studio.refusal import Refusal
from studio.strings import t

# Beside which field a refusal stands; any other beside the note.
_PLACES = {"SLUG_TAKEN": "slug", "KNOWN_PEOPLE_ONLY": "access"}


@page("publish")
@require_http_methods(["GET", "POST"])
def publish(request: Asked, id: uuid.UUID) -> HttpResponse:
    flow = find(id)
    ready = publishing.readiness(flow)
    agents = publishing.deployments(flow)
    target = _target(request, agents)
    operate = may(request.role, "operate")
    wanted = terms.of(target or publishing.workbench(flow), ready.whole)
    if target is None:
        wanted.access, wanted.people = "workspace", []
    words: dict[str, Any] = {
        "flow": flow, "ready": ready, "deployments": agents, "target": target, "terms": wanted,
        "changes": _changes(flow, ready, target), "diffs": _diffs(ready, target), "name": flow.name,
        "waits": versions.waits(target) if target else [],
        "slug": publishing.free_slug(flow.name), "note": "", **choices(operate, ready.whole),
    }  # fmt: skip
    if request.method == "GET":
        return render(request, "publish/publish.html", words)
    terms.read(request.POST, wanted, ready.whole, operate=operate)
    words |= {name: request.POST.get(name, "").strip() for name in ("name", "slug", "note")}
    if target is None:
        wanted.problems |= publishing.judge_address(words["slug"], words["name"])
    words["keep_edited"] = request.POST.get("keep_edited") == "1"
    if _seen(request) != ready.seen:
        return _changed(request, flow, words)
    if ready.asks and not words["keep_edited"]:
        wanted.problems["keep_edited"] = t("publish.keep_edited_missing")
    if not ready.ready or wanted.problems:
        return render(request, "publish/publish.html", words, status=422 if wanted.problems else 409)
    try:
        live = publishing.publish(
            flow, ready, wanted, person(request),
            deployment=target, slug=words["slug"], name=words["name"], note=words["note"], operate=operate,
        )  # fmt: skip
    except Refusal as refusal:
        if refusal.code == "VERSION_CHANGED":
            flow = find(id)
            ready = publishing.readiness(flow)
            words |= {"flow": flow, "ready": ready}
            words |= {"changes": _changes(flow, ready, target), "diffs": _diffs(ready, target)}
            return _changed(request, flow, words)
        wanted.problems[_PLACES.get(refusal.code, "note")] = refusal.message
        return render(request, "publish/publish.html", words, status=refusal.status)
    return redirect(f"/agents/{live.slug}/published")


def _seen(request: Asked) -> Seen | None:
    """The draft and code that the page showed when the form was opened."""
    revision = request.POST.get("revision", "")
    if not (revision.isascii() and revision.isdigit() and len(revision) < 12):
        return None
    return Seen(int(revision), request.POST.get("units_sha", ""))


def _changed(request: Asked, flow: Flow, words: dict[str, Any]) -> HttpResponse:
    """Shows what would go live by now, with everything that was typed; a yes to older code is asked for again."""
    by = flow.updated_by.name if flow.updated_by else t("flows.somebody")
    words |= {"keep_edited": False, "changed": t("publish.changed_meanwhile", by=by)}
    return render(request, "publish/publish.html", words, status=409)


def _target(request: Asked, known: list[Deployment]) -> Deployment | None:
    """The agent named by ?to= or the form; the newest one when nothing is said; None for a new one."""
    wanted = request.POST.get("to") or request.GET.get("to") or ""
    if wanted == "new":
        return None
    return next((one for one in known if one.slug == wanted), known[0] if known else None)


def _changes(flow: Flow, ready: Readiness, target: Deployment | None) -> list[ChangeLine]:
    """Against what is live there; for a new agent, the steps and tools that go live for the first time."""
    if ready.checked.flow is None:
        return []
    live: FlowVersion | None = target.version if target else None
    if live is None:
        return versions.parts(flow)
    return versions.since(live, flow)


def _diffs(ready: Readiness, target: Deployment | None) -> list[dict[str, Any]]:
    """Code that is not what is live there, line by line."""
    if target is None or target.version is None:
        return []
    found = []
    for one in ready.units:
        old = target.version.units.get(one.id, "")
        if one.code and old and one.code.strip() != old.strip():
            lines = shelving.diff(old, one.code)
            added, gone = (sum(line.sign == sign for line in lines) for sign in "+-")
            found.append({"name": one.name, "lines": lines, "added": added, "gone": gone})
    return found


def choices(operate: bool, document: Document | None) -> dict[str, Any]:
    """What the form of terms chooses from."""
    return {
        "operate": operate,
        "approvals": document is None or terms.has_approvals(document),
        "people": Membership.objects.select_related("user").order_by("user__name"),
        "minutes": presence.minutes(),
        "entries": list(ModelEntry.objects.order_by("demo", "name")),
    }


@page("publish")
@require_safe
def published(request: Asked, slug: str) -> HttpResponse:
    agent = find_agent(slug)
    if agent.version is None:
        raise Refusal("NOT_LIVE", t("agents.not_live"), 404)
    nobody = bool(known.answer_nobody([agent]))
    return render(request, "publish/published.html", {"agent": agent, "link": link_of(agent), "nobody": nobody})
