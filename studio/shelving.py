"""A flow's code as its pages show and write it, on top of the shelf."""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass, replace

from asgiref.sync import async_to_sync
from django.db import transaction

from flows.models import Flow
from flows.words.document import Document
from runtime.services.endpoints import ask_beside_runs, endpoint_for
from runtime.services.failures import ModelFailed
from runtime.services.model import Endpoint
from runtime.units import shelf
from runtime.units.generate import regular_router
from runtime.units.prompt import Message
from runtime.units.shelf import EditedByHand, Shelved
from studio import drafts
from studio.refusal import Missing, Refusal
from studio.strings import t

CODE_SECONDS = 120.0


def shelved(flow: Flow, document: Document | None) -> list[Shelved]:
    """Every unit that the document needs, in its order.

    A router whose sentences are regular is shown with that code before it is written: making a version writes it.
    """
    if document is None:
        return []
    return [_with_regular(one) for one in shelf.units(flow, document)]


def _with_regular(one: Shelved) -> Shelved:
    if one.origin == "edited":
        return one
    code = regular_router(one.spec)
    return (
        one if code is None else replace(one, state="current", code=code, origin="regular", reason="", turned_down="")
    )


def unit_of(flow: Flow, kind: str, name: str) -> Shelved:
    """The unit that the draft names so, also a tool's that no step calls. Raises Missing."""
    document = drafts.checked(flow.draft).flow
    found = shelf.find(flow, document, kind, name) if document else None
    if found is None:
        raise Missing(t("units.gone"))
    return _with_regular(found)


def save(flow: Flow, kind: str, name: str, code: str, was: str) -> Shelved:
    """Keeps what a person typed, good or not; code that breaks a rule is kept as refused, with the reason.

    was: the mark of the code that they began from. Raises Refusal when it is another by now; theirs stays then.
    """
    with transaction.atomic():
        # Two saves of one flow's code at once come one after the other, and the second sees the first.
        flow = Flow.objects.select_for_update().get(pk=flow.pk)
        if was != mark(unit_of(flow, kind, name)):
            raise Refusal("UNIT_CHANGED", t("units.changed_meanwhile"), 409)
        document = drafts.checked(flow.draft).flow
        kept = shelf.edit(flow, document, kind, name, code) if document else None
    if kept is None:
        raise Missing(t("units.gone"))
    return kept


def mark(one: Shelved) -> str:
    """Tells whether the code is still the one that a page showed."""
    return hashlib.sha256(one.code.encode()).hexdigest()[:16]


def generate(flow: Flow, kind: str, name: str, *, yes: bool = False) -> Shelved:
    """Writes the unit from its description; accepted or refused, it is kept with the reason.

    Raises Refusal when no model writes code, when it fails, or when a person's code would be replaced without `yes`.
    """
    document = drafts.checked(flow.draft).flow
    unit = unit_of(flow, kind, name)
    if document is None:
        raise Missing(t("units.gone"))
    try:
        async_to_sync(shelf.write_with_model)(flow, document, unit, ask, yes=yes)
    except EditedByHand as edited:
        raise Refusal("EDITED_BY_HAND", edited.message, 409) from edited
    except ModelFailed as failed:
        raise Refusal(failed.code, failed.message, 502) from failed
    return unit_of(flow, kind, name)


async def ask(messages: list[Message]) -> str:
    from asgiref.sync import sync_to_async

    endpoint: Endpoint | None = await sync_to_async(endpoint_for)(None, "code")
    if endpoint is None:
        raise Refusal("NO_CODE_MODEL", t("units.no_model"), 409)
    reply = await ask_beside_runs(
        endpoint, [dict(one) for one in messages], write=lambda act: sync_to_async(act)(), timeout=CODE_SECONDS
    )
    return reply.text


@dataclass(frozen=True)
class DiffLine:
    """sign: "+" new, "-" gone, " " the same, "@" where the lines between are left out."""

    sign: str
    text: str


def diff(old: str, new: str) -> list[DiffLine]:
    """What changed between two codes, with three lines around each change."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=3)
    return [DiffLine(line[:1] or " ", line[1:] if line[:1] != "@" else line) for line in list(lines)[2:]]
