"""The places that notices go to: what a form says, saving, testing, and what became of the last messages."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.http import QueryDict
from django.utils import timezone

from runtime.models import Delivery, NoticePlace
from runtime.models.notices import KINDS as KIND_CHOICES
from runtime.notices import errand, sending, words
from runtime.services.addresses import AddressRefused, parse
from studio.refusal import Refusal
from studio.strings import t

KINDS = tuple(kind for kind, _ in KIND_CHOICES)
WAYS = ("email", "webhook")
QUIET = (5, 30, 120, 480, 1440)
MOST_PEOPLE = 20
MOST_PLACES = 50


@dataclass
class PlaceForm:
    """What the form says, as typed, and the sentence beside each field that does not fit."""

    name: str = ""
    way: str = "email"
    people: str = ""
    url: str = ""
    inside: bool = False
    kinds: list[str] = field(default_factory=lambda: list(KINDS))
    quiet: str = "30"
    tells_why: bool = False
    on: bool = True
    problems: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, place: NoticePlace) -> PlaceForm:
        mail = place.way == "email"
        return cls(
            place.name, place.way, place.address if mail else "", "" if mail else place.address, place.inside,
            list(place.kinds), str(place.quiet_minutes), place.tells_why, place.on,
        )  # fmt: skip

    @classmethod
    def read(cls, sent: QueryDict) -> PlaceForm:
        form = cls(kinds=[kind for kind in KINDS if kind in sent.getlist("kinds")])
        for name in ("name", "way", "people", "url", "quiet"):
            setattr(form, name, sent.get(name, "").strip())
        for name in ("inside", "tells_why", "on"):
            setattr(form, name, sent.get(name) == "1")
        return form


def save(form: PlaceForm, place: NoticePlace | None, by: str) -> tuple[NoticePlace, str] | None:
    """Write the place; also the secret that a new webhook is signed with, "" otherwise. None when the form has
    problems, which then stand on it."""
    row = place or NoticePlace(made_by=by)
    address = _judge(form, row)
    if form.problems:
        return None
    if place is None and NoticePlace.objects.count() >= MOST_PLACES:
        raise Refusal("TOO_MANY_PLACES", t("notices.too_many", count=MOST_PLACES), 409)
    row.name, row.way, row.address, row.kinds = form.name, form.way, address, form.kinds
    row.inside = form.inside and form.way == "webhook"
    row.quiet_minutes, row.tells_why, row.on = int(form.quiet), form.tells_why, form.on
    secret = ""
    if form.way == "webhook" and not row.secret_cipher:
        secret = sending.new_secret()
        row.secret_cipher = sending.seal(secret)
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        # Another request took the name meanwhile: the button was pressed twice, or two people chose the same.
        form.problems["name"] = t("notices.name_taken")
        return None
    return row, secret


def renew(place: NoticePlace) -> str:
    """A new secret to sign with; the old one ends."""
    secret = sending.new_secret()
    place.secret_cipher = sending.seal(secret)
    place.save(update_fields=["secret_cipher"])
    return secret


def test(place: NoticePlace) -> None:
    """Send a test, unless one is on its way."""
    if Delivery.objects.filter(place=place, is_test=True, state="due").exists():
        return
    item = words.test_item()
    row = Delivery.objects.create(
        place=place, is_test=True, title=words.title([item], place.workspace.name), items=[item],
        next_at=timezone.now(),
    )  # fmt: skip
    errand.ring(row)


def _judge(form: PlaceForm, row: NoticePlace) -> str:
    """Write what does not fit onto the form; returns the address as it is stored."""
    problems = form.problems
    if not form.name or len(form.name) > 80:
        problems["name"] = t("field.too_long", count=80) if form.name else t("notices.name_missing")
    elif NoticePlace.objects.filter(name=form.name).exclude(pk=row.pk).exists():
        problems["name"] = t("notices.name_taken")
    if not form.kinds:
        problems["kinds"] = t("notices.kinds_missing")
    if form.quiet not in map(str, QUIET):
        problems["quiet"] = t("field.choose")
    if form.way not in WAYS:
        problems["way"] = t("field.choose")
    return _url(form) if form.way == "webhook" else _people(form)


def _people(form: PlaceForm) -> str:
    found = list(dict.fromkeys(form.people.replace(",", "\n").split()))
    if not found:
        form.problems["people"] = t("notices.people_missing")
    if len(found) > MOST_PEOPLE:
        form.problems["people"] = t("notices.people_many", most=MOST_PEOPLE)
    for address in found[:MOST_PEOPLE]:
        try:
            validate_email(address)
        except ValidationError:
            form.problems["people"] = t("notices.people_wrong", address=address[:100])
            break
    return "\n".join(found)


def _url(form: PlaceForm) -> str:
    try:
        parse(form.url)
    except AddressRefused:
        form.problems["url"] = t("notices.url_wrong")
    return form.url
