"""Text that came from outside, as every database can keep it."""

from __future__ import annotations


def storable(text: str) -> str:
    """Without NUL, which PostgreSQL does not store, and with a question mark for each half of a character."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "").encode("utf-8", "replace").decode()
