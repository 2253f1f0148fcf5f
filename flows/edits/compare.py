"""The changes that lead from one JSON value to another: few, and at the places where they differ."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any

from flows.edits.changes import Change, Doc, Path, copied, same

Json = Any
MOST = 6_000
"""Longer lists are not aligned; they are replaced whole."""


def compared(old: Json, new: Json, doc: Doc = "flow") -> list[Change]:
    """Changes that make `new` of `old`, key order included."""
    return list(_differences(old, new, [], doc))


def _differences(old: Json, new: Json, path: Path, doc: Doc) -> Iterator[Change]:
    if same(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict) and _same_order(old, new):
        yield from _objects(old, new, path, doc)
    elif isinstance(old, list) and isinstance(new, list) and len(old) + len(new) <= MOST:
        yield from _lists(old, new, path, doc)
    else:
        yield {"doc": doc, "path": path, "old": copied(old), "new": copied(new)}


def _same_order(old: dict[str, Json], new: dict[str, Json]) -> bool:
    return [key for key in old if key in new] == [key for key in new if key in old]


def _objects(old: dict[str, Json], new: dict[str, Json], path: Path, doc: Doc) -> Iterator[Change]:
    for index, key in reversed(list(enumerate(old))):
        if key not in new:
            yield {"doc": doc, "path": [*path, key], "old": copied(old[key]), "index": index}
    for index, (key, value) in enumerate(new.items()):
        if key in old:
            yield from _differences(old[key], value, [*path, key], doc)
        else:
            yield {"doc": doc, "path": [*path, key], "new": copied(value), "index": index}


def _lists(old: list[Json], new: list[Json], path: Path, doc: Doc) -> Iterator[Change]:
    aligned = difflib.SequenceMatcher(None, list(map(_named, old)), list(map(_named, new)), autojunk=False)
    here = 0
    for _, old_from, old_to, new_from, new_to in aligned.get_opcodes():
        pairs = min(old_to - old_from, new_to - new_from)
        for offset in range(pairs):
            yield from _differences(old[old_from + offset], new[new_from + offset], [*path, here], doc)
            here += 1
        for each in old[old_from + pairs : old_to]:
            yield {"doc": doc, "path": [*path, here], "old": copied(each)}
        for each in new[new_from + pairs : new_to]:
            yield {"doc": doc, "path": [*path, here], "new": copied(each)}
            here += 1


def _named(value: Json) -> str:
    """What tells an entry of a list from the others: its id, its name, the node it leaves; else all of it."""
    if isinstance(value, dict):
        for key in ("id", "name", "from"):
            if isinstance(value.get(key), str):
                return f"{key}:{value[key]}"
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
