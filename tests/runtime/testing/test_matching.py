"""Values and matchers: what is as expected, and what is said of what is not."""

from __future__ import annotations

from typing import Any

import pytest

from flows.words.matcher import MATCHERS
from runtime.testing import patterns
from runtime.testing.matching import complaint, same, told

Json = Any


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        ("a", "a"), (1, 1.0), (True, True), (None, None), ([1, {"a": []}], [1, {"a": []}]),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}),
        ({"notEmpty": True}, 0), ({"notEmpty": True}, False), ({"notEmpty": True}, " "), ({"notEmpty": True}, [None]),
        ({"empty": True}, None), ({"empty": True}, ""), ({"empty": True}, []), ({"empty": True}, {}),
        ({"contains": "ell"}, "hello"), ({"contains": 3}, "3 of 5"), ({"contains": {"a": 1}}, [{"a": 1}, 2]),
        ({"contains": {"a": 1}}, {"a": 1, "b": 2}), ({"contains": "a"}, {"a": None}),
        ({"matches": "^\\d+$"}, "123"), ({"oneOf": ["a", {"length": 1}]}, {"length": 1}),
        ({"length": 2}, "ab"), ({"length": 2}, [1, 2]), ({"length": 1}, {"a": 1}),
        ({"min": 1}, 1), ({"max": 1.5}, 1.5), ({"min": 1, "max": 3}, 2),
        ({"type": "string"}, ""), ({"type": "number"}, 0), ({"type": "boolean"}, False), ({"type": "list"}, []),
        ({"type": "object"}, {}), ({"absent": True}, None), ({"value": 1}, {"value": 1}),
    ],
)  # fmt: skip
def test_as_expected(wanted: Json, got: Json) -> None:  # LG-tests-30
    assert complaint("It", wanted, got) == ""


@pytest.mark.parametrize(
    ("wanted", "got", "words"),
    [
        ("a", "b", 'It is "b", and "a" is expected.'),
        (1, True, "It is true, and 1 is expected."),
        (0, False, "It is false, and 0 is expected."),
        (0, "", 'It is "", and 0 is expected.'),
        ("a", None, 'It is nothing, and "a" is expected.'),
        ([1], [1, 2], "It is [1, 2], and [1] is expected."),
        ({"a": 1}, {"a": 1, "b": 2}, 'It is {"a": 1, "b": 2}, and {"a": 1} is expected.'),
        ({"notEmpty": True}, [], "It is empty, and must not be."),
        ({"empty": True}, 0, "It is 0, and must be empty."),
        ({"absent": True}, "", 'It is "", and must not be there.'),
        ({"contains": "x"}, "abc", 'It is "abc", which has no "x" in it.'),
        ({"contains": 1}, [True], "It is [true], which has no entry 1."),
        ({"contains": {"a": 2}}, {"a": 1}, 'It is {"a": 1}, whose "a" is not 2.'),
        ({"contains": "x"}, {"a": 1}, 'It is {"a": 1}, which has no key "x".'),
        ({"contains": "x"}, 5, "It is 5, in which nothing can be."),
        ({"matches": "b$"}, "abc", 'It is "abc", in which "b$" is not found.'),
        ({"matches": "b"}, 5, "It is 5, which is no text."),
        ({"oneOf": ["a", 1]}, True, 'It is true, which is none of "a", 1.'),
        ({"length": 2}, "abc", 'It has the length 3, and must have 2: "abc".'),
        ({"length": 2}, 5, "It is 5, which has no length."),
        ({"min": 2}, 1, "It is 1, and must be at least 2."),
        ({"max": 2.5}, 3, "It is 3, and must be at most 2.5."),
        ({"min": 2}, True, "It is true, which is no number."),
        ({"type": "number"}, "1", 'It is "1", and must be a number.'),
        ({"type": "list", "length": 3}, [1], "It has the length 1, and must have 3: [1]."),
        ({"type": "string", "length": 3}, "", 'It has the length 0, and must have 3: "".'),
        ({"type": "string", "empty": True}, 1, "It is 1, and must be empty. It is 1, and must be a text."),
    ],
)  # fmt: skip
def test_not_as_expected(wanted: Json, got: Json, words: str) -> None:  # LG-tests-30
    assert complaint("It", wanted, got) == words


# LG-tests-30
def test_an_expression_that_never_ends_is_given_up_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "LONGEST_SECONDS", 0.05)
    found = complaint("It", {"matches": "^(a+)+$"}, "a" * 60 + "b")
    assert "was looked for during 0.05 s without an end" in found
    assert complaint("It", {"matches": "^(a+)+b$"}, "a" * 60 + "b") == ""


def test_every_matcher_is_asked() -> None:
    never = {"notEmpty": [], "empty": 1, "contains": 1, "matches": 1, "oneOf": 1, "length": 1, "min": "", "max": "",
             "type": None, "absent": 1}  # fmt: skip
    says: dict[str, Json] = {
        "contains": "x",
        "matches": "x",
        "oneOf": ["x"],
        "length": 7,
        "min": 1,
        "max": 1,
        "type": "list",
    }
    assert set(never) == set(MATCHERS)
    for word, got in never.items():
        assert complaint("It", {word: says.get(word, True)}, got)


def test_long_values_are_cut_in_sentences() -> None:
    assert told("x" * 300).endswith("… (302 characters)")
    assert same([], {}) is False
