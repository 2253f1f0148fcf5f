"""A tool as a model is shown it: its fields as JSON Schema, with nothing marked required.

What a model leaves out, a person is asked for in a form, on which required still holds. Topic: work.
"""

from __future__ import annotations

from collections.abc import Mapping

from flows.words.base import Json
from flows.words.fields import Field, Fields
from flows.words.outside import FieldsRefused, from_json_schema

NOTE = "Leave out whatever you do not know: the person is asked for it in a form, and the call is then made."
_TYPES = {
    "string": "string", "text": "string", "date": "string", "number": "number", "boolean": "boolean", "list": "array",
    "object": "object",
}  # fmt: skip


def of_fields(fields: Fields) -> dict[str, Json]:
    """The arguments that a flow declares. Others may be given as well: the rest of a call passes untouched."""
    return {"type": "object", "properties": {name: _property(field) for name, field in fields.items()}}


def merged(schema: Mapping[str, Json], own: Fields) -> dict[str, Json]:
    """A server's schema in which what the flow says of a field wins. Nothing is required where a form can ask."""
    made = dict(schema)
    properties = made.get("properties")
    made["type"] = "object"
    if own:
        kept = properties if isinstance(properties, Mapping) else {}
        made["properties"] = {**kept, **{name: _property(field) for name, field in own.items()}}
    if readable(schema) is not None:
        made.pop("required", None)
    return made


def readable(schema: Mapping[str, Json]) -> Fields | None:
    """A server's schema as the fields of a form; None where no form can be made of it."""
    try:
        return from_json_schema({"type": "object", **schema}) if schema else {}
    except (FieldsRefused, ValueError):
        return None


def _property(field: Field) -> dict[str, Json]:
    made: dict[str, Json] = {"type": _TYPES[field.type]} if field.type in _TYPES else {}
    words = " ".join(each for each in (field.label, field.description) if each)
    if words:
        made["description"] = words
    if field.type == "date":
        made["format"] = "date"
    if field.options is not None:
        made["enum"] = field.options
    if field.default is not None:
        made["default"] = field.default
    if field.max_length is not None:
        made["maxLength"] = field.max_length
    if field.of is not None:
        made["items"] = of_fields(field.of)
    return made
