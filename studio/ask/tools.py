"""The tools of the Ask bar: one for each operation of an edit, and four for reading and for several edits in one.

They are declared by the operations themselves; nothing about an operation is written here a second time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from flows import reference
from flows.edits.apply import EditRefused, parse
from flows.edits.operation import Operation
from flows.edits.operations import OPERATIONS
from flows.words.strictjson import JsonRefused, loads

Json = Any

NOT_FOR_MODELS = frozenset({"paste", "setDocument", "move", "addComment", "changeComment", "removeComment"})
"""Operations that would rewrite more than was asked for, or that only say where things stand."""

HIDDEN = {"addNode": {"position"}, "setField": {"was"}}
"""Arguments that no model knows."""

CONTRACT = {
    "name": {"type": "string", "description": "What people call the flow."},
    "description": {"type": "string", "description": "What the whole flow does, start to finish."},
    "inputs": {"type": "array", "items": {"type": "string"}, "description": "The channels a run starts from."},
    "outputs": {"type": "array", "items": {"type": "string"}, "description": "The channels shown at the end."},
    "conversation": {"type": "boolean", "description": "Whether the flow keeps its conversation, as {{history}}."},
    "suggestions": {"type": "array", "items": {"type": "string"}, "description": "Three to five things to begin with."},
    "requires": {"type": "object", "description": "What a deployment has to set; see read_reference of contract."},
}
READ = frozenset({"read_reference", "read_flow", "check_readiness"})


class BadCall(Exception):
    """A call that cannot be read. The message is for the model and says what to write instead."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Wanted:
    """A call that can be carried out. operations: for those that edit; else arguments."""

    tool: str
    arguments: dict[str, Json]
    operations: tuple[Operation, ...] = ()


def declared() -> tuple[dict[str, Json], ...]:
    """The tools as the wire declares them."""
    return _declared(", ".join(each.name for each in reference.topics()))


@cache
def _declared(topics: str) -> tuple[dict[str, Json], ...]:
    return (
        _function(
            "read_reference",
            f"Read a topic of the language's reference before you use what it explains. Topics: {topics}.",
            {"topic": {"type": "string", "description": "The topic's name."}},
            ["topic"],
        ),
        _function(
            "read_flow",
            "Read the flow as it stands now, your edits included: all of it, or one part by its name.",
            {"part": {"type": "string", "description": "A node's id, or a channel's or tool's name. Left out: all."}},
        ),
        _function("check_readiness", "Name everything that is wrong with the flow or could be better."),
        _function(
            "describe_flow_contract",
            "Say what the flow is for, what it starts from and what it shows. Only what is given is changed.",
            CONTRACT,
        ),
        *(_operation(name, kind) for name, kind in OPERATIONS.items() if name not in NOT_FOR_MODELS),
    )


def names() -> list[str]:
    return [each["function"]["name"] for each in declared()]


def read(name: str, text: str) -> Wanted:
    """A call as the model wrote it, ready to be carried out. Raises BadCall."""
    if name not in names():
        raise BadCall("TOOL_UNKNOWN", f"There is no tool {name[:80]!r}. The tools are {', '.join(names())}.")
    try:
        given = loads(text) if text.strip() else {}
    except JsonRefused as refused:
        raise BadCall(
            "ARGUMENTS_BROKEN",
            f"The arguments are not JSON: {refused.message} Write the call again, as one whole JSON object.",
        ) from refused
    if not isinstance(given, dict):
        raise BadCall("ARGUMENTS_BROKEN", "The arguments are one JSON object with the names that the tool declares.")
    if name == "describe_flow_contract":
        return Wanted(name, given, _contract(given))
    if name in READ:
        return Wanted(name, _few(name, given))
    given = {key: value for key, value in given.items() if key not in HIDDEN.get(name, ())}
    given.pop("op", None)
    if given.get("value", "") is None:
        # Models write null where they mean that the field is to go.
        del given["value"]
    return Wanted(name, given, _read([{"op": name, **given}]))


def _few(name: str, given: dict[str, Json]) -> dict[str, Json]:
    parameters = next(each["function"]["parameters"] for each in declared() if each["function"]["name"] == name)
    unknown = [key for key in given if key not in parameters["properties"]]
    missing = [key for key in parameters.get("required", []) if key not in given]
    if unknown or missing or not all(isinstance(value, str) for value in given.values()):
        raise BadCall("ARGUMENTS_WRONG", f"{name} takes {json.dumps(parameters['properties'])}.")
    return given


def _contract(given: dict[str, Json]) -> tuple[Operation, ...]:
    unknown = [key for key in given if key not in CONTRACT]
    if unknown or not given:
        raise BadCall("ARGUMENTS_WRONG", f"describe_flow_contract takes {', '.join(CONTRACT)}; give at least one.")
    return _read(
        {"op": "setField", "on": {"flow": True}, "path": [key], "value": value} for key, value in given.items()
    )


def _read(operations: Iterable[Json]) -> tuple[Operation, ...]:
    try:
        return tuple(parse(list(operations)))
    except EditRefused as refused:
        said = " ".join(f"{each.message} {each.hint}".rstrip() for each in refused.problems[:5])
        raise BadCall("ARGUMENTS_WRONG", said) from refused


def _function(
    name: str, description: str, properties: Mapping[str, Json] | None = None, required: list[str] | None = None
) -> dict[str, Json]:
    parameters: dict[str, Json] = {
        "type": "object",
        "properties": dict(properties or {}),
        "additionalProperties": False,
    }
    if required:
        parameters["required"] = required
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _operation(name: str, kind: type[Operation]) -> dict[str, Json]:
    schema = kind.model_json_schema(by_alias=True)
    definitions = schema.get("$defs", {})
    hidden = {"op", *HIDDEN.get(name, ())}
    properties = {key: _plain(value, definitions) for key, value in schema["properties"].items() if key not in hidden}
    required = [key for key in schema.get("required", []) if key not in hidden]
    return _function(name, " ".join((kind.__doc__ or "").split()), properties, required)


def _plain(schema: Json, definitions: Mapping[str, Json]) -> Json:
    """The schema without references, titles and nulls, which some servers do not understand."""
    if isinstance(schema, list):
        return [_plain(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        found = definitions[schema["$ref"].rsplit("/", 1)[1]]
        return _plain({**found, **{key: value for key, value in schema.items() if key != "$ref"}}, definitions)
    kept = {key: value for key, value in schema.items() if key not in ("title", "default", "discriminator")}
    choices = [each for each in kept.get("anyOf", []) if each != {"type": "null"}]
    if "anyOf" in kept and len(choices) == 1:
        del kept["anyOf"]
        kept = {**choices[0], **kept}
        return _plain(kept, definitions)
    if "anyOf" in kept:
        kept["anyOf"] = choices
    return {
        key: {name: _plain(inner, definitions) for name, inner in value.items()}
        if key == "properties"
        else _plain(value, definitions)
        for key, value in kept.items()
    }
