"""One form for the same flow: canonical bytes that do not depend on the order of keys, and their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import rfc8785

from flows.words.base import Json
from flows.words.document import Document

ORDERED = ("fields", "inputs", "of", "when", "properties")
"""Objects whose keys are drawn or asked in their order: it means something to people, though not to JSON."""


def canonical(document: Document | Json) -> bytes:
    """RFC 8785 JSON of a document, or of any JSON value."""
    return rfc8785.dumps(document.plain() if isinstance(document, Document) else document)


def sha(document: Document | Json) -> str:
    """SHA-256 of the canonical form, in hex."""
    return hashlib.sha256(canonical(document)).hexdigest()


def order(document: Json) -> list[Json]:
    """The key order of every object in which order means something, as sorted [path, [keys]] pairs."""
    return sorted(_orders(document, ""))


def _orders(value: Json, path: str) -> Iterator[list[Json]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            here = f"{path}/{key}"
            if key in ORDERED and isinstance(each, Mapping) and len(each) > 1:
                yield [here, list(each)]
            yield from _orders(each, here)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _orders(each, f"{path}/{index}")
