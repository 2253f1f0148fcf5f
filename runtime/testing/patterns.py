"""Regular expressions that authors write, looked for with a limit: some take ages over a short text."""

from __future__ import annotations

import contextlib
import re
import signal
import threading
from collections.abc import Iterator
from types import FrameType

LONGEST_SECONDS = 1.0


class TakesTooLong(Exception):
    """The expression was not done in time."""


def found(pattern: str, text: str) -> bool:
    """Is the expression found somewhere in the text? Raises TakesTooLong."""
    with _limited(LONGEST_SECONDS):
        return re.search(pattern, text) is not None


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    # Matching looks for signals as it goes, and only the main thread gets any: the one in which tests are judged.
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("Expressions are looked for in the main thread.")

    def end(number: int, frame: FrameType | None) -> None:
        raise TakesTooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
