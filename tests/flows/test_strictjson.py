"""What every entrance for JSON takes and refuses."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.words.strictjson import MAX_BYTES, MAX_DEPTH, JsonRefused, judge, loads


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"amount": 1, "amount": 999}', "JSON_DUPLICATE_KEY"),
        ('[{"a": {"b": 1, "b": 1}}]', "JSON_DUPLICATE_KEY"),
        ('{"a\\u0062": 1, "ab": 2}', "JSON_DUPLICATE_KEY"),
        ("NaN", "JSON_NOT_A_NUMBER"),
        ("[Infinity]", "JSON_NOT_A_NUMBER"),
        ('{"a": -Infinity}', "JSON_NOT_A_NUMBER"),
        ("1e999", "JSON_NUMBER_TOO_LARGE"),
        ("9007199254740992", "JSON_NUMBER_TOO_LARGE"),
        ("-9007199254740992", "JSON_NUMBER_TOO_LARGE"),
        ("1" * 100_000, "JSON_NUMBER_TOO_LARGE"),
        ("[" * 65 + "]" * 65, "JSON_TOO_DEEP"),
        ("[" * 300_000, "JSON_TOO_DEEP"),
        ('{"a":' * 65 + "1" + "}" * 65, "JSON_TOO_DEEP"),
        ('"' + "x" * MAX_BYTES + '"', "JSON_TOO_LARGE"),
        ('"' + "é" * (MAX_BYTES // 2) + '"', "JSON_TOO_LARGE"),
        ('"\\ud800"', "JSON_SURROGATE"),
        ('{"\\udc00": 1}', "JSON_SURROGATE"),
        ('"\ud800"', "JSON_SURROGATE"),
        ('"\\u0000"', "JSON_NUL"),
        (b'"\xff"', "JSON_NOT_UTF8"),
        (b"\xff\xfe1\x00", "JSON_NOT_UTF8"),
        ("", "JSON_INVALID"),
        ("{", "JSON_INVALID"),
        ("[1,]", "JSON_INVALID"),
        ('{"a": 1,}', "JSON_INVALID"),
        ("{'a': 1}", "JSON_INVALID"),
        ("[01]", "JSON_INVALID"),
        ("1 2", "JSON_INVALID"),
        ('"tab\there"', "JSON_INVALID"),
        ('"\\x41"', "JSON_INVALID"),
        ("// no", "JSON_INVALID"),
        ("]" * 10, "JSON_INVALID"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_refused(text: str | bytes, code: str) -> None:
    with pytest.raises(JsonRefused) as refused:
        loads(text)
    assert refused.value.code == code
    assert refused.value.message.endswith(".")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"[[["', "[[["),
        ('{"a": "\\"[{"}', {"a": '"[{'}),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, None),
        ('"\\ud83d\\ude00"', "😀"),
        ("\ufeff1", 1),
        ("9007199254740991", 2**53 - 1),
        ("1e3", 1000.0),
        (" [true, null] ", [True, None]),
        ('{"__proto__": {"$ref": "x"}, "lc": 1}', {"__proto__": {"$ref": "x"}, "lc": 1}),
    ],
)
def test_taken(text: str, value: object) -> None:
    found = loads(text)
    assert value is None or found == value
    judge(found)


def test_a_syntax_mistake_says_where() -> None:
    with pytest.raises(JsonRefused, match=r"At line 2, column 9: a comma or a closing bracket is missing"):
        loads('{\n "a": 1 "b": 2}')


@pytest.mark.parametrize("value", [float("nan"), {"a": [float("inf")]}, {1: 2}, {"a": {1, 2}}, 2**60, "\ud800", "\x00"])
def test_parsed_values_are_judged_alike(value: object) -> None:
    with pytest.raises(JsonRefused):
        judge(value)


def test_a_deep_value_is_refused_without_recursion() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(JsonRefused) as refused:
        judge(deep)
    assert refused.value.code == "JSON_TOO_DEEP"


@given(st.text(max_size=60) | st.binary(max_size=60))
def test_nothing_else_is_raised(text: str | bytes) -> None:
    try:
        value = loads(text)
    except JsonRefused:
        return
    assert loads(json.dumps(value)) == value
