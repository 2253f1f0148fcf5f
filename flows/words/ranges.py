"""Version ranges of packages, as PyPI writes them (PEP 440): `>=2.9,<3`."""

from __future__ import annotations

import re

from packaging.specifiers import InvalidSpecifier, SpecifierSet

_NPM = re.compile(r"\s*([\^~]?)\s*v?(\d+)(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?\s*")


def is_range(text: str) -> bool:
    """Is this a range, with at least one clause?"""
    try:
        return bool(len(SpecifierSet(text)))
    except InvalidSpecifier:
        return False


def is_empty(text: str) -> bool:
    """Is this a range that no version is in?"""
    return SpecifierSet(text).is_unsatisfiable()


def meant(text: str) -> str:
    """The range that other tools' way of writing it means: `^2.9` is `>=2.9,<3`; "" when nobody can say."""
    found = _NPM.fullmatch(text)
    if not found:
        return ""
    sign, *parts = found.groups()
    numbers = [int(part) for part in parts if part and part.isdecimal()]
    version = ".".join(map(str, numbers))
    if not sign and len(numbers) == 3:
        return f"=={version}"
    if sign == "^":
        # The first part that is not zero may not change.
        fixed = next((place for place, number in enumerate(numbers) if number), len(numbers) - 1)
    else:
        fixed = min(len(numbers), 2) - 1
    above = [*numbers[:fixed], numbers[fixed] + 1]
    return f">={version},<{'.'.join(map(str, above))}"
