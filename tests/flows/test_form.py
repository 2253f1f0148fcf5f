"""Submissions are checked field by field, and outside schemas become fields."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.words.fields import Field, Fields
from flows.words.form import FieldsRefused, check_values, from_json_schema, missing_or_refused, prefilled

Json = Any


def fields(**declared: dict[str, Json]) -> Fields:
    return {name: Field.model_validate(each) for name, each in declared.items()}


@pytest.mark.parametrize(
    ("field", "given", "taken"),
    [
        ({"type": "string"}, " ALFKI ", "ALFKI"),
        ({"type": "text"}, "one\r\ntwo", "one\ntwo"),
        ({"type": "number"}, "3.50", 3.5),
        ({"type": "number"}, " 12 ", 12),
        ({"type": "number"}, 0, 0),
        ({"type": "boolean"}, False, False),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "off", False),
        ({"type": "date"}, "2024-02-29", "2024-02-29"),
        ({"type": "list"}, ["a", 1], ["a", 1]),
        ({"type": "list"}, "a\n\n b ", ["a", "b"]),
        ({"type": "object"}, {"a": 1}, {"a": 1}),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"type": "any"}, [{"a": 1}], [{"a": 1}]),
        ({"type": "string", "options": ["S", "M"]}, "M", "M"),
        ({"type": "number", "options": [1, 2]}, "2", 2),
        ({"type": "string", "maxLength": 5}, "ALFKI", "ALFKI"),
    ],
)  # LG-forms-02, LG-forms-03, LG-forms-04
def test_taken(field: Json, given: Json, taken: Json) -> None:
    values, errors = check_values(fields(x=field), {"x": given})
    assert (values, errors) == ({"x": taken}, {})
    assert type(values["x"]) is type(taken)


@pytest.mark.parametrize(
    ("field", "given", "words"),
    [
        ({"type": "string", "required": True, "label": "Customer id"}, "  ", 'Fill in "Customer id".'),
        ({"type": "string", "required": True}, None, 'Fill in "X".'),
        ({"type": "boolean", "required": True}, None, 'Answer yes or no to "X".'),
        ({"type": "string", "required": True, "options": ["S"]}, "", 'Choose one for "X".'),
        ({"type": "string", "maxLength": 5}, "LGFLOW", '"X" may have at most 5 characters, and this has 6.'),
        ({"type": "string"}, 5, '"X" must be text, not a number.'),
        ({"type": "string"}, "a\nb", '"X" must be on one line.'),
        ({"type": "number"}, "1,5", '"X" must be a number, such as 12 or 3.5.'),
        ({"type": "number"}, "nan", '"X" must be a number, such as 12 or 3.5.'),
        ({"type": "number"}, "1e999", '"X" is too large a number.'),
        ({"type": "number"}, "9e99", None),
        ({"type": "number"}, True, '"X" must be a number, not true.'),
        ({"type": "boolean"}, "maybe", '"X" must be yes or no.'),
        ({"type": "boolean"}, 1, '"X" must be yes or no.'),
        ({"type": "date"}, "2023-02-29", '"X" must be a day, written as year-month-day: 2026-03-31.'),
        ({"type": "date"}, "20240101", '"X" must be a day, written as year-month-day: 2026-03-31.'),
        ({"type": "string", "options": ["S", "M"]}, "XL", '"X" must be one of: S, M.'),
        ({"type": "number", "options": [1]}, True, '"X" must be a number, not true.'),
        ({"type": "list"}, {"a": 1}, '"X" must be a list, not an object.'),
        ({"type": "object"}, "plain", '"X" must be an object.'),
        ({"type": "text"}, "a\x00b", '"X" holds a character that cannot be stored.'),
    ],
)  # LG-forms-10, LG-forms-11
def test_refused(field: Json, given: Json, words: str | None) -> None:
    values, errors = check_values(fields(x=field), {"x": given})
    if words is None:
        assert values and not errors
    else:
        assert (values, errors) == ({}, {"x": words})


ITEMS = fields(
    items={
        "type": "list",
        "required": True,
        "label": "Products",
        "of": {
            "productId": {"type": "number", "required": True},
            "quantity": {"type": "number", "required": True, "default": 1},
            "gift": {"type": "boolean"},
        },
    }
)


def test_empty_rows_are_dropped() -> None:
    # LG-forms-08: a box that holds its default and a switch left off are untouched.
    rows = [{}, {"productId": "7", "quantity": 2}, {"productId": "", "quantity": 1, "gift": False}, None]
    assert check_values(ITEMS, {"items": rows}) == ({"items": [{"productId": 7, "quantity": 2}]}, {})


def test_a_half_filled_row_is_refused_by_its_number() -> None:
    # LG-forms-09: by the number that the person sees, beside the box.
    rows = [{"productId": 1, "quantity": 1}, {}, {"quantity": 5}, {"productId": "x", "quantity": 2, "size": 1}]
    _, errors = check_values(ITEMS, {"items": rows})
    assert errors == {
        "items[2].productId": 'Row 3: Fill in "Product id".',
        "items[3].productId": 'Row 4: "Product id" must be a number, such as 12 or 3.5.',
        "items[3].size": 'Row 4: A row has no field "size".',
    }


@pytest.mark.parametrize("given", [[], [{}], None])
def test_required_rows(given: Json) -> None:
    assert check_values(ITEMS, {"items": given})[1] == {"items": 'Add at least one row to "Products".'}


def test_all_is_refused_at_once_and_what_is_right_is_kept() -> None:
    asked = fields(a={"type": "string", "required": True}, b={"type": "number"}, c={"type": "date"})
    values, errors = check_values(asked, {"b": "2", "c": "soon", "d": 1})
    assert values == {"b": 2}
    assert errors == {
        "a": 'Fill in "A".',
        "c": '"C" must be a day, written as year-month-day: 2026-03-31.',
        "d": 'This form has no field "d".',
    }


@pytest.mark.parametrize("given", [None, [], "x", 3])
def test_a_submission_is_an_object(given: Json) -> None:
    assert list(check_values(fields(a={"type": "string"}), given)[1]) == [""]


def test_missing_or_refused_arguments() -> None:
    # LG-tools-11, LG-tools-13: what no field declares passes.
    asked = fields(customerId={"type": "string", "required": True, "maxLength": 5}, note={"type": "text"})
    assert missing_or_refused(asked, {"note": "x"})
    assert missing_or_refused(asked, {"customerId": "ALFKI1"})
    assert missing_or_refused(asked, {"customerId": 5})
    assert not missing_or_refused(asked, {"customerId": "ALFKI", "other": object})


def test_prefilled() -> None:
    asked = fields(a={"type": "string", "default": "x"}, b={"type": "number"}, c={"type": "boolean", "default": False})
    assert prefilled(asked, {}) == {"a": "x", "c": False}
    assert prefilled(asked, {"a": "y", "b": 0, "z": 1}) == {"a": "y", "b": 0, "c": False}


MCP_TOOL = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "Line": {
            "type": "object",
            "properties": {"sku": {"type": "string", "maxLength": 8}, "n": {"type": "integer"}},
            "required": ["sku"],
        }
    },
    "properties": {
        "customerId": {"type": "string", "maxLength": 5, "title": "Customer", "description": "Five characters."},
        "country": {"enum": ["DE", "FR"]},
        "since": {"type": "string", "format": "date"},
        "count": {"type": "integer", "default": 3},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "note": {"anyOf": [{"type": "string", "maxLength": 2000}, {"type": "null"}], "default": None},
        "express": {"type": ["boolean", "null"]},
        "extra": {"type": "object", "properties": {"a": {"type": "string"}}},
        "free": {},
    },
    "required": ["customerId", "lines", "express"],
}


def test_a_json_schema_becomes_fields() -> None:
    # LG-forms-21, LG-forms-22, LG-types-06, TRAP-07
    made = {name: field.plain() for name, field in from_json_schema(MCP_TOOL).items()}
    assert made == {
        "customerId": {
            "type": "string",
            "required": True,
            "label": "Customer",
            "description": "Five characters.",
            "maxLength": 5,
        },
        "country": {"type": "string", "options": ["DE", "FR"]},
        "since": {"type": "date"},
        "count": {"type": "number", "default": 3},
        "lines": {
            "type": "list",
            "required": True,
            "of": {"sku": {"type": "string", "required": True, "maxLength": 8}, "n": {"type": "number"}},
        },
        "tags": {"type": "list"},
        "note": {"type": "text", "maxLength": 2000},
        "express": {"type": "boolean"},
        "extra": {"type": "object"},
        "free": {"type": "any"},
    }


def test_fields_are_read_as_they_are() -> None:
    own = {"name": {"type": "string", "required": True}, "type": {"type": "string"}}
    assert {name: field.plain() for name, field in from_json_schema(own).items()} == own
    assert from_json_schema({}) == {} and from_json_schema({"type": "object"}) == {}


@pytest.mark.parametrize(
    "schema", ["text", [], 3, {"a": 1}, {"a": {"type": "strng"}}, {"a": {"type": "string", "x": 1}}]
)
def test_what_holds_no_fields_is_refused(schema: Json) -> None:
    with pytest.raises(FieldsRefused):
        from_json_schema(schema)


def test_references_that_go_round_end() -> None:
    loop = {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}, "b": {"$ref": "#/nowhere"}}}
    assert [field.type for field in from_json_schema(loop).values()] == ["any", "any"]


SCHEMAS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["object", "array", "string", "null", "#/$defs/a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "required", "items", "enum", "anyOf", "$ref", "maxLength", "default", "a"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(SCHEMAS, SCHEMAS)
def test_any_schema_and_any_submission_end_in_words(schema: Json, submitted: Json) -> None:
    try:
        asked = from_json_schema(schema)
    except FieldsRefused:
        return
    values, errors = check_values(asked, submitted)
    assert all(isinstance(words, str) for words in errors.values()) and set(values) <= set(asked)


@pytest.mark.parametrize("type", ["list", "object"])
@pytest.mark.parametrize(
    "inside",
    ["NaN", "1e999", "-Infinity", '"\\ud800"', '"\\u0000"', "[" * 70 + "]" * 70, "9" * 5000, '{"a": 1, "a": 2}'],
)
def test_json_typed_into_a_field_is_as_strict_as_everywhere(type: str, inside: str) -> None:
    fields = {"order": Field.model_validate({"type": type})}
    text = f"[{inside}]" if type == "list" else f'{{"a": {inside}}}'
    values, errors = check_values(fields, {"order": text})
    assert values == {}
    assert errors["order"].startswith('"Order" ')
    assert errors["order"].endswith(".")


@pytest.mark.parametrize("inside", [math.nan, math.inf, "\ud800", "\0", 2**60, {"\ud800": 1}])
def test_what_stands_inside_a_container_is_judged_too(inside: Any) -> None:
    fields = {name: Field.model_validate({"type": name}) for name in ("list", "object", "any")}
    given = {"list": [[inside]], "object": {"a": [inside]}, "any": [inside]}
    values, errors = check_values(fields, given)
    assert (values, set(errors)) == ({}, set(given))


def test_lines_may_begin_with_a_bracket() -> None:
    fields = {"order": Field.model_validate({"type": "list"})}
    assert check_values(fields, {"order": "[draft] one\ntwo"}) == ({"order": ["[draft] one", "two"]}, {})
