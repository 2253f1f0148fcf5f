"""Text that came from outside, as every database can keep it."""

from __future__ import annotations


def storable(text: str) -> str:
    """With U+FFFD in place of NUL, which PostgreSQL does not store, and of each half of a character without its other.

    NUL is not left out: a name with one would become another name.
    """
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Joined:
    """Text that comes in pieces, of which one may end in the middle of a character."""

    def __init__(self) -> None:
        self._half = ""

    def pass_on(self, text: str) -> str:
        """The piece, storable; half a character at its end waits for the next one."""
        text = self._half + text
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return storable(text[: len(text) - len(self._half)])

    def rest(self) -> str:
        """What still waits when nothing more comes."""
        half, self._half = self._half, ""
        return storable(half)


def one_line(text: str) -> str:
    """What a stranger's program said, as a sentence of ours may quote it: on one line, without control characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in storable(text)).split())
