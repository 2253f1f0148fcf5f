"""A notice that did not arrive, or not everywhere."""

from __future__ import annotations

from collections.abc import Sequence


class Undelivered(Exception):
    """The message did not arrive. is_final: another try would end the same way. reached: who has it nevertheless."""

    def __init__(self, message: str, *, is_final: bool = False, reached: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message, self.is_final, self.reached = message, is_final, tuple(reached)
