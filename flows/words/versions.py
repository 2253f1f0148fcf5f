"""Versions of the language: which there are, how they compare, and from which one a word may be used.

0.1 to 0.33 are the reference's; 0.34 to 0.53, its own later numbers, mean the same language as 0.33. What this
product adds is 1.0.
"""

from __future__ import annotations

import re
from functools import lru_cache

NEWEST = "1.0"
REFERENCE = "0.33"
"""The newest version of the reference's own words."""

LATER_ALIASES = range(34, 54)

_VERSION = re.compile(r"(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})")


@lru_cache(maxsize=256)
def parse(version: str) -> tuple[int, int] | None:
    """The parts of a version as numbers; None when it is none. "0.10" is (0, 10), after "0.9"."""
    found = _VERSION.fullmatch(version)
    return (int(found.group(1)), int(found.group(2))) if found else None


def is_known(version: str) -> bool:
    """Is this a version that this product runs?"""
    parts = parse(version)
    if parts is None:
        return False
    major, minor = parts
    return (major == 0 and (1 <= minor <= 33 or minor in LATER_ALIASES)) or parts == (1, 0)


@lru_cache(maxsize=1024)
def below(version: str, since: str) -> bool:
    """Is the version older than the one that brought a word? Unknown versions are below none."""
    parts, needed = parse(version), parse(since)
    return parts is not None and needed is not None and is_known(version) and parts < needed
