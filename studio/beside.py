"""The files beside a flow, as pages save and remove them: open pages hear of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from django.db import transaction

from flows import files
from flows.files import FileChanged, Kept
from flows.models import Flow, FlowFile
from runtime import bell
from studio import drafts
from studio.models import User
from studio.refusal import Missing, Refusal
from studio.strings import t


class FileConflict(Refusal):
    """Somebody else saved or removed the file meanwhile; what is there now comes along, and nothing was lost."""

    def __init__(self, path: str, file: FlowFile | None) -> None:
        if file is None:
            super().__init__("FILE_CHANGED", t("files.removed_meanwhile", path=path), 409, text=None, sha="")
            return
        by = name_of(file)
        super().__init__(
            "FILE_CHANGED", t("files.changed_meanwhile", by=by, path=path), 409,
            text=file.text, sha=file.sha, by=by, at=file.updated_at.isoformat(),
        )  # fmt: skip


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """Turns what is refused of a file into an answer for the person."""
    try:
        with drafts.refusing():
            yield
    except Refusal as refused:
        cause = refused.__cause__
        if isinstance(cause, FileChanged):
            raise FileConflict(cause.path, cause.file) from cause
        raise


def name_of(file: FlowFile) -> str:
    return file.updated_by.name if file.updated_by else t("files.somebody")


def find(flow: Flow, path: str) -> Kept:
    """A file with what is wrong with it. Raises Missing."""
    found = files.find(flow, path)
    if found is None:
        raise Missing(t("files.gone", path=path))
    return found


def save(flow: Flow, path: str, text: str, was: str, by: User) -> Kept:
    """Keep a file as it was typed, valid or not. Raises Refusal."""
    with refusing(), transaction.atomic():
        files.keep(flow, path, text, was, by)
        _tell(flow, path, by)
    return find(flow, path)


def remove(flow: Flow, path: str, was: str, by: User) -> None:
    """Remove a file that the person saw. Raises Refusal."""
    with refusing(), transaction.atomic():
        files.remove(flow, path, was)
        _tell(flow, path, by)


def _tell(flow: Flow, path: str, by: User) -> None:
    bell.flow_after_commit(flow.pk, {"type": "files", "path": path, "by": by.name})
