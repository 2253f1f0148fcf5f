"""What the engine adds to a prompt with a schema."""

from __future__ import annotations

import json

import pytest

from runtime.services.prompting import instruction, messages_for, response_format, schema_for, with_schema

TICKET = {
    "type": "object",
    "properties": {
        "category": {"type": "string", "enum": ["technical", "billing"], "description": "What it is about"},
        "tasks": {"type": "list", "items": {"type": "object", "properties": {"title": {"type": "string"}}}},
    },
    "required": ["category"],
}


def test_the_schema_is_put_along_with_the_prompt() -> None:  # LG-llm-06
    [message] = messages_for("Sort this ticket.", TICKET)
    assert message["role"] == "user"
    assert message["content"].startswith("Sort this ticket.\n\n")
    assert json.dumps(schema_for(TICKET), ensure_ascii=False) in message["content"]
    assert "What it is about" in message["content"]


def test_without_a_schema_the_prompt_is_all() -> None:  # LG-llm-21
    assert messages_for("Hello {{x}}", None) == [{"role": "user", "content": "Hello {{x}}"}]
    assert schema_for(None) is None


@pytest.mark.parametrize(
    ("schema", "start"),
    [
        (TICKET, 'It starts with {"category": and ends with }.'),
        ({"type": "list", "items": TICKET}, 'It starts with [{"category": and ends with ].'),
        ({"type": "list", "items": {"type": "number"}}, "It starts with [ and ends with ]."),
        ({"type": "object", "properties": {}}, "It starts with { and ends with }."),
        ({"type": "object", "properties": {"שם": {"type": "string"}}}, 'It starts with {"שם": and ends with }.'),
        ({"type": "string"}, 'It starts and ends with a double quote: ".'),
        ({"type": "boolean"}, "It starts with t or f."),
        ({"type": "number"}, "It starts with a digit or a minus sign."),
    ],
)
def test_the_model_is_told_what_the_answer_starts_with(schema: dict, start: str) -> None:  # LG-llm-08
    words = instruction(schema_for(schema) or {})
    assert start in words
    assert "The schema is not the answer" in words


def test_it_is_added_once_and_to_the_last_user_message() -> None:
    schema = schema_for(TICKET) or {}
    asked = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "First"},
        {"role": "assistant", "content": "{}"},
        {"role": "user", "content": "Second"},
        {"role": "assistant", "content": "half"},
    ]
    once = with_schema(asked, schema)
    assert [message["content"] for message in once[:3]] == ["Be brief.", "First", "{}"]
    assert once[3]["content"] == f"Second\n\n{instruction(schema)}"
    assert with_schema(once, schema) == once
    assert asked[3]["content"] == "Second"
    assert with_schema([{"role": "system", "content": "x"}], schema)[-1] == {
        "role": "user",
        "content": instruction(schema),
    }


def test_strictness_is_claimed_only_where_it_says_the_same() -> None:
    def strict(schema: dict) -> bool:
        return response_format(schema)["json_schema"]["strict"]

    assert strict(schema_for(TICKET) or {})
    assert not strict(schema_for({"type": "list", "items": TICKET}) or {})
    assert not strict(schema_for({"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}}) or {})
    assert not strict({"type": "object", "properties": {"a": {"type": "string"}}, "required": []})
    assert not strict({"type": "object", "properties": {}, "required": []})
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    outer = {"type": "object", "properties": {"b": inner}, "required": ["b"], "additionalProperties": False}
    assert not strict(outer)
