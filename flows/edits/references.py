"""What names what: every text in a raw document that names a channel, a node, a tool or a route, by the words' Dsl.

The document may be broken: a part that is not of the type its word declares holds no references, and hides none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from flows.blocks import VIEWS
from flows.blocks.base import View
from flows.kinds import BY_TYPE
from flows.words.base import Dsl, Ref, Word, declared
from flows.words.channel import Channel
from flows.words.document import Document
from flows.words.edge import ConditionalEdge, PlainEdge
from flows.words.node import Node
from flows.words.tool import Tool

Json = Any
Path = tuple[str | int, ...]
PARTS = ("tools", "state", "nodes", "edges", "views")


class Reference(NamedTuple):
    """One text that names something. field: the path of the field it stands in; optional: the field may be left out."""

    ref: Ref
    text: str
    path: Path
    field: Path
    optional: bool


class _Member(NamedTuple):
    """A field of a word. holds: how the words inside it stand, alone, in a list or by name; "" when there are none."""

    key: str
    dsl: Dsl
    optional: bool
    holds: str
    inner: type[Word]


@cache
def _members(word: type[Word]) -> tuple[_Member, ...]:
    return tuple(
        _Member(key, dsl, not field.is_required(), *(_inner(field.annotation) or ("", Word)))
        for name, (key, dsl) in declared(word).items()
        for field in [word.model_fields[name]]
    )


def _inner(annotation: Any) -> tuple[str, type[Word]] | None:
    if isinstance(annotation, type) and issubclass(annotation, Word):
        return "one", annotation
    parts: tuple[Any, ...] = getattr(annotation, "__args__", ())
    origin = getattr(annotation, "__origin__", None)
    if origin in (list, dict):
        found = _inner(parts[-1])
        return (origin.__name__, found[1]) if found else None
    return next((found for part in parts if (found := _inner(part))), None)


def references(document: Json, *refs: Ref) -> Iterator[Reference]:
    """Every reference of the given sorts; of all of them when none is given."""
    if not isinstance(document, dict):
        return
    for word, raw, path in _words(document):
        for found in _of_word(word, raw, path):
            if not refs or found.ref in refs:
                yield found


def _words(document: dict[str, Json]) -> Iterator[tuple[type[Word], Json, Path]]:
    yield Document, {key: each for key, each in document.items() if key not in PARTS}, ()
    for index, each in enumerate(_list(document.get("tools"))):
        yield Tool, each, ("tools", index)
    state = document.get("state")
    for name, each in state.items() if isinstance(state, dict) else ():
        yield Channel, each, ("state", name)
    for index, each in enumerate(_list(document.get("nodes"))):
        yield word_of_node(each), each, ("nodes", index)
    for index, each in enumerate(_list(document.get("edges"))):
        yield ConditionalEdge if is_conditional(each) else PlainEdge, each, ("edges", index)
    for index, each in enumerate(_list(document.get("views"))):
        type_ = each.get("type") if isinstance(each, dict) else None
        yield VIEWS.get(type_, View) if isinstance(type_, str) else View, each, ("views", index)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def word_of_node(raw: Json) -> type[Word]:
    """The word of a node's kind; what all nodes have when the kind is unknown."""
    type_ = raw.get("type", "handler") if isinstance(raw, dict) else None
    kind = BY_TYPE.get(type_) if isinstance(type_, str) else None
    return kind.fields if kind else Node


def is_conditional(edge: Json) -> bool:
    """Is this an edge whose way is chosen, as far as it is written?"""
    if not isinstance(edge, dict):
        return False
    return edge.get("type") == "conditional" or ("to" not in edge and bool({"routes", "router", "when"} & edge.keys()))


def _of_word(word: type[Word], raw: Json, path: Path) -> Iterator[Reference]:
    if not isinstance(raw, dict):
        return
    for member in _members(word):
        if member.key not in raw:
            continue
        value, here = raw[member.key], (*path, member.key)
        if member.holds and not isinstance(value, str):
            for inner, place in _inside(member.holds, value, here):
                yield from _of_word(member.inner, inner, place)
        elif member.dsl.ref:
            for text, place in _texts(value, here):
                yield Reference(member.dsl.ref, text, place, here, member.optional)


def _inside(holds: str, value: Json, path: Path) -> Iterator[tuple[Json, Path]]:
    if holds == "one":
        yield value, path
    elif holds == "list":
        for index, each in enumerate(_list(value)):
            yield each, (*path, index)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield each, (*path, key)


def _texts(value: Json, path: Path) -> Iterator[tuple[str, Path]]:
    if isinstance(value, str):
        yield value, path
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _texts(each, (*path, index))
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _texts(each, (*path, key))


def strings(value: Json, path: Sequence[str | int] = ()) -> Iterator[tuple[str, Path]]:
    """Every text inside a value, with its path."""
    return _texts(value, tuple(path))
