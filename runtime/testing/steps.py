"""Steps as people and tests name them, and the path that a run took through them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from runtime.events import StepFinished
from runtime.stepname import named as plain

__all__ = ["path_of", "plain", "visit"]

_COPY = re.compile(r"\[\d+\](#\d+)?")


def visit(address: str) -> int:
    """Which visit of the step it is, within the visit above."""
    found = re.search(r"#(\d+)$", address)
    return int(found.group(1)) if found else 1


def path_of(finished: Iterable[StepFinished]) -> list[str]:
    """The nodes in the order in which they finished. Copies of one fan-out are one entry: their order says nothing."""
    path: list[str] = []
    copies: set[str] = set()
    for event in finished:
        spread = _COPY.sub("[]", event.address)
        if spread != event.address:
            if spread in copies:
                continue
            copies.add(spread)
        path.append(plain(event.address))
    return path
