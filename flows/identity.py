"""Who a flow is, written into its text without touching anything else that its author wrote.

A flow has its id from the first save on, and keeps it: an id that was changed by hand is put back, a copy gets one of
its own, and below version 0.21 there are no identity keys at all.
"""

from __future__ import annotations

import json
import re
import uuid
from json.decoder import scanstring  # pyright: ignore[reportAttributeAccessIssue]
from typing import NamedTuple

from flows.words.base import Json
from flows.words.strictjson import JsonRefused, loads
from flows.words.versions import below

KEYS = ("id", "name", "createdBy", "lastUpdatedBy")
SINCE = "0.21"

_SPACE = re.compile(r"\s*")


class _Member(NamedTuple):
    """One `"key": value` at the top of an object, by its places in the text."""

    key: str
    start: int
    value: int
    end: int


def read(text: str) -> dict[str, Json] | None:
    """The top of the draft; None when it is no JSON object."""
    try:
        value = loads(text)
    except JsonRefused:
        return None
    return value if isinstance(value, dict) else None


def id_of(text: str) -> uuid.UUID | None:
    """The id that the draft says, when it is one that this product gives."""
    said = (read(text) or {}).get("id")
    try:
        return uuid.UUID(said) if isinstance(said, str) else None
    except ValueError:
        return None


def name_of(text: str) -> str | None:
    """What the draft calls itself; None when it says nothing."""
    said = (read(text) or {}).get("name")
    return said.strip()[:120] or None if isinstance(said, str) else None


def identified(text: str, id: uuid.UUID, name: str | None = None) -> str:
    """The text with its id, and its name when one is given. A text that is no JSON object stays as it is."""
    top = read(text)
    if top is None:
        return text
    version = top.get("version")
    if isinstance(version, str) and below(version, SINCE):
        for key in KEYS:
            text = _without(text, key) if key in top else text
        return text
    if top.get("id") != str(id):
        text = _with(text, "id", str(id), after="version")
    if name is not None and top.get("name") != name:
        text = _with(text, "name", name, after="id")
    return text


def _members(text: str) -> list[_Member]:
    """The members of the object that the text is. The text was read before, so it is well formed."""
    decoder = json.JSONDecoder()
    found: list[_Member] = []
    position = text.index("{") + 1
    while True:
        position = _after_space(text, position)
        if text[position] == "}":
            return found
        if text[position] == ",":
            position += 1
            continue
        start = position
        key, position = scanstring(text, position + 1)
        value = _after_space(text, _after_space(text, position) + 1)
        _, position = decoder.raw_decode(text, value)
        found.append(_Member(key, start, value, position))


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _with(text: str, key: str, value: str, after: str) -> str:
    written = json.dumps(value, ensure_ascii=False)
    members = _members(text)
    for member in members:
        if member.key == key:
            return text[: member.value] + written + text[member.end :]
    if not members:
        opening = text.index("{") + 1
        return f'{text[:opening]} "{key}": {written} {text[opening:].lstrip()}'
    before = next((member for member in members if member.key == after), None)
    space = text[text.index("{") + 1 : members[0].start]
    if before is None:
        return f'{text[: members[0].start]}"{key}": {written},{space or " "}{text[members[0].start :]}'
    return f'{text[: before.end]},{space or " "}"{key}": {written}{text[before.end :]}'


def _without(text: str, key: str) -> str:
    members = _members(text)
    for index, member in enumerate(members):
        if member.key == key and index + 1 < len(members):
            return text[: member.start] + text[members[index + 1].start :]
        if member.key == key:
            cut = members[index - 1].end if index else member.start
            return text[:cut] + text[member.end :]
    return text
