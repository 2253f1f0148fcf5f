"""Settings → API tokens: which programs use this workspace's agents, and how they do it."""

from __future__ import annotations

import json
import uuid
from typing import Any, cast

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from runtime.models import Deployment
from studio.access import page
from studio.asked import Asked, person
from studio.models import ApiToken
from studio.pages.frame import flash
from studio.programs.tokens import make
from studio.refusal import Missing
from studio.strings import t

DAYS = (30, 90, 365)
NO_END = "0"


def _agents() -> QuerySet[Deployment]:
    return Deployment.objects.filter(workbench=False, version__isnull=False).select_related("version").order_by("name")


def _page(request: Asked, status: int = 200, **more: Any) -> HttpResponse:
    rows = ApiToken.objects.filter(revoked_at=None).select_related("made_by").prefetch_related("agents")
    agents = list(_agents())
    listing = {
        "tokens": rows.order_by("-made_at"),
        "agents": agents,
        "days": [(str(days), t("programs.days", count=days)) for days in DAYS] + [(NO_END, t("programs.no_end"))],
        "now": timezone.now(),
        "address": f"{settings.PUBLIC_URL}/api/v1",
        "example": agents[0].slug if agents else "my-agent",
        "example_body": json.dumps(
            {"inputs": _example(agents[0]) if agents else {"question": "…"}}, ensure_ascii=False
        ),
        "given": {"days": "90", "which": "all", "agents": []},
        "problems": {},
    }
    return render(request, "settings/tokens.html", {**listing, **more}, status=status)


def _example(agent: Deployment) -> dict[str, Any]:
    """An input of each name, so that the command shown needs only its values."""
    document = cast(dict[str, Any], agent.version.document) if agent.version else {}
    return dict.fromkeys(document.get("inputs", []), "")


@page("tokens")
@require_safe
def tokens(request: Asked) -> HttpResponse:
    return _page(request, made=request.session.pop("token", None))


@page("tokens")
@require_POST
def new(request: Asked) -> HttpResponse:
    """A new token. Its text is shown once, on the page that follows: only its hash is kept."""
    sent = request.POST
    name, days, which = sent.get("name", "").strip(), sent.get("days", "90"), sent.get("which", "all")
    picked = [one for one in _agents() if str(one.pk) in sent.getlist("agents")] if which == "some" else None
    problems: dict[str, str] = {}
    if not name:
        problems["name"] = t("programs.name_missing")
    elif len(name) > 80:
        problems["name"] = t("programs.name_long")
    if days not in {*map(str, DAYS), NO_END}:
        problems["days"] = t("field.choose")
    if which == "some" and not picked:
        problems["agents"] = t("programs.agents_missing")
    approves = sent.get("approves") == "on"
    if problems:
        given = {"name": name, "days": days, "which": which, "agents": sent.getlist("agents"), "approves": approves}
        return _page(request, 422, problems=problems, given=given)
    token, text = make(name, by=person(request), days=int(days) or None, agents=picked, approves=approves)
    request.session["token"] = {"text": text, "name": token.name}
    return redirect("/settings/tokens")


@page("tokens")
@require_POST
def revoke(request: Asked, id: uuid.UUID) -> HttpResponse:
    found = ApiToken.objects.filter(Q(pk=id), revoked_at=None).first()
    if found is None:
        raise Missing(t("programs.gone"))
    found.revoked_at = timezone.now()
    found.save(update_fields=["revoked_at"])
    flash(request, t("programs.revoked", name=found.name))
    return redirect("/settings/tokens")
