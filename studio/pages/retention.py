"""Settings → What is kept: for how many days, and what goes at once when that becomes less."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from runtime import retention, rounds
from runtime.models import Conversation, Retention, Run, StoredFile
from runtime.retention import Days
from studio.access import page
from studio.asked import Asked, person
from studio.pages.frame import flash
from studio.strings import t

CHOICES = (1, 3, 7, 14, 30, 90, 180, 365, 730, 1825)
EVER = "ever"


@dataclass(frozen=True)
class Row:
    """One thing that is kept: how long, and how many there are."""

    name: str
    label: str
    help: str
    chosen: str
    choices: list[tuple[str, str]]
    kept: str
    error: str


@page("operate")
@require_http_methods(["GET", "POST"])
def kept(request: Asked) -> HttpResponse:
    if request.method == "GET":
        return _show(request, retention.days())
    problems: dict[str, str] = {}
    wanted = _read(request, problems)
    if problems:
        return _show(request, wanted, status=422, problems=problems)
    before, after = retention.due(retention.days()), retention.due(wanted)
    going = [t(f"retention.going.{what}", count=after[what]) for what in retention.WHAT if after[what] > before[what]]
    if going and request.POST.get("yes") != _key(wanted):
        return _show(request, wanted, status=409, going=going)
    retention.set_days(wanted, person(request).name)
    rounds.ring()
    flash(request, t("retention.saved"))
    return redirect("/settings/retention")


def _read(request: Asked, problems: dict[str, str]) -> Days:
    """The form's days. What does not fit stands in problems, and is as it was."""
    now, found = retention.days(), {}
    for what in retention.WHAT:
        sent = request.POST.get(what, "")
        known = getattr(now, what)
        if sent == EVER:
            found[what] = None
        elif sent in {*map(str, CHOICES), str(known)}:
            found[what] = int(sent)
        else:
            found[what], problems[what] = known, t("field.choose")
    return Days(**found)


def _show(
    request: Asked, wanted: Days, status: int = 200, going: list[str] | None = None,
    problems: dict[str, str] | None = None,
) -> HttpResponse:  # fmt: skip
    counts = {
        "checkpoints": Run.objects.filter(status__in=Run.ENDED, checkpoints_gone=False).count(),
        "details": Run.objects.filter(status__in=Run.ENDED, details_gone=False).count(),
        "conversations": Conversation.objects.filter(deployment__workbench=False).count(),
        "tries": Conversation.objects.filter(deployment__workbench=True).count(),
        "files": StoredFile.objects.count(),
    }
    row = Retention.objects.filter().first()
    swept = [t(f"retention.going.{what}", count=number) for what, number in (row.swept if row else {}).items()]
    given = {
        "rows": [_row(what, getattr(wanted, what), counts[what], (problems or {}).get(what, ""))
                 for what in retention.WHAT],
        "going": going or [], "yes": _key(wanted), "set": row if row and row.set_at else None,
        "swept": ", ".join(swept),
    }  # fmt: skip
    return render(request, "settings/retention.html", given, status=status)


def _key(wanted: Days) -> str:
    """Names what somebody says yes to: other days afterwards are asked about anew."""
    return " ".join(str(getattr(wanted, what) or EVER) for what in retention.WHAT)


def _row(what: str, span: int | None, count: int, error: str) -> Row:
    known = sorted({*CHOICES, *([span] if span is not None else [])})
    choices = [(str(days), t("retention.days", count=days)) for days in known] + [(EVER, t("retention.ever"))]
    return Row(
        what, t(f"retention.{what}"), t(f"retention.{what}_help"), EVER if span is None else str(span), choices,
        t("retention.kept", count=f"{count:,}"), error,
    )  # fmt: skip
