"""Text that came from outside, as every database can keep it."""

from __future__ import annotations


def storable(text: str) -> str:
    """Without NUL, which PostgreSQL does not store, and with a question mark for each half of a character."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def one_line(text: str) -> str:
    """What a stranger's program said, as a sentence of ours may quote it: on one line, without control characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in storable(text)).split())
