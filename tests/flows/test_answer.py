"""Answers against their schema, in the reference's own words; and JSON read out of prose."""

from __future__ import annotations

import contextlib
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.words.answer import Schema, check_answer, to_json_schema
from flows.words.jsontext import NoJson, extract_json

Json = Any

CLASSIFICATION = {
    "type": "object",
    "properties": {
        "category": {"type": "string", "enum": ["technical", "billing", "general"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "reason": {"type": "string", "minLength": 2, "maxLength": 5},
        "urgent": {"type": "boolean"},
    },
    "required": ["category", "confidence"],
}
TASKS = {
    "type": "list",
    "items": {"type": "object", "properties": {"priority": {"type": "string"}}, "required": ["priority"]},
}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"category": "billing", "confidence": 0.94}, []),
        ({"category": "billing", "confidence": 0, "reason": None, "urgent": False}, []),  # LG-llm-20
        (
            {"category": "sales", "confidence": 1},
            ["classification.category must be one of: technical, billing, general"],
        ),
        ({"category": "billing"}, ["classification.confidence is missing"]),
        ({"category": None, "confidence": 1}, ["classification.category is missing"]),
        ({"category": "billing", "confidence": 2}, ["classification.confidence must be at most 1"]),
        ({"category": "billing", "confidence": -1}, ["classification.confidence must be at least 0"]),
        ({"category": "billing", "confidence": "1"}, ["classification.confidence must be a number"]),
        ({"category": "billing", "confidence": True}, ["classification.confidence must be a number"]),
        (
            {"category": "billing", "confidence": 1, "reason": "x", "urgent": "no"},
            [
                "classification.reason must have at least 2 characters",
                "classification.urgent must be true or false",
            ],
        ),
        ({"category": "billing", "confidence": 1, "mood": "sad"}, ["classification.mood is not in the schema"]),
        ([], ["classification must be an object"]),
        ("billing", ["classification must be an object"]),
        (None, ["classification is missing"]),
    ],
)  # LG-llm-04, LG-llm-19
def test_an_object(answer: Json, words: list[str]) -> None:
    assert check_answer(CLASSIFICATION, answer, "classification") == words


def test_a_list_names_the_entry() -> None:
    # LG-llm-19, LG-llm-14
    answer = [{"priority": "high"}, None, {"priority": 3}, {}, "x"]
    assert check_answer(Schema.model_validate(TASKS), answer, "tasks") == [
        "tasks[1] is missing",
        "tasks[2].priority must be a string",
        "tasks[3].priority is missing",
        "tasks[4] must be an object",
    ]


@pytest.mark.parametrize(
    "value", [{"type": "string", "wanted": ""}, {"type": "number", "wanted": 0}, {"type": "boolean", "wanted": False}]
)
def test_empty_answers_are_answers(value: dict[str, Json]) -> None:
    # LG-llm-20
    assert check_answer({"type": value["type"]}, value["wanted"], "x") == []
    assert check_answer({"type": "list", "items": {"type": "string"}}, [], "x") == []
    assert check_answer({"type": "object", "properties": {"a": {"type": "string"}}}, {}, "x") == []


def test_the_schema_sent_back_is_refused_as_such() -> None:
    # LG-llm-09
    back = {"type": "object", "properties": {"category": "billing", "confidence": 1}}
    (words,) = check_answer(CLASSIFICATION, back, "classification")
    assert words.startswith("classification is the schema itself with the values inside it.")


def test_a_schema_that_has_such_properties_is_no_schema_sent_back() -> None:
    own = {"type": "object", "properties": {"type": {"type": "string"}, "properties": {"type": "list", "items": TASKS}}}
    assert check_answer(own, {"type": "object", "properties": []}, "x") == []


def test_an_answer_wrong_all_over_is_not_told_for_ever() -> None:
    assert len(check_answer(TASKS, [1] * 10_000, "tasks")) == 20


def test_the_schema_as_endpoints_take_it() -> None:
    # LG-llm-06, LG-llm-11, TRAP-07
    made = to_json_schema(CLASSIFICATION)
    jsonschema.Draft202012Validator.check_schema(made)
    assert made["required"] == ["category", "confidence", "reason", "urgent"]
    assert made["additionalProperties"] is False
    assert made["properties"]["urgent"] == {"type": ["boolean", "null"]}
    assert to_json_schema(TASKS)["type"] == "array"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=6) | st.sampled_from(["billing", "general"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["category", "confidence", "reason", "urgent", "priority"]), inner, max_size=4
        )
    ),
    max_leaves=6,
)


@given(VALUES)
def test_what_fits_is_what_the_endpoints_schema_allows(value: Json) -> None:
    # null and left out are one for us; the strict schema of endpoints asks for the null.
    whole = {**dict.fromkeys(CLASSIFICATION["properties"]), **value} if isinstance(value, dict) else value
    strict = jsonschema.Draft202012Validator(to_json_schema(CLASSIFICATION))
    assert (check_answer(CLASSIFICATION, value, "x") == []) == strict.is_valid(whole)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ('{"a": 1}', "object", {"a": 1}),
        ('Here it is:\n```json\n{"a": 1}\n```\nAnything else?', "object", {"a": 1}),  # LG-llm-37
        ("```\n[1, 2]\n```", "list", [1, 2]),
        ('The answer is {"a": {"b": [1]}}. Done.', "object", {"a": {"b": [1]}}),
        ('As noted in [1], it is {"a": "]"}', "object", {"a": "]"}),
        ('From {"a": 1} to [1, 2, 3]', "list", [1, 2, 3]),
        ('{"short": 1} and {"longer": "of the two"}', "object", {"longer": "of the two"}),
        ('{"a": "line\nbreak"}', "object", {"a": "line\nbreak"}),
        ('{"note": "על ידי ע"י המנהל", "n": 1}', "object", {"note": 'על ידי ע"י המנהל', "n": 1}),  # LG-llm-39
        ('{"note": "חז"ל, אמרו", "more": ["א"ב", "ג"]}', "object", {"note": 'חז"ל, אמרו', "more": ['א"ב', "ג"]}),
        ('{"name": "شركة "النور" للتجارة"}', "object", {"name": 'شركة "النور" للتجارة'}),
        ('{"said": "she said "no", and left", "ok": true}', "object", {"said": 'she said "no", and left', "ok": True}),
        ('{"said": "first "yes", "no" then", "n": 1}', "object", {"said": 'first "yes", "no" then', "n": 1}),
        ('[{"a": "5" wide"}]', "list", [{"a": '5" wide'}]),
        ("{}", "object", {}),
        ("[]", "list", []),
    ],
)
def test_json_out_of_prose(text: str, kind: Any, value: Json) -> None:
    assert extract_json(text, kind) == value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I cannot say.", "object"),
        ("", "list"),
        ("[1, 2]", "object"),
        ('[{"a": 1}]', "object"),
        ('{"a": [1]}', "list"),
        ('{"a": NaN}', "object"),
        ('{"a": 1, "a": 2}', "object"),
        ('{"a": ', "object"),
        ("{" * 5000, "object"),
        ("[" * 5000 + "]" * 5000, "list"),
        ('{"' * 2000, "object"),
    ],
)  # LG-llm-38
def test_no_json_of_that_shape(text: str, kind: Any) -> None:
    with pytest.raises(NoJson, match=f"holds no JSON {kind}"):
        extract_json(text, kind)


@given(st.text(alphabet='{}[]",:a1 \\\n', max_size=80), st.sampled_from(["object", "list"]))
def test_any_text_is_read_or_refused(text: str, kind: Any) -> None:
    with contextlib.suppress(NoJson):
        assert isinstance(extract_json(text, kind), dict if kind == "object" else list)
