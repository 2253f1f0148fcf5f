"""What a server says that it offers: each tool's name, words and arguments, and a hash that names all of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from runtime import canonical
from runtime.storable import storable

Json = Any

MOST_TOOLS = 500
LONGEST_WORDS = 8_000
LARGEST_SCHEMA = 60_000
LARGEST_LIST = 1_000_000
"""So many characters of all tools of a server; those after them are left out, as too large ones are."""


@dataclass(frozen=True)
class Definition:
    """A tool as its server describes it. schema: JSON Schema of its arguments. reads: the server claims it only reads.

    wrapped: the server puts a plain result into {"result": …} because results must be objects.
    """

    name: str
    description: str
    schema: Mapping[str, Json]
    reads: bool = False
    wrapped: bool = False

    @property
    def sha(self) -> str:
        """Names everything that a person looked at, and everything that a model is told."""
        said = [self.name, self.description, dict(self.schema), self.reads, self.wrapped]
        return hashlib.sha256(canonical.encode(said)).hexdigest()

    def plain(self) -> dict[str, Json]:
        """As it is kept."""
        return {
            "name": self.name, "description": self.description, "schema": dict(self.schema), "reads": self.reads,
            "wrapped": self.wrapped,
        }  # fmt: skip


def read(kept: Mapping[str, Json]) -> Definition:
    """The definition that `plain` gave."""
    return Definition(**kept)


def taken(name: Json, description: Json, schema: Json, hints: Json, output: Json) -> Definition | None:
    """A tool as a server lists it, or None for one without a name to keep it by, or too large to be read."""
    if not isinstance(name, str) or not 0 < len(name) <= 200 or name != storable(name):
        return None
    schema = schema if isinstance(schema, Mapping) else {}
    try:
        if len(canonical.encode(schema)) > LARGEST_SCHEMA:
            return None
    except canonical.NotCanonical:
        return None
    words = description if isinstance(description, str) else ""
    reads = isinstance(hints, Mapping) and hints.get("readOnlyHint") is True
    return Definition(name, storable(words)[:LONGEST_WORDS], dict(schema), reads, _wraps(output))


def named(tools: Iterable[Definition | None]) -> dict[str, Definition]:
    """The tools by name; the first of a name counts."""
    found: dict[str, Definition] = {}
    size = 0
    for tool in tools:
        if tool is None or tool.name in found:
            continue
        size += len(canonical.encode(tool.plain()))
        if len(found) == MOST_TOOLS or size > LARGEST_LIST:
            break
        found[tool.name] = tool
    return found


def _wraps(output: Json) -> bool:
    properties = output.get("properties") if isinstance(output, Mapping) else None
    title = output.get("title") if isinstance(output, Mapping) else None
    return (
        isinstance(properties, Mapping) and set(properties) == {"result"}
        and isinstance(title, str) and title.endswith("Output")
    )  # fmt: skip
