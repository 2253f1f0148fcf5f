"""Why a document cannot be read, in words that whoever gave it can act on."""

from __future__ import annotations


class Unreadable(Exception):
    """code names the reason. message goes on after the document's name: `is locked with a password. Give …`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def damaged(kind: str) -> Unreadable:
    return Unreadable("DOCUMENT_DAMAGED", f"is no {kind} that can be opened: it is damaged, or only a part of it came.")


def locked() -> Unreadable:
    return Unreadable("DOCUMENT_LOCKED", "is protected by a password. Give a copy without one.")
