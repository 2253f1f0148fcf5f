"""The inbox and the decision page. Both are for deciding, so nothing may frame them."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from studio import viewer
from studio.access import may, page
from studio.api import inbox as lists
from studio.api.wire import DecideBoot, InboxBoot
from studio.refusal import SignedOut
from studio.viewer import caller_of


@page("inbox")
@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """`/inbox`, with `?tab=` for a list and `?q=<question>` to have one open."""
    tab = lists.tab_of(request.GET.get("tab"))
    asked = request.GET.get("q", "")
    boot = InboxBoot(
        tab=tab,
        page=lists.page(caller_of(request), tab),
        question=asked if _is_id(asked) else None,
        workspace=request.workspace.name,  # type: ignore[attr-defined]
    )
    get_token(request)
    return render(request, "inbox/inbox.html", {"boot": boot.wire()})


@page("public")
@require_safe
def decide(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """`/decide/<question>`: one question alone, as its viewer may see it."""
    try:
        question, who, eyes = viewer.question(id, caller_of(request))
    except SignedOut:
        return redirect(f"/sign-in?next=/decide/{id}")
    detail = lists.detail(question, eyes)
    boot = DecideBoot(detail=detail, inbox_url="/inbox" if may(who.role, "inbox") else None)
    get_token(request)
    return render(request, "inbox/decide.html", {"boot": boot.wire(), "title": detail.row.title})


def _is_id(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
