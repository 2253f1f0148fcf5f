"""Drafts as pages meet them: the check that costs nothing the second time, names nobody has, and refusals in words."""

from __future__ import annotations

import contextlib
import json
import re
import unicodedata
import uuid
from collections.abc import Iterator
from typing import Any

from flows import store
from flows.models import Flow
from flows.placed import checked_in_place
from flows.recent import checked
from studio.models import User
from studio.refusal import Missing, Refusal
from studio.strings import t

STATUS = {
    "FLOW_GONE": 404,
    "FLOW_IS_SYSTEM": 403,
    "DRAFT_TOO_LARGE": 413,
    "VERSION_REFUSED": 409,
    "VERSION_CHANGED": 409,
    "FILE_PATH_TAKEN": 409,
    "FILES_FULL": 409,
}

__all__ = [
    "Conflict", "checked", "checked_in_place", "find", "free_name", "import_text", "live_flows", "refusing", "slug",
    "written",
]  # fmt: skip


def live_flows() -> Any:
    """The flows that are not deleted."""
    return Flow.objects.filter(deleted_at=None)


def find(id: uuid.UUID, *, deleted: bool = False) -> Flow:
    """The flow of this workspace. Raises Missing."""
    rows = Flow.objects.exclude(deleted_at=None) if deleted else live_flows()
    found = rows.select_related("updated_by").filter(pk=id).first()
    if found is None:
        raise Missing(t("flows.gone"))
    return found


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """Turns what the store refuses into an answer for the person."""
    try:
        yield
    except store.DraftChanged as changed:
        raise Conflict(changed.flow) from changed
    except store.StoreRefused as refused:
        raise Refusal(refused.code, refused.message, STATUS.get(refused.code, 422)) from refused


class Conflict(Refusal):
    """Somebody else saved meanwhile: their text comes along, and nothing of either was lost."""

    def __init__(self, flow: Flow) -> None:
        by = flow.updated_by.name if flow.updated_by else t("flows.somebody")
        super().__init__(
            "DRAFT_CHANGED", t("flows.changed_meanwhile", by=by), 409,
            text=flow.draft, revision=flow.revision, by=by, at=flow.updated_at.isoformat(),
        )  # fmt: skip


def import_text(text: str, name: str, user: User) -> Flow:
    """Keeps a flow.json as a draft, valid or not. Raises Refusal for text that cannot be stored at all."""
    with refusing():
        return store.import_flow(text, user, free_name(name))


def written(document: Any) -> str:
    """A document as text, as the editor shows it."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def slug(words: str) -> str:
    """Lower-case letters, digits and hyphens, at most 60; "" when nothing is left."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-")


def free_name(name: str) -> str:
    """The name, numbered when another flow has it."""
    taken = set(live_flows().filter(name__startswith=name).values_list("name", flat=True))
    number, free = 2, name
    while free in taken:
        free, number = f"{name} {number}", number + 1
    return free
