"""The page of one code unit: its description, its code, and writing it."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from flows.models import Flow
from runtime.units.shelf import Shelved
from studio import publishing, shelving
from studio.access import may, page
from studio.api.flows import described
from studio.api.wire_units import LARGEST_CODE
from studio.asked import Asked
from studio.drafts import find
from studio.pages.frame import flash
from studio.refusal import Missing, Refusal
from studio.strings import t


@page("flows.view", POST="flows.edit")
@require_http_methods(["GET", "POST"])
def unit(request: Asked, id: uuid.UUID, kind: str, name: str) -> HttpResponse:
    flow = find(id)
    one = shelving.unit_of(flow, kind, name)
    here = f"/flows/{flow.pk}/units/{kind}/{name}"
    if request.method == "GET":
        return _show(request, flow, one)
    code = request.POST.get("code", "").replace("\r\n", "\n")
    if request.POST.get("act") == "generate":
        try:
            one = shelving.generate(flow, kind, name, yes=request.POST.get("yes") == "1")
        except Missing:
            raise
        except Refusal as refusal:
            return _show(request, flow, one, problem=refusal.message, status=refusal.status)
        wrong = one.reason if one.state == "refused" else turned_down(one)
        flash(request, wrong or t("units.generated"), bad=bool(wrong))
        return redirect(here)
    if len(code) > LARGEST_CODE or "\x00" in code:
        problem = t("field.too_long", count=f"{LARGEST_CODE:,}")
        return _show(request, flow, one, code=code, problem=problem, status=422)
    try:
        saved = shelving.save(flow, kind, name, code, request.POST.get("was", ""))
    except Missing:
        raise
    except Refusal as refusal:
        one = shelving.unit_of(flow, kind, name)
        return _show(request, flow, one, code=code, problem=refusal.message, status=refusal.status)
    if saved.state == "refused":
        return _show(request, flow, saved, code=code, status=422)
    flash(request, t("units.saved"))
    return redirect(here)


def turned_down(one: Shelved) -> str:
    """Why the code that was generated last was not taken, in a sentence; "" when it was."""
    return t("units.turned_down", why=one.turned_down) if one.turned_down else ""


def _show(
    request: Asked, flow: Flow, one: Shelved, *, code: str | None = None, problem: str = "", status: int = 200
) -> HttpResponse:
    words = {
        "flow": flow, "unit": one, "code": one.code if code is None else code, "description": described(one),
        "problem": problem, "turned_down": turned_down(one), "was": shelving.mark(one),
        "edits": may(request.role, "flows.edit"),
    }  # fmt: skip
    return render(request, "units/unit.html", words, status=status)


@page("flows.edit")
@require_POST
def write_all(request: Asked, id: uuid.UUID) -> HttpResponse:
    """Writes the next missing, stale or refused unit with the model; what a person wrote stays.

    One request, one unit: the page's script asks for them one after the other (data-write), and without it each press
    writes one more. Units that were tried just now come last, so that one that cannot be written stops no other.
    """
    flow = find(id)
    back = f"/flows/{flow.pk}/publish" if request.POST.get("then") == "publish" else f"/flows/{flow.pk}"
    open_ones = [one for one in publishing.readiness(flow).blocked if one.origin != "edited"]
    tried = request.session.get("tried", [])
    one = min(open_ones, key=lambda one: tried.index(one.id) if one.id in tried else -1, default=None)
    if one is None:
        flash(request, t("units.all_written"))
        return redirect(back)
    request.session["tried"] = [*(id for id in tried if id != one.id), one.id][-200:]
    try:
        made = shelving.generate(flow, one.kind, one.name)
    except Refusal as refusal:
        flash(request, refusal.message, bad=True)
        return redirect(back)
    left = len(open_ones) - made.runs
    words = t("units.one_written", name=one.name) if made.runs else made.reason or turned_down(made)
    flash(request, f"{words} {t('units.left', count=left)}" if left else words, bad=not made.runs)
    return redirect(back)
