"""Settings → Notices: who is told what when nobody watches, what is wrong now, and what was sent about it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import OuterRef, Subquery
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from runtime.models import Delivery, NoticePlace, Trouble
from runtime.notices import mail, words
from studio import noticeplaces
from studio.access import page
from studio.asked import Asked, person
from studio.noticeplaces import PlaceForm
from studio.pages.frame import flash
from studio.refusal import Missing
from studio.strings import t

ROWS = 20
FRESH = timedelta(seconds=60)
HUES = {"sent": "ok", "partly": "warn", "given_up": "bad", "due": ""}


@dataclass(frozen=True)
class Row:
    """A place in the list, and its last message."""

    place: NoticePlace
    shown: str
    told: str
    every: str
    last: Delivery | None
    is_testing: bool


@dataclass(frozen=True)
class Line:
    """A message in the list of the last ones."""

    delivery: Delivery
    hue: str
    how: str
    reached: str


@page("operate")
@require_safe
def notices(request: Asked) -> HttpResponse:
    latest = Delivery.objects.filter(place=OuterRef("pk")).order_by("-created_at", "-pk").values("pk")[:1]
    shown = NoticePlace.objects.annotate(latest=Subquery(latest)).values_list("latest", flat=True)
    last = {row.place_id: row for row in Delivery.objects.filter(pk__in=list(shown))}
    tests = Delivery.objects.filter(is_test=True, state="due", created_at__gt=timezone.now() - FRESH)
    tested = set(tests.values_list("place", flat=True))
    rows = [_row(place, last.get(place.pk), place.pk in tested) for place in NoticePlace.objects.order_by("name")]
    standing = [
        (words.line(row.kind, row.name, level=row.level), row)
        for row in Trouble.objects.filter(over_at=None, level__gt=0).order_by("since")
    ]
    sent = Delivery.objects.select_related("place").order_by("-created_at", "-pk")[:ROWS]
    given = {
        "rows": rows, "standing": standing, "deliveries": [_line(row) for row in sent],
        "testing": any(row.is_testing for row in rows), "made": request.session.pop("notice_secret", None),
        "mail_off": not mail.is_set_up() and any(row.place.way == "email" for row in rows),
    }  # fmt: skip
    return render(request, "settings/notices.html", given)


def _row(place: NoticePlace, last: Delivery | None, is_testing: bool) -> Row:
    shown = place.address.replace("\n", ", ")
    told = t("notices.all") if len(place.kinds) == len(noticeplaces.KINDS) else ""
    every = t("notices.every", span=t(f"notices.quiet.{place.quiet_minutes}"))
    return Row(place, shown, told or t("notices.some", count=len(place.kinds)), every, last, is_testing)


def _line(row: Delivery) -> Line:
    how = t(f"notices.state.{row.state}")
    if row.state == "due" and row.error:
        minutes = round((row.next_at - timezone.now()) / timedelta(minutes=1))
        when = t("notices.in_minutes", count=minutes) if minutes > 0 else t("notices.soon")
        how = t("notices.state.trying", count=row.attempts, when=when)
    has = t("notices.reached", people=", ".join(row.reached)) if row.reached and row.state != "sent" else ""
    return Line(row, HUES[row.state], how, has)


@page("operate")
@require_http_methods(["GET", "POST"])
def new(request: Asked) -> HttpResponse:
    if request.method == "POST":
        return _save(request, None)
    return _form(request, PlaceForm(people=person(request).email), None)


@page("operate")
@require_http_methods(["GET", "POST"])
def edit(request: Asked, id: uuid.UUID) -> HttpResponse:
    place = _place(id)
    if request.method == "POST":
        return _save(request, place)
    return _form(request, PlaceForm.of(place), place)


@page("operate")
@require_POST
def test(request: Asked, id: uuid.UUID) -> HttpResponse:
    place = _place(id)
    noticeplaces.test(place)
    flash(request, t("notices.test_sent", name=place.name))
    return redirect("/settings/notices")


@page("operate")
@require_POST
def secret(request: Asked, id: uuid.UUID) -> HttpResponse:
    """A new secret for a webhook; its text is shown once, on the page that follows."""
    place = _place(id)
    if place.way != "webhook":
        raise Missing(t("notices.gone"))
    request.session["notice_secret"] = {"name": place.name, "text": noticeplaces.renew(place)}
    return redirect("/settings/notices")


@page("operate")
@require_POST
def delete(request: Asked, id: uuid.UUID) -> HttpResponse:
    place = _place(id)
    place.delete()
    flash(request, t("notices.deleted", name=place.name))
    return redirect("/settings/notices")


def _form(request: Asked, form: PlaceForm, place: NoticePlace | None, status: int = 200) -> HttpResponse:
    given = {
        "form": form, "place": place, "mail_off": not mail.is_set_up(),
        "kinds": [(kind, t(f"notices.kind.{kind}"), t(f"notices.kind.{kind}_help")) for kind in noticeplaces.KINDS],
        "quiet": [(str(minutes), t(f"notices.quiet.{minutes}")) for minutes in noticeplaces.QUIET],
        "ways": [(way, t(f"notices.way.{way}"), t(f"notices.way.{way}_help")) for way in noticeplaces.WAYS],
        "most": noticeplaces.MOST_PEOPLE,
    }  # fmt: skip
    return render(request, "settings/notice.html", given, status=status)


def _save(request: Asked, place: NoticePlace | None) -> HttpResponse:
    form = PlaceForm.read(request.POST)
    done = noticeplaces.save(form, place, person(request).name)
    if done is None:
        return _form(request, form, place, status=422)
    saved, made = done
    if made:
        request.session["notice_secret"] = {"name": saved.name, "text": made}
    flash(request, t("notices.saved", name=saved.name))
    return redirect("/settings/notices")


def _place(id: uuid.UUID) -> NoticePlace:
    found = NoticePlace.objects.filter(pk=id).first()
    if found is None:
        raise Missing(t("notices.gone"))
    return found
