"""A schema from outside (JSON Schema, as tools describe what they take) read as fields a person can fill in.

Nothing converts the other way. JSON Schema's `array` becomes `list` here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from flows.problem import Problem, quoted
from flows.words.base import Json, read
from flows.words.fields import ROW_TYPES, Field, Fields, FieldType, holds

MAX_FIELDS = 60

_TYPES = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "array": "list",
    "object": "object",
}
_OWN_TYPES = set(get_args(FieldType))


class FieldsRefused(ValueError):
    """The value is neither fields nor a JSON Schema of an object. The message is a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def from_json_schema(schema: Json) -> Fields:
    """Read fields out of the language's own fields, or of a JSON Schema of an object. Raises FieldsRefused.

    required marks fields required, enum becomes a choice, maxLength is kept, an array of objects becomes rows,
    integer is a number, a date format a date. {} gives no fields.
    """
    if not isinstance(schema, Mapping):
        raise FieldsRefused("what it holds is not an object of fields")
    root = _resolved(schema, schema)
    properties = root.get("properties")
    is_schema = isinstance(properties, Mapping) and (root.get("type", "object") == "object")
    if is_schema:
        return _from_properties(root, schema)
    if root.get("type") == "object" or "$schema" in root:
        return {}
    return _own(schema)


def _own(mapping: Mapping[str, Json]) -> Fields:
    if len(mapping) > MAX_FIELDS:
        raise FieldsRefused(f"it holds {len(mapping)} fields, and a form takes at most {MAX_FIELDS}")
    fields: dict[str, Field] = {}
    for name, raw in mapping.items():
        field, problems = read(Field, raw, "", f"field {quoted(name)}")
        if field is None:
            raise FieldsRefused(f"its field {quoted(name)} cannot be read: {_first(problems)}")
        fields[name] = field
    return fields


def _first(problems: list[Problem]) -> str:
    return problems[0].message.rstrip(".") if problems else "it is no field"


def _from_properties(root: Mapping[str, Json], whole: Mapping[str, Json]) -> Fields:
    properties = root["properties"]
    if len(properties) > MAX_FIELDS:
        raise FieldsRefused(f"it holds {len(properties)} fields, and a form takes at most {MAX_FIELDS}")
    needed = root.get("required")
    required = {name for name in needed if isinstance(name, str)} if isinstance(needed, list) else set()
    return {
        str(name): Field.model_validate(_field(each, whole, str(name) in required)) for name, each in properties.items()
    }


def _field(schema: Json, whole: Mapping[str, Json], required: bool, row: bool = False) -> dict[str, Json]:
    """One property as a field. What a field cannot say (pattern, minimum …) is left to whoever takes the value."""
    schema, nullable = _plain_shape(schema, whole)
    field: dict[str, Json] = {"type": _type(schema)}
    if required and not nullable:
        field["required"] = True
    if isinstance(schema.get("title"), str):
        field["label"] = schema["title"][:120]
    if isinstance(schema.get("description"), str):
        field["description"] = schema["description"][:1000]
    _limits(field, schema)
    if field["type"] == "list" and not row:
        of = _rows(schema.get("items"), whole)
        if of:
            field["of"] = of
    return field


def _limits(field: dict[str, Json], schema: Mapping[str, Json]) -> None:
    """enum, const, default and maxLength, where the field could keep them."""
    options = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(options, list):
        plain = [option for option in options if isinstance(option, str | int | float | bool)]
        if plain and len(plain) <= 200:
            field["options"] = plain
            kinds = {"boolean" if isinstance(o, bool) else "string" if isinstance(o, str) else "number" for o in plain}
            field["type"] = kinds.pop() if len(kinds) == 1 else "any"
    if schema.get("default") is not None and holds(field["type"], schema["default"]):
        field["default"] = schema["default"]
    longest = schema.get("maxLength")
    if isinstance(longest, bool) or not isinstance(longest, int) or not 1 <= longest <= 100_000:
        return
    if field["type"] in ("string", "text"):
        field["maxLength"] = longest
        if longest > 300 and "options" not in field:
            field["type"] = "text"


def _rows(items: Json, whole: Mapping[str, Json]) -> dict[str, Json] | None:
    """The fields of one row, when the array's entries are objects of plain values; else None."""
    entry, _ = _plain_shape(items, whole)
    properties = entry.get("properties")
    if not isinstance(properties, Mapping) or not properties or len(properties) > 20:
        return None
    needed = entry.get("required")
    required = {name for name in needed if isinstance(name, str)} if isinstance(needed, list) else set()
    of = {str(name): _field(each, whole, str(name) in required, row=True) for name, each in properties.items()}
    return of if all(field["type"] in ROW_TYPES for field in of.values()) else None


def _type(schema: Mapping[str, Json]) -> str:
    kind = schema.get("type")
    if kind == "string" and schema.get("format") == "date":
        return "date"
    if isinstance(kind, str):
        return _TYPES.get(kind) or (kind if kind in _OWN_TYPES else "any")
    return "object" if isinstance(schema.get("properties"), Mapping) else "any"


def _plain_shape(schema: Json, whole: Mapping[str, Json]) -> tuple[Mapping[str, Any], bool]:
    """The schema without references, and without "or null", which only says that it may be left out."""
    found = _resolved(schema, whole)
    nullable = False
    for word in ("anyOf", "oneOf"):
        choices = found.get(word)
        if isinstance(choices, list):
            real = [each for each in choices if isinstance(each, Mapping) and each.get("type") != "null"]
            nullable = nullable or len(real) < len(choices)
            if len(real) == 1:
                rest = {key: each for key, each in found.items() if key != word}
                found = {**_resolved(real[0], whole), **rest}
    kinds = found.get("type")
    if isinstance(kinds, list):
        real = [kind for kind in kinds if kind != "null"]
        nullable = nullable or len(real) < len(kinds)
        found = {**found, "type": real[0] if len(real) == 1 else None}
    return found, nullable


def _resolved(schema: Json, whole: Mapping[str, Json]) -> Mapping[str, Any]:
    """Follow local references (`#/$defs/Row`), at most eight of them."""
    found = schema
    for _ in range(8):
        ref = found.get("$ref") if isinstance(found, Mapping) else None
        if not isinstance(ref, str) or not ref.startswith("#/"):
            break
        target: Json = whole
        for step in ref[2:].split("/"):
            target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, Mapping) else None
        rest = {key: each for key, each in found.items() if key != "$ref"}
        found = {**target, **rest} if isinstance(target, Mapping) else rest
    return found if isinstance(found, Mapping) else {}
