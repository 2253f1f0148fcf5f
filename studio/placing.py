"""Where a flow stands in its workspace: other flows find it by that, so it is said, and changed, by people."""

from __future__ import annotations

import posixpath

from django.db import IntegrityError, transaction

from flows import store
from flows.beside.names import fault_of_path
from flows.models import Flow
from flows.placed import checked_in_place
from flows.stored import ENDING, file_of
from flows.tree import TOP
from studio.refusal import Refusal
from studio.strings import t

MAX_PLACE = 200


def judge(place: str) -> None:
    """Raises Refusal for a place that no flow may have."""
    fault = fault_of_path(place if place.endswith(ENDING) else f"{place}/x.json")
    if fault or len(place) > MAX_PLACE or place == TOP:
        raise Refusal("PATH_INVALID", t("files.place_invalid", place=place[:80]), 422)


def move(flow: Flow, place: str) -> Flow:
    """Let a flow stand elsewhere, with what stands beside it. Raises Refusal."""
    place = place.strip().removesuffix(f"/{TOP}").strip("/")
    judge(place)
    other = Flow.objects.filter(path=place).exclude(pk=flow.pk).first()
    if other is not None:
        words = "files.place_taken" if other.deleted_at is None else "files.place_kept"
        raise Refusal("PATH_TAKEN", t(words, place=place, name=other.name), 409)
    try:
        with transaction.atomic():
            Flow.objects.filter(pk=flow.pk).update(path=place)
    except IntegrityError as met:
        raise Refusal("PATH_TAKEN", t("files.place_met", place=place), 409) from met
    flow.refresh_from_db()
    Flow.objects.filter(pk=flow.pk).update(**store.counted(flow.draft, checked_in_place(flow)))
    return flow


def address(flow: Flow, path: str) -> str:
    """How a file beside a flow names the flow: tests/first.test.json says ../flow.json."""
    name = file_of(flow.path).rpartition("/")[2]
    return posixpath.relpath(name, posixpath.dirname(path) or ".")
