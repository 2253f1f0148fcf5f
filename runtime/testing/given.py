"""Files that a test brings: written into it with their text or in base64, kept as a person's would be."""

from __future__ import annotations

import base64
import binascii
import uuid
from collections.abc import Mapping

from flows.words.base import Json
from runtime.files.keeping import Laid
from runtime.files.kinds import UNKNOWN, FileRefused, Kind, clean, judge
from runtime.runs import Actor


def files_in(values: Mapping[str, Json], names: set[str], deployment: uuid.UUID, person: Actor) -> dict[str, Json]:
    """The values with a stored file's reference in place of each that is written out. names: those that are files.

    Scoped, in a transaction.
    """
    return {
        name: _kept(value, deployment, person) if name in names and _is_written(value) else value
        for name, value in values.items()
    }


def _is_written(value: Json) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(key), str) for key in ("text", "base64"))


def _kept(value: Mapping[str, Json], deployment: uuid.UUID, person: Actor) -> Json:
    name, content = str(value.get("name") or "file.txt"), _content(value)
    try:
        kind = judge(name, content)
    except FileRefused:
        # A test may bring what the chat would have refused.
        kind = Kind(clean(name), UNKNOWN)
    return Laid(content).row(kind, deployment_id=deployment, visitor=person.visitor).reference


def _content(value: Mapping[str, Json]) -> bytes:
    if isinstance(value.get("base64"), str):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (binascii.Error, ValueError):
            return value["base64"].encode()
    return value["text"].encode("utf-8", "replace")
