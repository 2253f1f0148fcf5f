"""Places: where in a draft something was changed, told by names and not by positions, so that edits can be compared.

A place is a tuple: ("flow", "nodes", "id:reply", "prompt").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flows.edits.changes import Change, DoesNotFit, Sketch, copied, make
from flows.problem import at, quoted

Json = Any
Place = tuple[str, ...]
_NAMES = ("id", "name", "from")
_CALLED = {"nodes": "node", "tools": "tool", "edges": "edge from", "state": "channel", "comments": "comment"}


def touched(sketch: Sketch, changes: Sequence[Change]) -> list[tuple[Place, Change]]:
    """Where the changes are made, each with its change. The sketch stays as it is. Raises DoesNotFit."""
    here = Sketch(copied(sketch.document), copied(sketch.layout))
    found: list[tuple[Place, Change]] = []
    for change in changes:
        place = _place(here, change)
        make(here, [change])
        found += [(each, change) for each in _spread(place, change)]
    return found


def _place(sketch: Sketch, change: Change) -> Place:
    value = sketch.top(change["doc"])
    found: list[str] = [change["doc"]]
    path = change["path"]
    for index, part in enumerate(path):
        last = index == len(path) - 1
        inside: Json = None
        if last and "new" in change and "old" not in change:
            inside = change["new"]
        elif isinstance(value, dict | list):
            inside = value[part]  # type: ignore[index]
        found.append(_name(value, part, inside))
        value = inside
    return tuple(found)


def _name(holder: Json, part: str | int, inside: Json) -> str:
    if isinstance(holder, list) and isinstance(inside, dict):
        for key in _NAMES:
            if isinstance(inside.get(key), str):
                return f"{key}:{inside[key]}"
    return str(part)


def _spread(place: Place, change: Change) -> Iterator[Place]:
    """An object that is put where none was touches what is in it; an empty one nothing that anybody could miss."""
    inserts = "new" in change and "old" not in change and isinstance(change["path"][-1], str)
    if not inserts:
        yield place
        return
    yield from _leaves(place, change.get("new"))


def _leaves(place: Place, value: Json) -> Iterator[Place]:
    if value in ({}, []):
        return
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves((*place, key), each)
    else:
        yield place


def meet(one: Place, other: Place) -> bool:
    """Is one of the two places the other, or inside it? Where a node stands is never worth a quarrel."""
    if one[:2] == ("layout", "nodes") or other[:2] == ("layout", "nodes"):
        return False
    return one[: len(other)] == other[: len(one)]


def locate(sketch: Sketch, place: Place) -> list[str | int]:
    """The path of a place here and now. Raises DoesNotFit when it is not there."""
    value = sketch.top("flow" if place[0] == "flow" else "layout")
    path: list[str | int] = []
    for part in place[1:]:
        found = _position(value, part)
        path.append(found)
        value = value[found]
    return path


def _position(holder: Json, part: str) -> str | int:
    if isinstance(holder, dict) and part in holder:
        return part
    if isinstance(holder, list):
        key, _, name = part.partition(":")
        for index, each in enumerate(holder):
            if name and isinstance(each, dict) and each.get(key) == name:
                return index
        if part.isdigit() and int(part) < len(holder):
            return int(part)
    raise DoesNotFit


def value_at(sketch: Sketch, place: Place) -> Json:
    """What stands at a place; None where nothing does."""
    try:
        path = locate(sketch, place)
    except DoesNotFit:
        return None
    value = sketch.top("flow" if place[0] == "flow" else "layout")
    for part in path:
        value = value[part]
    return value


def words(place: Place) -> str:
    """The place for people: `prompt of node "reply"`."""
    parts = place[1:]
    if not parts:
        return "the whole flow"
    called = _CALLED.get(parts[0])
    if called is None or len(parts) == 1:
        return quoted(at("", *parts))
    name = parts[1].partition(":")[2] or parts[1]
    owner = called if called == "comment" else f"{called} {quoted(name)}"
    return f"{quoted(at('', *parts[2:]))} of {owner}" if parts[2:] else owner


def refit(sketch: Sketch, base: Sketch, changes: Sequence[Change]) -> list[Change]:
    """The changes, made for `base`, as they are made to a draft that others edited since; the sketch is changed.

    Raises DoesNotFit when what they replace or remove is not what stands there now, or a name is taken by now.
    """
    then = Sketch(copied(base.document), copied(base.layout))
    found: list[Change] = []
    for change in changes:
        moved: Change = {**change, "path": _moved(sketch, then, change)}
        make(then, [change])
        make(sketch, [moved])
        found.append(moved)
    return found


def _moved(sketch: Sketch, then: Sketch, change: Change) -> list[str | int]:
    if not change["path"]:
        return []
    if "old" in change:
        return locate(sketch, _place(then, change))
    last = change["path"][-1]
    outer: Change = {"doc": change["doc"], "path": change["path"][:-1], "old": None, "new": None}
    holder_path = locate(sketch, _place(then, outer)) if outer["path"] else []
    holder = sketch.top(change["doc"])
    for part in holder_path:
        holder = holder[part]
    if isinstance(holder, list) and isinstance(last, int):
        name = _name(holder, last, change.get("new"))
        if ":" in name and not name.startswith("from:") and any(_name(holder, 0, each) == name for each in holder):
            raise DoesNotFit
        last = min(last, len(holder))
    return [*holder_path, last]
