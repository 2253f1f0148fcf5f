"""Documents after operations, and what there is to look at in them."""

from __future__ import annotations

from typing import Any

import pytest

from flows.edits.apply import Applied, EditRefused, apply
from flows.edits.changes import Sketch

Json = Any


def edited(document: Json, *operations: Json) -> Applied:
    return apply(Sketch(document, {"nodes": {}, "comments": []}), operations)


def codes(document: Json, *operations: Json) -> list[tuple[int, str]]:
    with pytest.raises(EditRefused) as refused:
        edited(document, *operations)
    return [(each.operation, each.code) for each in refused.value.problems]


def node(applied: Applied, id: str) -> Json:
    return next(node for node in applied.document["nodes"] if node["id"] == id)


def edge(applied: Applied, from_: str) -> Json:
    return next((edge for edge in applied.document["edges"] if edge["from"] == from_), None)


def found(applied: Applied) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in applied.problems]
