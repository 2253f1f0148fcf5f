"""The shape a model must answer in: its words, its own checks, and what is said of an answer that does not fit.

The types are the language's own (`list`, not JSON Schema's `array`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from flows.problem import Finding, at, listed, quoted, rule
from flows.words.base import Dsl, Json, Word, declared, keys, shape
from flows.words.jsontext import NoJson, extract_json

__all__ = ["NoJson", "Schema", "check_answer", "extract_json", "to_json_schema"]

MAX_COMPLAINTS = 20

AnswerType = Literal["string", "number", "boolean", "object", "list"]


class Schema(Word):
    """One value of an answer."""

    type: Annotated[AnswerType, Dsl(widget="choice", topic="types")] = Field(
        description="string, number, boolean, object or list."
    )
    description: Annotated[str, Field(max_length=2000), Dsl(widget="text")] = Field(
        "", description="What it means; it is put to the model."
    )
    properties: Annotated[
        dict[str, Schema] | None, Field(max_length=100), Dsl(widget="schema", belongs=("object",))
    ] = Field(None, description="On an object: name → the schema of each of its values.")
    required: Annotated[list[str] | None, Dsl(widget="list", belongs=("object",))] = Field(
        None, description="On an object: the names that may not be left out."
    )
    items: Annotated[Schema | None, Dsl(widget="schema", belongs=("list",))] = Field(
        None, description="On a list: the schema of each of its entries."
    )
    enum: Annotated[
        list[Json] | None,
        Field(max_length=500),
        Dsl(widget="list", belongs=("string", "number", "boolean"), label="Values allowed"),
    ] = Field(None, description="The values allowed.")
    minimum: Annotated[float | None, Dsl(widget="number", belongs=("number",))] = Field(
        None, description="On a number: the smallest."
    )
    maximum: Annotated[float | None, Dsl(widget="number", belongs=("number",))] = Field(
        None, description="On a number: the largest."
    )
    min_length: Annotated[int | None, Field(ge=0), Dsl(widget="number", belongs=("string",), label="Shortest")] = Field(
        None, description="On a string: the fewest characters."
    )
    max_length: Annotated[int | None, Field(ge=0), Dsl(widget="number", belongs=("string",), label="Longest")] = Field(
        None, description="On a string: the most characters."
    )


_MUST_BE = {
    "string": "a string",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "list": "a list",
}
_OWNER = {name: dsl.belongs for name, (_, dsl) in declared(Schema).items() if dsl.belongs}


def _is(type: str, value: Json) -> bool:
    if type == "string":
        return isinstance(value, str)
    if type == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if type == "boolean":
        return isinstance(value, bool)
    return isinstance(value, dict if type == "object" else list)


def check_answer(schema: Schema | Mapping[str, Json], value: Json, where: str) -> list[str]:
    """Everything in which an answer does not fit its schema, each a sentence naming the place; [] when it fits.

    where: the channel the answer lands in; `tasks[2].priority must be a string`. Only what is absent or null is
    missing: false, 0, "", [] and {} are answers.
    """
    plain = schema.plain() if isinstance(schema, Schema) else schema
    if _is_schema_itself(plain, value):
        return [
            f"{where} is the schema itself with the values inside it. "
            f"The answer must be {_MUST_BE[plain['type']]} of the shape that the schema describes."
        ]
    if value is None:
        return [f"{where} is missing"]
    return [complaint for complaint, _ in zip(_complaints(plain, value, where), range(MAX_COMPLAINTS), strict=False)]


def _is_schema_itself(schema: Mapping[str, Json], value: Json) -> bool:
    """Did the model send the schema back, where the values should have been?"""
    if not isinstance(value, dict) or value.get("type") != schema.get("type"):
        return False
    inside = "properties" if schema.get("type") == "object" else "items"
    own = schema.get("properties") or {}
    return inside in value and inside not in own and "type" not in own and isinstance(value[inside], dict | list)


def _complaints(schema: Mapping[str, Json], value: Json, where: str) -> Iterator[str]:
    type = schema["type"]
    if not _is(type, value):
        yield f"{where} must be {_MUST_BE[type]}"
        return
    allowed = schema.get("enum")
    if allowed is not None and not any(
        value == each and isinstance(value, bool) == isinstance(each, bool) for each in allowed
    ):
        yield f"{where} must be one of: {', '.join(_plain(each) for each in allowed)}"
    elif type == "number":
        if schema.get("minimum") is not None and value < schema["minimum"]:
            yield f"{where} must be at least {_plain(schema['minimum'])}"
        if schema.get("maximum") is not None and value > schema["maximum"]:
            yield f"{where} must be at most {_plain(schema['maximum'])}"
    elif type == "string":
        if len(value) < (schema.get("minLength") or 0):
            yield f"{where} must have at least {schema['minLength']} characters"
        if schema.get("maxLength") is not None and len(value) > schema["maxLength"]:
            yield f"{where} must have at most {schema['maxLength']} characters"
    elif type == "list":
        for index, each in enumerate(value):
            here = f"{where}[{index}]"
            if each is None:
                yield f"{here} is missing"
            else:
                yield from _complaints(schema["items"], each, here)
    elif type == "object":
        yield from _object(schema, value, where)


def _object(schema: Mapping[str, Json], value: dict[str, Json], where: str) -> Iterator[str]:
    properties = schema.get("properties") or {}
    needed = schema.get("required") or []
    for name, inner in properties.items():
        given = value.get(name)
        if given is not None:
            yield from _complaints(inner, given, f"{where}.{name}")
        elif name in needed:
            yield f"{where}.{name} is missing"
    for name in value:
        if name not in properties:
            yield f"{where}.{str(name)[:80]} is not in the schema"


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def to_json_schema(schema: Schema | Mapping[str, Json]) -> dict[str, Json]:
    """The schema as endpoints take it in response_format, strict: every property is listed as required, one that may
    be left out may be null, and none but the declared ones is allowed."""
    plain = schema.plain() if isinstance(schema, Schema) else schema
    return _outside(plain, optional=False)


def _outside(schema: Mapping[str, Json], optional: bool) -> dict[str, Json]:
    type = "array" if schema["type"] == "list" else schema["type"]
    found: dict[str, Json] = {"type": [type, "null"] if optional else type}
    for key in ("description", "minimum", "maximum", "minLength", "maxLength"):
        if schema.get(key) not in (None, ""):
            found[key] = schema[key]
    if schema.get("enum") is not None:
        found["enum"] = [*schema["enum"], None] if optional else list(schema["enum"])
    if schema["type"] == "list":
        found["items"] = _outside(schema["items"], optional=False)
    if schema["type"] == "object":
        needed = schema.get("required") or []
        properties = schema.get("properties") or {}
        found["properties"] = {name: _outside(each, name not in needed) for name, each in properties.items()}
        found["required"] = list(properties)
        found["additionalProperties"] = False
    return found


def _each(schema: Schema, path: str) -> Iterator[tuple[Schema, str]]:
    yield schema, path
    for name, inner in (schema.properties or {}).items():
        yield from _each(inner, at(path, "properties", name))
    if schema.items is not None:
        yield from _each(schema.items, at(path, "items"))


@rule("SCHEMA_HAS_NO_ITEMS")
def lists_say_their_items(schema: Schema, path: str) -> Iterator[Finding]:
    """A list of anything is no shape: an entry could not be checked."""
    for each, here in _each(schema, path):
        if each.type == "list" and each.items is None:
            yield (
                here,
                f"The list at {quoted(here)} does not say what its items are.",
                'Add "items": { "type": "string" }, or the schema its entries have.',
            )


@rule("SCHEMA_HAS_NO_PROPERTIES")
def objects_say_their_properties(schema: Schema, path: str) -> Iterator[Finding]:
    """An object of anything is no shape: its values could not be checked."""
    for each, here in _each(schema, path):
        if each.type == "object" and not each.properties:
            yield (
                here,
                f"The object at {quoted(here)} does not say its properties.",
                'Add "properties": { "name": { "type": "string" } }.',
            )


@rule("SCHEMA_REQUIRED")
def required_names_properties(schema: Schema, path: str) -> Iterator[Finding]:
    """required names some of the properties; another name could never be answered."""
    for each, here in _each(schema, path):
        for index, name in enumerate(each.required or []):
            if each.type == "object" and name not in (each.properties or {}):
                yield (
                    at(here, "required", index),
                    f"The schema requires {quoted(name)}, which is none of its properties.",
                    f"Its properties are {listed(each.properties or ['none'], 'and')}.",
                )


@rule("SCHEMA_WORD_MISPLACED")
def words_belong_to_their_type(schema: Schema, path: str) -> Iterator[Finding]:
    """minimum on a string would be ignored; a word that is ignored is refused instead."""
    for each, here in _each(schema, path):
        for name, types in _OWNER.items():
            if getattr(each, name) is not None and each.type not in types:
                key = keys(Schema)[list(Schema.model_fields).index(name)]
                yield (
                    at(here, key),
                    f"{quoted(key)} stands on a schema of the type {quoted(each.type)}; it belongs to {listed(types)}.",
                    f"Remove {quoted(key)}, or change the type.",
                )


@rule("SCHEMA_ENUM")
def enum_fits(schema: Schema, path: str) -> Iterator[Finding]:
    """Each value allowed has the schema's own type, and there is at least one."""
    for each, here in _each(schema, path):
        if each.enum is None or each.type not in _OWNER["enum"]:
            continue
        if not each.enum:
            yield (
                at(here, "enum"),
                f"The enum at {quoted(here)} names no values, so no answer fits.",
                "Name the values, or remove the enum.",
            )
        for index, value in enumerate(each.enum):
            if not _is(each.type, value):
                yield (
                    at(here, "enum", index),
                    f"A value of the enum is {shape(value)}, and the schema's type is {quoted(each.type)}.",
                    "Write values of the schema's own type.",
                )


@rule("SCHEMA_BOUNDS")
def bounds_leave_room(schema: Schema, path: str) -> Iterator[Finding]:
    """No answer lies between a minimum and a smaller maximum."""
    for each, here in _each(schema, path):
        for low, high, least, most in (
            ("minimum", "maximum", each.minimum, each.maximum),
            ("minLength", "maxLength", each.min_length, each.max_length),
        ):
            if least is not None and most is not None and least > most:
                yield (
                    at(here, low),
                    f"{quoted(low)} is {_plain(least)} and {quoted(high)} is {_plain(most)}: no answer fits both.",
                    "Change one of them.",
                )


RULES = (
    lists_say_their_items,
    objects_say_their_properties,
    required_names_properties,
    words_belong_to_their_type,
    enum_fits,
    bounds_leave_room,
)
