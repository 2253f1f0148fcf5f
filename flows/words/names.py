"""What names may look like, and which are taken."""

from __future__ import annotations

import keyword
import re

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
CODE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
ROUTE_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
PACKAGE_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")

END = "END"
SKIP = "SKIP"
RESERVED_NODES = ("START", END, SKIP)
HISTORY = "history"
APPROVAL, ERROR, VISITS = "__approval", "__error", "__visits"
READABLE = (APPROVAL, ERROR)
"""The engine's own channels that prompts and code may read."""


def is_name(text: str) -> bool:
    """May this be the id of a node or the name of a field?"""
    return NAME.fullmatch(text) is not None


def is_code_name(text: str) -> bool:
    """May code see this name: a channel, handler, router, tool, service or setting?"""
    return CODE_NAME.fullmatch(text) is not None and not keyword.iskeyword(text)
