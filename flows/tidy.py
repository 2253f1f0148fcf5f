"""One order of keys for flows and the files beside them: that in which the words declare their fields.

Only the keys of words are moved. Objects that name things (state, routes, fields) keep their author's order, which
people see.
"""

from __future__ import annotations

import json
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from flows.blocks import VIEWS
from flows.blocks.base import View
from flows.kinds import BY_TYPE
from flows.words.agents import Registry
from flows.words.base import Json, Word, declared
from flows.words.document import Document
from flows.words.edge import ConditionalEdge, Edge, PlainEdge
from flows.words.evalfile import FlowEvals
from flows.words.node import Node
from flows.words.testfile import FlowTests
from flows.words.trigger import TYPES, Trigger, Triggers

FILES: dict[str, type[Word]] = {
    "flow": Document,
    "triggers": Triggers,
    "test": FlowTests,
    "eval": FlowEvals,
    "agents": Registry,
}
"""What a file is → the word that it holds."""

_LAST = ("approval", "errors")
"""Parts of a node that are read after what it does."""


def written(value: Json) -> str:
    """JSON as files of flows are written: two spaces, every letter as itself, one line break at the end."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def tidy(value: Json, word: type[Word]) -> Json:
    """The same value with its keys in order. Keys that the word does not know come last; nothing is left out."""
    word = _narrowed(value, word)
    if not isinstance(value, dict):
        return value
    fields = {key: (name, dsl.tab in _LAST and issubclass(word, Node)) for name, (key, dsl) in declared(word).items()}
    order = sorted((key for key in fields if key in value), key=lambda key: fields[key][1])
    return {
        **{key: _inside(value[key], word.model_fields[fields[key][0]].annotation) for key in order},
        **{key: each for key, each in value.items() if key not in fields},
    }


def _narrowed(value: Json, word: type[Word]) -> type[Word]:
    """The word of this very node, edge, view or trigger."""
    type = value.get("type") if isinstance(value, dict) else None
    named = type if isinstance(type, str) else ""
    if word is Node:
        kind = BY_TYPE.get(named or "handler")
        return kind.fields if kind else word
    if word is Edge:
        return ConditionalEdge if named or "routes" in value else PlainEdge
    if word is Trigger:
        return TYPES.get(named, word)
    return VIEWS.get(named, word) if word is View else word


def _inside(value: Json, annotation: Any) -> Json:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _inside(value, get_args(annotation)[0])
    if origin in (Union, UnionType):
        return _member(value, [each for each in get_args(annotation) if each is not type(None)])
    if origin is list and isinstance(value, list):
        return [_inside(each, get_args(annotation)[0]) for each in value]
    if origin is dict and isinstance(value, dict):
        return {key: _inside(each, get_args(annotation)[1]) for key, each in value.items()}
    if isinstance(annotation, type) and issubclass(annotation, Word):
        return tidy(value, annotation)
    return value


def _member(value: Json, members: list[Any]) -> Json:
    """In order after whichever member of a union the value is: the one that knows most of its keys."""
    words = [word for each in members if (word := _word_of(each)) is not None]
    if isinstance(value, dict) and words:
        return tidy(value, max(words, key=lambda word: len(value.keys() & {key for key, _ in declared(word).values()})))
    for each in members:
        bare = get_args(each)[0] if get_origin(each) is Annotated else each
        if get_origin(bare) in (list, dict) and isinstance(value, get_origin(bare) or ()):
            return _inside(value, bare)
    return value


def _word_of(annotation: Any) -> type[Word] | None:
    bare = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    return bare if isinstance(bare, type) and issubclass(bare, Word) else None
