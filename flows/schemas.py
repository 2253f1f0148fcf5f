"""The published JSON Schema of every kind of file: flows, and what stands beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic.json_schema import models_json_schema

from flows.schema import DIALECT
from flows.schema import schema as flow_schema
from flows.words.base import Json, Word
from flows.words.evalfile import FlowEvals
from flows.words.matcher import Matcher
from flows.words.testfile import FlowTests
from flows.words.trigger import TYPES, Trigger, Triggers
from flows.words.versions import NEWEST


def triggers_schema() -> dict[str, Json]:
    """The schema of triggers.json."""
    made = _made("Triggers", Triggers, list(TYPES.values()))
    refs = [{"$ref": f"#/$defs/{word.__name__}"} for word in TYPES.values()]
    made["properties"]["triggers"]["items"] = {"anyOf": refs}
    made["$defs"].pop(Trigger.__name__, None)
    return made


def test_schema() -> dict[str, Json]:
    """The schema of a *.test.json. A value may be a matcher wherever one is expected."""
    return _made("Tests", FlowTests, [Matcher])


def eval_schema() -> dict[str, Json]:
    """The schema of a *.eval.json."""
    return _made("Evals", FlowEvals, [])


SCHEMAS: dict[str, Callable[[], dict[str, Json]]] = {
    "flow": flow_schema,
    "triggers": triggers_schema,
    "test": test_schema,
    "eval": eval_schema,
}
"""What a file is → its schema, published as docs/schema/<name>.schema.json."""


def _made(title: str, word: type[Word], more: Sequence[type[Word]]) -> dict[str, Any]:
    names, made = models_json_schema([(each, "validation") for each in (word, *more)])
    words: dict[str, Any] = made["$defs"]
    top = words.pop(names[(word, "validation")]["$ref"].rpartition("/")[2])
    found = {"$schema": DIALECT, **top, "title": title, "x-version": NEWEST, "$defs": words}
    for each in (found, *words.values()):
        for field in each.get("properties", {}).values():
            field.pop("title", None)
    return found
