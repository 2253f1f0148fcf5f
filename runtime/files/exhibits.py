"""The documents behind a decision: what a card says of each, read anew whenever that card is made or compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from flows.words.label import label
from runtime.canonical import SAFE
from runtime.files import keeping
from runtime.files.kinds import UNKNOWN, FileRefused
from runtime.models import StoredFile

Json = Any
LONGEST_NAME = 200


def read(
    names: Iterable[str], channels: Mapping[str, Json], may_read: Callable[[StoredFile], bool]
) -> tuple[dict[str, Json], ...]:
    """The exhibits of these channels: {channel, label, id, name, type, size, sha256, readable}, never bytes. Scoped.

    A channel that holds nothing has none. What cannot be read is among them as not readable, under its row's name and
    SHA-256 or, where there is no row that this run may read, under what the channel says of it.
    """
    return tuple(_exhibit(name, channels[name], may_read) for name in names if channels.get(name) not in (None, "", {}))


def gone(exhibits: Iterable[Mapping[str, Json]]) -> frozenset[str]:
    """The ids of those that are not here any more, or not as the card names them. Scoped."""
    named = {one["id"]: one["sha256"] for one in exhibits if one["id"]}
    if not named:
        return frozenset()
    rows = StoredFile.objects.filter(id__in=named).only("place", "bytes", "sha256")
    return frozenset(named) - {str(row.pk) for row in rows if row.sha256 == named[str(row.pk)] and keeping.stands(row)}


def _exhibit(channel: str, value: Json, may_read: Callable[[StoredFile], bool]) -> dict[str, Json]:
    head = {"channel": channel, "label": label(channel)}
    id = keeping.id_of(value)
    row = StoredFile.objects.select_related("deployment").filter(id=id).first() if id is not None else None
    if row is None or not may_read(row):
        return {**head, **_told(channel, value if isinstance(value, Mapping) else {})}
    try:
        keeping.content(row)
        readable = True
    except (FileRefused, OSError):
        readable = False
    about = {"name": row.name, "type": row.media_type, "size": row.bytes, "sha256": row.sha256}
    return {**head, "id": str(row.pk), **about, "readable": readable}


def _told(channel: str, value: Mapping[str, Json]) -> dict[str, Json]:
    """What a channel says of a document that is not here."""
    name, type, size = value.get("name"), value.get("mediaType"), value.get("bytes")
    return {
        "id": "",
        "name": name[:LONGEST_NAME] if isinstance(name, str) and name else label(channel),
        "type": type[:LONGEST_NAME] if isinstance(type, str) and type else UNKNOWN,
        "size": size if isinstance(size, int) and not isinstance(size, bool) and 0 <= size <= SAFE else 0,
        "sha256": "",
        "readable": False,
    }
