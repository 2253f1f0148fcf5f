"""How a step is named: `find/read_one/ask_which` for people and tests, `find#2/read_one[3]/ask_which#1` for ledgers.

`/` enters a flow that a step runs, `#n` counts visits inside the visit above, `[i]` is an item's place in a fan-out,
from 0. Topic of the decision: docs/decisions/010-flows-inside-flows.md.
"""

from __future__ import annotations

import re

_PLACES = re.compile(r"\[\d+\]")
_COUNTS = re.compile(r"#\d+|\[\d+\]")


def named(address: str) -> str:
    """The step as people name it."""
    return _COUNTS.sub("", address)


def gathered(address: str) -> str:
    """The same for all copies of a fan-out: `each[*]`."""
    return _PLACES.sub("[*]", address)


def visit_of(node: str, number: int) -> str:
    """The last part of the address of a visit."""
    return f"{node}#{number}"


def copy_of(node: str, visit: int, index: int) -> str:
    """The last part of the address of a copy. Only a fan-out that runs again needs the number of its visit."""
    return f"{node}[{index}]" if visit == 1 else f"{node}#{visit}[{index}]"


def is_inside(address: str) -> bool:
    """Does the step belong to a flow inside the one on top, or to a copy, so that what it writes is not yet said?"""
    return "/" in address or "[" in address
