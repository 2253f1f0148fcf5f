"""Regular when sentences, as the builder of conditions has them: what is read, how it is compared, with what."""

from __future__ import annotations

import re

_TESTS = (
    (r'is "(.*)"', "is"),
    (r"is empty()", "empty"),
    (r"is not empty()", "notEmpty"),
    (r"has at least (\d+) items?", "hasAtLeast"),
)


def comparison(words: str) -> tuple[str, str, str | None]:
    """(what is read, how it is compared, with what) of a sentence with one comparison."""
    found = re.fullmatch(r"'([\w.]+)' (.*)", words)
    assert found, words
    for pattern, test in _TESTS:
        matched = re.fullmatch(pattern, found[2])
        if matched:
            return found[1], test, matched[1] or None
    raise AssertionError(words)
