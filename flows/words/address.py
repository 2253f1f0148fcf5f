"""Addresses of flows: where one flow file stands, seen from the file that names it."""

from __future__ import annotations

import re

MAX_LENGTH = 300

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def fault_of(address: str) -> str:
    """What makes an address none, as the end of a sentence; "" when it is one."""
    if _SCHEME.match(address):
        return "is a drive or a web address"
    if address.startswith(("/", "~")):
        return "does not begin at this file"
    if "\\" in address:
        return "has a backslash, where a path has /"
    if any(ord(letter) < 32 for letter in address) or address != address.strip():
        return "holds signs that no path has"
    parts = address.split("/")
    if "" in parts or parts[-1] in (".", ".."):
        return "names no file"
    return ""


def resolve(address: str, file: str) -> str | None:
    """The path that an address means in a file, both seen from the top of the tree; None when it leaves the tree.

    file: the path of the flow file that names it.
    """
    where = file.split("/")[:-1]
    for part in address.split("/"):
        if part == "..":
            if not where:
                return None
            where.pop()
        elif part != ".":
            where.append(part)
    return "/".join(where)
