"""The files beside a stored flow: kept as they were typed, valid or not, and never over somebody else's."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from flows import saving, store
from flows.beside.names import FileKind, fault_of_path, kind_of
from flows.beside.standing import Standing
from flows.models import Flow, FlowFile
from flows.problem import Problem, quoted
from flows.store import StoreRefused
from flows.stored import WorkspaceFiles, beside, file_of

MAX_FILES = 200
MOST = 20_000_000
"""So many characters of text may stand beside one flow, in all of its files."""


class FileChanged(StoreRefused):
    """Somebody saved the file in between, or removed it. `file` is theirs; None when it is gone."""

    def __init__(self, path: str, file: FlowFile | None) -> None:
        done = "removed" if file is None else "saved"
        super().__init__("FILE_CHANGED", f"Somebody else {done} {quoted(path)} meanwhile. Look at both, and try again.")
        self.path = path
        self.file = file


@dataclass(frozen=True)
class Kept:
    """A file beside a flow, with what is wrong with it."""

    file: FlowFile
    problems: list[Problem]

    @property
    def kind(self) -> FileKind:
        return kind_of(self.file.path)


def sha_of(text: str) -> str:
    """Tells whether a text is still the one that somebody saw."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def files_of(flow: Flow) -> list[FlowFile]:
    """The files that people see beside a flow, by path."""
    rows = FlowFile.objects.filter(flow=flow).select_related("updated_by").order_by("path")
    return [row for row in rows if not fault_of_path(row.path)]


def find(flow: Flow, path: str) -> Kept | None:
    """One of them, with what is wrong with it."""
    rows = files_of(flow)
    row = next((row for row in rows if row.path == path), None)
    if row is None:
        return None
    # A list of cases is judged by the evals that name it.
    evals = [each for each in rows if kind_of(each.path) == "eval"] if kind_of(path) == "dataset" else []
    return checked(flow, [*evals, row])[-1]


def checked(flow: Flow, files: list[FlowFile]) -> list[Kept]:
    """The files with what is wrong with each, seen beside the draft as it is now."""
    places = {beside(flow.path, row.path): row for row in files}
    standing = Standing(
        WorkspaceFiles({file_of(flow.path): flow.draft, **{at: row.text for at, row in places.items()}})
    )
    problems = standing.all(file_of(flow.path), list(places))
    return [Kept(row, problems[at]) for at, row in places.items()]


def keep(flow: Flow, path: str, text: str, was: str, by: Any = None) -> FlowFile:
    """Keep a file as it was typed. was: the sha of the text that the person began from; "" for a new file.

    Raises FileChanged, and StoreRefused for a path or a text that cannot be stored.
    """
    fault = fault_of_path(path)
    if fault:
        raise StoreRefused("FILE_PATH_INVALID", f"{quoted(path)} {fault}. Write a path such as tests/first.test.json.")
    store.judge(text)
    with transaction.atomic():
        flow = saving.locked(flow)
        row = FlowFile.objects.select_for_update().filter(flow=flow, path=path).first()
        if (row.sha if row else "") != was:
            # The same text twice is one save: a reply that got lost is asked for again.
            if row is not None and row.text == text:
                return row
            raise FileChanged(path, row)
        return write(flow, path, text, by)


def write(flow: Flow, path: str, text: str, by: Any = None) -> FlowFile:
    """Keep a file of a locked flow, whatever was there. Raises StoreRefused when there is no room."""
    others = list(FlowFile.objects.filter(flow=flow).exclude(path=path).values_list("path", "size"))
    alike = next((other for other, _ in others if other.casefold() == path.casefold()), None)
    if alike is not None:
        raise StoreRefused(
            "FILE_PATH_TAKEN", f"There is {quoted(alike)} already, which some disks cannot tell from {quoted(path)}."
        )
    if len(others) >= MAX_FILES:
        raise StoreRefused("FILES_FULL", f"A flow has at most {MAX_FILES} files beside it. Remove one first.")
    if sum(size for _, size in others) + len(text) > MOST:
        raise StoreRefused(
            "FILES_FULL", f"The files beside a flow hold at most {MOST:,} characters. Remove or shorten one first."
        )
    row = FlowFile.objects.filter(flow=flow, path=path).first() or FlowFile(flow=flow, path=path)
    row.text, row.sha, row.size, row.updated_by, row.updated_at = text, sha_of(text), len(text), by, timezone.now()
    row.save()
    return row


def remove(flow: Flow, path: str, was: str) -> None:
    """Remove a file that the person saw. Raises FileChanged; removing what is gone already is done."""
    with transaction.atomic():
        row = FlowFile.objects.select_for_update().filter(flow=saving.locked(flow), path=path).first()
        if row is not None and row.sha != was:
            raise FileChanged(path, row)
        if row is not None:
            row.delete()
