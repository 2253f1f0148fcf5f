"""The published JSON Schema (2020-12) of a flow, derived from the words. x-ref, x-widget, x-since and x-topic carry
what the words mean beyond their types; x-kind on a node says how the palette shows it."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from flows.blocks import VIEWS
from flows.blocks.base import View
from flows.kinds import KINDS
from flows.words.base import Json, Word
from flows.words.document import Document
from flows.words.edge import ConditionalEdge, Edge, PlainEdge
from flows.words.node import Node
from flows.words.versions import NEWEST

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Json]:
    """The schema of flow.json. It says less than check(): names, reachability and the like are rules."""
    nodes = [kind.fields for kind in KINDS]
    edges: list[type[Word]] = [PlainEdge, ConditionalEdge]
    views = list(VIEWS.values())
    names, made = models_json_schema([(word, "validation") for word in (Document, *nodes, *edges, *views)])
    words: dict[str, Any] = made["$defs"]
    refs = {word: names[(word, "validation")] for word in (Document, *nodes, *edges, *views)}
    document = words.pop(_name(refs[Document]))
    document["properties"]["nodes"]["items"] = {"anyOf": [refs[word] for word in nodes]}
    document["properties"]["edges"]["items"] = {"anyOf": [refs[word] for word in edges]}
    document["properties"]["views"]["items"] = {"anyOf": [refs[word] for word in views]}
    for base in (Node, Edge, View):
        words.pop(base.__name__, None)
    for kind in KINDS:
        words[_name(refs[kind.fields])]["x-kind"] = {
            "type": kind.type, "title": kind.title, "group": kind.group, "icon": kind.icon, "since": kind.since,
        }  # fmt: skip
    found = {"$schema": DIALECT, "title": "Flow", "x-version": NEWEST, **document, "$defs": words}
    return _without_titles(found)


def _name(ref: dict[str, Json]) -> str:
    return ref["$ref"].rpartition("/")[2]


def _without_titles(made: dict[str, Json]) -> dict[str, Json]:
    """pydantic titles every field by its name; only the words themselves have titles worth reading."""
    for word in (made, *made["$defs"].values()):
        for field in word.get("properties", {}).values():
            if isinstance(field, dict):
                field.pop("title", None)
    return made
