"""What is added to a prompt when the answer has a schema: how it starts, and that the schema only describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Json = Any
Messages = Sequence[Mapping[str, Json]]

_BEGINS = "The answer itself is described by this JSON Schema"


def schema_for(schema: Mapping[str, Json] | None) -> dict[str, Json] | None:
    """A flow's answer schema (types object, list, string …) as JSON Schema; None without one."""
    if schema is None:
        return None
    from flows.words.answer import to_json_schema

    return to_json_schema(schema)


def messages_for(text: str, schema: Mapping[str, Json] | None, schema_mode: str = "unknown") -> list[dict[str, Json]]:
    """A filled prompt as messages, with a flow's schema put along with it.

    The same whatever schema_mode is: endpoints that take `response_format` are told in words as well, since some take
    it and ignore it, and since a call that is looked up again after a crash must read the same.
    """
    messages: list[dict[str, Json]] = [{"role": "user", "content": text}]
    described = schema_for(schema)
    return messages if described is None else with_schema(messages, described)


def instruction(schema: Mapping[str, Json]) -> str:
    """The words that put a JSON Schema to the model."""
    written = json.dumps(schema, ensure_ascii=False)
    return (
        f"Answer with {_kind(schema)} and nothing else, no sentence around it and no code fence. {_start(schema)}\n\n"
        f"{_BEGINS}. The schema is not the answer: do not send it back or put values into it, "
        f"give only the values it describes.\n\n{written}"
    )


def with_schema(messages: Messages, schema: Mapping[str, Json]) -> list[dict[str, Json]]:
    """The messages with the instruction at the end of the last user message; unchanged if it is there already."""
    added = [dict(message) for message in messages]
    if carries(added, schema):
        return added
    for message in reversed(added):
        if message.get("role") == "user" and isinstance(message.get("content"), str):
            message["content"] = f"{message['content']}\n\n{instruction(schema)}"
            return added
    return [*added, {"role": "user", "content": instruction(schema)}]


def carries(messages: Messages, schema: Mapping[str, Json]) -> bool:
    """Whether the instruction for this schema is among the messages."""
    words = instruction(schema)
    return any(isinstance(message.get("content"), str) and words in message["content"] for message in messages)


def response_format(schema: Mapping[str, Json]) -> dict[str, Json]:
    """The schema as `response_format`. Strict only where strictness says the same as the schema does."""
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": dict(schema), "strict": _strict(schema, root=True)},
    }


def _kind(schema: Mapping[str, Json]) -> str:
    return {
        "object": "one JSON object",
        "array": "one JSON list",
        "string": "one JSON string",
        "boolean": "true or false",
        "number": "one number",
        "integer": "one whole number",
    }.get(schema.get("type", ""), "one JSON value")


def _start(schema: Mapping[str, Json]) -> str:
    opening = _opening(schema)
    kind = schema.get("type")
    if kind in ("object", "array"):
        return f"It starts with {opening} and ends with {'}' if kind == 'object' else ']'}."
    return {
        "string": 'It starts and ends with a double quote: ".',
        "boolean": "It starts with t or f.",
        "number": "It starts with a digit or a minus sign.",
        "integer": "It starts with a digit or a minus sign.",
    }.get(schema.get("type", ""), "")


def _opening(schema: Mapping[str, Json]) -> str:
    if schema.get("type") == "object":
        first = next(iter(schema.get("properties") or {}), None)
        return "{" if first is None else "{" + json.dumps(first, ensure_ascii=False) + ":"
    if schema.get("type") == "array":
        items = schema.get("items")
        return "[" + (_opening(items) if isinstance(items, Mapping) else "")
    return ""


def _strict(schema: Json, root: bool = False) -> bool:
    """OpenAI's strict mode makes every property required and knows no others; anything looser would be changed."""
    if not isinstance(schema, Mapping):
        return False
    kind = schema.get("type")
    if root and kind != "object":
        return False
    if {"minLength", "maxLength"} & set(schema):
        return False
    kind = next((each for each in kind if each != "null"), None) if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties") or {}
        return (
            schema.get("additionalProperties") is False
            and set(schema.get("required") or []) == set(properties)
            and all(_strict(inner) for inner in properties.values())
        )
    return _strict(schema.get("items")) if kind == "array" else isinstance(kind, str)
