"""What the journal keeps of the values that a step read and wrote: enough to see what happened, never all of a large
one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flows.kinds.base import Json

LONGEST = 4_000
"""So many characters of one value."""
MOST = 16_000
"""So many characters of all values of one event."""
SCALAR = 8
NOTHING: tuple[Any, ...] = (None, "", [], {})


def read_of(names: Iterable[str] | None, state: Mapping[str, Json]) -> dict[str, Json]:
    """The values of those channels; with None, of every channel that holds anything."""
    if names is None:
        return {name: value for name, value in state.items() if value not in NOTHING}
    return {name: state.get(name) for name in names}


def excerpt(values: Mapping[str, Json]) -> tuple[dict[str, Json], list[str]]:
    """The values as they are kept, and the names of those that were cut: the beginning of each is left."""
    kept: dict[str, Json] = {}
    cut: list[str] = []
    left = MOST
    for name, value in values.items():
        knife = _Knife(min(LONGEST, left))
        kept[name] = knife.shorten(value)
        left = max(0, left - knife.taken)
        if knife.cut:
            cut.append(name)
    return kept, cut


class _Knife:
    """Takes a value up to so many characters, and does not look at the rest."""

    def __init__(self, room: int) -> None:
        self._room = self._left = room
        self.cut = False

    @property
    def taken(self) -> int:
        return self._room - self._left

    def shorten(self, value: Json) -> Json:
        if isinstance(value, str):
            kept = value if len(value) <= self._left else value[: self._left]
            self.cut = self.cut or len(kept) < len(value)
            self._left -= len(kept)
            return kept
        if isinstance(value, Mapping):
            pairs: dict[str, Json] = {}
            for name, each in value.items():
                if self._spent(len(name)):
                    break
                pairs[name] = self.shorten(each)
            return pairs
        if isinstance(value, list | tuple):
            items: list[Json] = []
            for each in value:
                if self._spent(2):
                    break
                items.append(self.shorten(each))
            return items
        self._left = max(0, self._left - SCALAR)
        return value

    def _spent(self, more: int) -> bool:
        """Whether there is no room for another entry; it takes some where there is."""
        if self._left < more:
            self.cut = True
            return True
        self._left -= more
        return False
