"""How long workers have had a run: what its working time is counted by."""

from __future__ import annotations

import math
import time


class Worked:
    """The working time of a run: before this worker, in seconds, and since. most: as much as it may take."""

    def __init__(self, before: float = 0.0, most: float = math.inf) -> None:
        self._before, self._most, self._began = before, most, time.monotonic()

    @property
    def seconds(self) -> float:
        return self._before + time.monotonic() - self._began

    @property
    def over(self) -> bool:
        return self.seconds >= self._most
