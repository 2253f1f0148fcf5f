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

BROUGHT: dict[str, str] = {
    "0.1": "nodes, edges, state and templates; handlers, llm, tool, tools, read, ask and fanout nodes",
    "0.2": "limits on routes",
    "0.3": "per in limits, retry and onError",
    "0.7": "the contract: description, inputs, outputs and requires",
    "0.9": "conversation, remembers, file channels and packages",
    "0.10": "forms: tool inputs, form nodes, editable approvals; show of an ask node, suggestions",
    "0.11": "views",
    "0.12": "page",
    "0.13": "flow nodes",
    "0.14": "a flow that runs as a step may ask the person",
    "0.15": "schema of an llm node",
    "0.16": "flow tests",
    "0.17": "asks and onCancel, fields taken from a channel, boxes with several lines, values drawn by their shape; in "
    "tests: reads, sequences, steps of a child and settings",
    "0.18": "evals",
    "0.19": "agent nodes",
    "0.20": "triggers",
    "0.21": "identity: id, name, createdBy and lastUpdatedBy",
    "0.22": "requires.users",
    "0.23": "requires.mcp",
    "0.24": "work nodes, and inputs of tools of MCP servers",
    "0.25": "shell; what a server is for is checked",
    "0.26": "layout, logo, who and colors of a page",
    "0.27": "needs of an approval",
    "0.28": "why of an approval",
    "0.29": "exhibits of an approval",
    "0.30": "collections that are asked",
    "0.31": "collections that are built",
    "0.32": "SKIP",
    "0.33": "databases",
    "1.0": "what this product adds",
}
"""Version → what it brought. A word's own version is its Dsl(since=…), and is one of these."""

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
