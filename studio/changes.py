"""What a new version changes, in words: steps, channels, tools, edges and the rest, compared by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from studio.strings import t

Json = Any
_LISTS = {"nodes": "id", "tools": "name", "edges": "from"}
_MAPS = ("state",)
_OURS = ("id", "createdBy", "lastUpdatedBy")


@dataclass(frozen=True)
class Change:
    """sign: what happened. what: the kind of thing, as people call it. name: the thing's own name, or ""."""

    sign: Literal["added", "removed", "changed"]
    what: str
    name: str


def changes(old: Mapping[str, Json] | None, new: Mapping[str, Json]) -> list[Change]:
    """Every difference between two documents, in the order of the flow. Nothing for equal ones."""
    old = old or {}
    found: list[Change] = []
    for section, by in _LISTS.items():
        found += _compare(section, _named(old.get(section), by), _named(new.get(section), by))
    for section in _MAPS:
        found += _compare(section, old.get(section) or {}, new.get(section) or {})
    for key in dict.fromkeys([*old, *new]):
        if key in _LISTS or key in _MAPS or key in _OURS or old.get(key) == new.get(key):
            continue
        sign = "added" if key not in old else "removed" if key not in new else "changed"
        found.append(Change(sign, t("publish.word"), key))
    return found


def parts(new: Mapping[str, Json]) -> list[Change]:
    """What a first version consists of: its steps and tools."""
    return [
        change for change in changes(None, new) if change.what in (t("publish.part.nodes"), t("publish.part.tools"))
    ]


def code_changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[Change]:
    """Units by `kind:name`."""
    return _compare("units", old, new)


def _named(items: Json, by: str) -> dict[str, Json]:
    return {str(item.get(by)): item for item in items or [] if isinstance(item, dict)}


def _compare(section: str, old: Mapping[str, Json], new: Mapping[str, Json]) -> list[Change]:
    what = t(f"publish.part.{section}")
    found = []
    for name in dict.fromkeys([*new, *old]):
        if name not in old:
            found.append(Change("added", what, name))
        elif name not in new:
            found.append(Change("removed", what, name))
        elif old[name] != new[name]:
            found.append(Change("changed", what, name))
    return found
