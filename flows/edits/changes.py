"""Changes: the few primitive steps that every edit comes down to. Each can be taken back exactly, order included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

Json = Any
Path = list[str | int]
Doc = Literal["flow", "layout"]


class Change(TypedDict):
    """One step. With old and new: replace; only new: insert; only old: remove. Applied in order.

    path: keys and list positions from the top. A position in a list is the path's last part; index is the position of
    a key that is inserted into, or removed from, an object.
    """

    doc: Doc
    path: Path
    old: NotRequired[Json]
    new: NotRequired[Json]
    index: NotRequired[int]


@dataclass
class Sketch:
    """What is edited: the flow's document, and its layout beside it, both as JSON."""

    document: Json
    layout: Json

    def top(self, doc: Doc) -> Json:
        return self.document if doc == "flow" else self.layout


class DoesNotFit(Exception):
    """The change cannot be made here: what it replaces or removes is not what stands there now."""


def make(sketch: Sketch, changes: Iterable[Change]) -> None:
    """Make the changes, in place and in order. Raises DoesNotFit; those before it are made by then."""
    for change in changes:
        _make(sketch, change)


def reverse(changes: Sequence[Change]) -> list[Change]:
    """The changes that take these back."""
    found: list[Change] = []
    for change in reversed(changes):
        back: Change = {"doc": change["doc"], "path": change["path"]}
        if "new" in change:
            back["old"] = change["new"]
        if "old" in change:
            back["new"] = change["old"]
        if "index" in change:
            back["index"] = change["index"]
        found.append(back)
    return found


def look(top: Json, path: Sequence[str | int]) -> Json:
    """What stands at the path. Raises DoesNotFit where nothing does."""
    here: Json = top
    for part in path:
        inside = isinstance(here, list) and isinstance(part, int) and 0 <= part < len(here)
        if not inside and not (isinstance(here, dict) and part in here):
            raise DoesNotFit
        here = here[part]  # type: ignore[index]
    return here


def _make(sketch: Sketch, change: Change) -> None:
    path = change["path"]
    if not path:
        if "old" not in change or "new" not in change or not same(sketch.top(change["doc"]), change["old"]):
            raise DoesNotFit
        if change["doc"] == "flow":
            sketch.document = copied(change["new"])
        else:
            sketch.layout = copied(change["new"])
        return
    inside: Json = look(sketch.top(change["doc"]), path[:-1])
    last: Json = path[-1]
    if "old" in change and not same(look(inside, [last]), change["old"]):
        raise DoesNotFit
    if "old" in change and "new" in change:
        inside[last] = copied(change["new"])
    elif "old" in change:
        del inside[last]
    elif isinstance(inside, list) and isinstance(last, int) and 0 <= last <= len(inside):
        inside.insert(last, copied(change.get("new")))
    elif isinstance(inside, dict) and isinstance(last, str) and last not in inside:
        _insert_key(inside, last, copied(change.get("new")), change.get("index", len(inside)))
    else:
        raise DoesNotFit


def _insert_key(inside: dict[str, Json], key: str, value: Json, index: int) -> None:
    rest = list(inside.items())[max(index, 0) :]
    for name, _ in rest:
        del inside[name]
    inside[key] = value
    inside.update(rest)


def copied(value: Json) -> Json:
    """The value anew, so that what is changed in it later changes nothing here."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if isinstance(value, list):
        return [copied(each) for each in value]
    return value


def same(one: Json, other: Json) -> bool:
    """Are the two values one JSON text? Unlike ==, 1 is not true, 1.0 is not 1, and the order of keys counts."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other
