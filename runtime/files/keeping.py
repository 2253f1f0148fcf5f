"""Keeping files: the bytes in the storage called `files`, a row that knows them, and both gone together.

Equal content of one workspace lies there once. Whoever adds a row to it holds an earlier row of the same content, and
whoever deletes rows looks afterwards whether any is left, so the bytes are never taken from under a new row.
"""

from __future__ import annotations

import hashlib
import logging
import os
import uuid
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage, storages  # pyright: ignore[reportAttributeAccessIssue] - the stubs know it not yet
from django.db import transaction
from django.db.models.signals import post_delete

from flows.scope import current
from runtime.files.kinds import FileRefused, Kind
from runtime.models import StoredFile

log = logging.getLogger(__name__)
KEYS = frozenset({"id", "name", "mediaType", "url", "bytes"})


def storage() -> Storage:
    return storages["files"]


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Laid:
    """Bytes laid down, before the transaction that writes their row: `laid.row(kind, …)` in it, `laid.settle()` after.

    Scoped. Bytes that the workspace has already are not laid down again.
    """

    def __init__(self, content: bytes) -> None:
        self.sha256, self._content = sha(content), content
        known = StoredFile.objects.filter(sha256=self.sha256).exists()
        self._own = None if known else self._put()
        self._used: str | None = None

    def row(self, kind: Kind, **fields: Any) -> StoredFile:
        """The row of the file, written. Inside a transaction, which may come to nothing."""
        same = StoredFile.objects.select_for_update().filter(sha256=self.sha256).only("place").first()
        if same is not None and storage().exists(same.place):
            place = same.place
        else:
            place = self._own = self._own or self._put()
        row = StoredFile.objects.create(
            name=kind.name,
            media_type=kind.media_type,
            bytes=len(self._content),
            sha256=self.sha256,
            place=place,
            **fields,
        )
        self._used = place
        return row

    def settle(self, written: bool) -> None:
        """Take away what no row needs. written: the transaction was committed."""
        if self._own is not None and not (written and self._used == self._own):
            storage().delete(self._own)

    def _put(self) -> str:
        where = storage()
        name = where.save(f"{current().hex}/{uuid.uuid4().hex}", ContentFile(self._content))
        # A row that is committed survives a power cut; so must its bytes. Other storages see to it themselves.
        if isinstance(where, FileSystemStorage):
            handle = os.open(where.path(name), os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)
        return name


def content(file: StoredFile) -> bytes:
    """The bytes of a file. Raises FileRefused when they are gone or are not what was kept."""
    try:
        with storage().open(file.place) as opened:
            found: bytes = opened.read()
    except FileNotFoundError:
        raise FileRefused("FILE_MISSING", missing(file.name)) from None
    if sha(found) != file.sha256:
        log.error("The stored file %s is not what was kept.", file.pk)
        raise FileRefused("FILE_DAMAGED", f'The file "{file.name}" was changed where it is stored. Give it again.')
    return found


def stands(file: StoredFile) -> bool:
    """Whether the bytes of a file are here as they were kept. They are read once for each time they were written."""
    try:
        written, size = storage().get_modified_time(file.place), storage().size(file.place)
    except FileNotFoundError:
        return False
    return size == file.bytes and _sha_at(file.place, written) == file.sha256


@lru_cache(maxsize=4096)
def _sha_at(place: str, written: datetime) -> str:
    """written: part of what is remembered, so that bytes written since are read anew."""
    try:
        with storage().open(place) as opened:
            return sha(opened.read())
    except FileNotFoundError:
        return ""


def missing(name: str) -> str:
    return f'The file "{name[:120]}" is not here any more. Give it again.'


def id_of(value: object) -> uuid.UUID | None:
    """The id in a reference, whatever else it says; None for what is no reference."""
    try:
        return uuid.UUID(value["id"]) if isinstance(value, Mapping) and isinstance(value.get("id"), str) else None
    except ValueError:
        return None


def forget(sender: object, instance: StoredFile, **_: Any) -> None:
    """After a row: its bytes too, once no other row has them."""
    place = instance.place

    def take() -> None:
        if not StoredFile.everywhere.filter(place=place).exists():
            storage().delete(place)

    transaction.on_commit(take)


def connect() -> None:
    post_delete.connect(forget, sender=StoredFile, dispatch_uid="files.forget")
