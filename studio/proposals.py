"""Code that a model wrote and that a person looks at before it takes the place of what is there.

Nothing is stored meanwhile: the page holds the code, and a seal says that it is the one that was written here.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any, Literal

from asgiref.sync import async_to_sync
from django.core import signing
from django.db import transaction

from flows.models import Flow
from runtime.services.failures import ModelFailed
from runtime.units import generate, shelf
from runtime.units.shelf import EditedByHand, Shelved
from studio import drafts, shelving
from studio.refusal import Missing, Refusal
from studio.strings import t

SALT = "studio.proposals"
LASTS = 24 * 3600


@dataclass(frozen=True)
class Written:
    """problems: why it may not run. seal: goes back with it when it is taken."""

    code: str
    problems: list[str]
    by_model: bool
    seal: str


def propose(flow: Flow, kind: str, name: str) -> Written:
    """Write a unit from its description and keep nothing. Raises Refusal where no model writes, or it fails."""
    document = drafts.checked(flow.draft).flow
    one = shelving.unit_of(flow, kind, name)
    if document is None:
        raise Missing(t("units.gone"))
    try:
        made = async_to_sync(generate.generate)(one.spec, document, shelving.ask, shelf.services(flow, document))
    except ModelFailed as failed:
        raise Refusal(failed.code, failed.message, 502) from failed
    origin = "generated" if made.by_model else "regular"
    return Written(made.code, list(made.problems), made.by_model, _seal(flow, one, made.code, origin))


def take(flow: Flow, kind: str, name: str, code: str, seal: str, *, was: str, yes: bool) -> Shelved:
    """Keep code that propose wrote. Raises Refusal when it is not that code, when the one it was compared with is
    another by now, or when a person's code would be replaced without `yes`."""
    with transaction.atomic():
        # Two people's code at once comes one after the other, and the second sees the first.
        flow = Flow.objects.select_for_update().get(pk=flow.pk)
        one = shelving.unit_of(flow, kind, name)
        sealed = _sealed(flow, one, code, seal)
        if was != shelving.mark(one):
            raise Refusal("UNIT_CHANGED", t("units.changed_meanwhile"), 409)
        document = drafts.checked(flow.draft).flow
        problems = generate.judge(one.spec, document, code) if document else [t("units.gone")]
        if problems:
            raise Refusal("CODE_REFUSED", " ".join(problems), 422)
        origin: Literal["generated", "regular"] = "generated" if sealed["origin"] == "generated" else "regular"
        try:
            # Written from older words it is kept as such: out of date, and shown so.
            shelf.write(flow, replace(one.spec, key=sealed["key"]), code, origin, over_edited=yes)
        except EditedByHand as edited:
            raise Refusal("EDITED_BY_HAND", edited.message, 409) from edited
    return shelving.unit_of(flow, kind, name)


def _sha(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _seal(flow: Flow, one: Shelved, code: str, origin: str) -> str:
    about = {"flow": str(flow.pk), "unit": one.id, "key": one.spec.key, "code": _sha(code), "origin": origin}
    return signing.dumps(about, salt=SALT)


def _sealed(flow: Flow, one: Shelved, code: str, seal: str) -> dict[str, Any]:
    try:
        about: dict[str, Any] = signing.loads(seal, salt=SALT, max_age=LASTS)
    except signing.BadSignature:
        about = {}
    if (about.get("flow"), about.get("unit"), about.get("code")) != (str(flow.pk), one.id, _sha(code)):
        raise Refusal("NOT_WHAT_WAS_WRITTEN", t("panel.code.not_written"), 409)
    return about
