"""The channel in which what the copies of fan-outs give comes together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.channels.base import BaseChannel


class Gathered(BaseChannel[Any, Any, Any]):
    """What the copies of each fan-out gave so far: {fan-out: {"visit", "sent", "rest", "done": [[index, outcome]]}}.

    sent: how many copies have begun. rest: the items of those that have not.

    An update begins a fan-out with an object, adds outcomes with a list, and forgets it with None.
    """

    __slots__ = ("value",)

    def __init__(self, typ: Any = Any, key: str = "") -> None:
        super().__init__(typ, key)
        self.value: dict[str, Any] = {}

    @property
    def ValueType(self) -> Any:
        return Any

    @property
    def UpdateType(self) -> Any:
        return Any

    def from_checkpoint(self, checkpoint: Any) -> Gathered:
        found = Gathered(self.typ, self.key)
        found.value = dict(checkpoint) if isinstance(checkpoint, dict) else {}
        return found

    def get(self) -> Any:
        return self.value

    def update(self, values: Sequence[Any]) -> bool:
        if not values:
            return False
        new, own = dict(self.value), set[str]()
        for update in values:
            for fan, given in update.items():
                if given is None:
                    new.pop(fan, None)
                elif isinstance(given, dict):
                    new[fan] = given
                elif fan in new:
                    if fan not in own:
                        # The last checkpoint holds the list as it was.
                        new[fan] = {**new[fan], "done": [*new[fan]["done"]]}
                        own.add(fan)
                    new[fan]["done"].extend(given)
        self.value = new
        return True
