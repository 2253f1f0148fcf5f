"""What names may look like, and which are taken."""

from __future__ import annotations

import keyword
import re
from typing import NamedTuple

from flows.words.label import label

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


class Given(NamedTuple):
    """A channel that exists by itself: what it holds, and the keys of that."""

    name: str
    help: str
    keys: tuple[str, ...] = ()


GIVEN = (
    Given(HISTORY, "The conversation so far, where the flow keeps it."),
    Given(APPROVAL, "What a person decided last in this run; empty before.", ("node", "approved", "answer")),
    Given(ERROR, "What failed last, and where; empty once a step works.", ("node", "message")),
)
"""What prompts may read without declaring it."""


def variable(name: str) -> str:
    """How a name is spelled in an environment variable: `hrPolicies` is HR_POLICIES."""
    return label(name).upper().replace(" ", "_")


def is_name(text: str) -> bool:
    """May this be the id of a node or the name of a field?"""
    return NAME.fullmatch(text) is not None


def is_code_name(text: str) -> bool:
    """May code see this name: a channel, handler, router, tool, service or setting?"""
    return CODE_NAME.fullmatch(text) is not None and not keyword.iskeyword(text)
