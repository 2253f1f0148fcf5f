"""Regular when sentences become router code; the code is run here as the sandbox runs it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.words.when import compile_router, is_otherwise, is_regular, regular_reads

Json = Any


def choose(code: str, state: dict[str, Json]) -> str:
    space: dict[str, Json] = {}
    exec(code, space)
    return asyncio.run(space["route"](state, services=None, settings=None, env=None))


def holds(sentence: str, state: dict[str, Json]) -> bool:
    when = {"yes": sentence, "no": "anything else"}
    code = compile_router("route", {"yes": "a", "no": "b"}, when)
    assert code is not None, sentence
    return choose(code, state) == "yes"


STATE = {
    "kind": "customer",
    "word": " order ",
    "n": 3,
    "half": 0.5,
    "ok": True,
    "off": False,
    "zero": 0,
    "blank": "  ",
    "none": None,
    "list": ["a", "b"],
    "empty_list": [],
    "plan": {"want": "details", "deep": {"n": 7}, "quote": 'say "hi"'},
    "rows": [{"sku": "A"}],
}


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("'kind' is \"customer\"", True),
        ('`kind` is "customer".', True),
        ("'kind' is \"Customer\"", False),
        ("'kind' is not \"customer\"", False),
        ("'missing' is not \"x\"", True),
        ("'word' is \"order\"", True),
        ("'plan.want' is \"details\"", True),
        ("'plan.deep.n' is at least 7", True),
        ("'rows.0.sku' is \"A\"", True),
        ("'rows.5.sku' is empty", True),
        ('\'plan.quote\' is "say \\"hi\\""', True),
        ("'n' is 3", True),
        ("'n' is \"3\"", False),
        ("'ok' is true", True),
        ("'off' is false", True),
        ("'zero' is false", False),
        ("'n' is true", False),
        ("'n' is at least 3", True),
        ("'n' is more than 3", False),
        ("'n' is at most 3", True),
        ("'n' is less than 3", False),
        ("'half' is more than 0.25", True),
        ("'half' is at least -1", True),
        ("'kind' is at least 0", False),
        ("'ok' is at least 0", False),
        ("'none' is at most 5", False),
        ("'blank' is empty", True),
        ("'none' is empty", True),
        ("'empty_list' is empty", True),
        ("'zero' is empty", False),
        ("'off' is not empty", True),
        ("'list' is not empty", True),
        ("'list' has at least 2 items", True),
        ("'list' has at least 3 items", False),
        ("'list' has at least 1 item", True),
        ("'kind' has at least 1 items", False),
        ('\'kind\' is one of "a", "customer"', True),
        ('\'kind\' is one of "a", "b" or "customer"', True),
        ('\'kind\' is one of "a", or "b"', False),
        ("'n' is one of 1, 2, 3", True),
        ("'kind' is \"x\" or 'n' is 3 and 'ok' is true", True),
        ("'kind' is \"x\" or 'n' is 3 and 'ok' is false", False),
        ("'kind' is one of \"a\" or 'n' is 3", True),
        ("'Kind' IS \"customer\" OR 'n' Is 3", True),
    ],
)  # LG-edges-03, LG-edges-14
def test_regular_sentences(sentence: str, wanted: bool) -> None:
    assert holds(sentence, STATE) is wanted


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "the person wants an order",
        "'spent' plus this photo's estimate is within 'budget'",
        "'documents' has at least one document in it",
        'kind is "customer"',
        "'kind' is 'customer'",
        "'kind' is customer",
        "'kind' contains \"x\"",
        "'kind' is \"a\" 'n' is 3",
        "'kind' is \"a\" or",
        "and 'kind' is \"a\"",
        "'kind' is one of",
        "'kind' is at least many",
        "'a[0]' is \"x\"",
        "'a b!' is \"x\"",
        "'n' is 3 2",
        "'x' is \"unclosed",
        "'n' is 3; import os",
        " and ".join(["'n' is 3"] * 200),
    ],
)
def test_other_sentences_are_the_models(sentence: str) -> None:
    assert not is_regular(sentence)
    assert compile_router("route", {"yes": "a", "no": "b"}, {"yes": sentence, "no": "anything else"}) is None
    assert regular_reads(sentence) == ()


def test_anything_else_is_last_wherever_it_stands() -> None:
    when = {"rest": "anything else", "a": "'n' is 1", "b": "'n' is at least 1"}
    code = compile_router("route", dict.fromkeys(when, "x"), when)
    assert code is not None
    assert [choose(code, {"n": n}) for n in (1, 2, 0)] == ["a", "b", "rest"]
    assert is_otherwise("Anything else: 'documents' is empty, so go straight on")
    assert not is_otherwise("anything elsewhere")


def test_without_anything_else_a_state_that_fits_nothing_fails_in_words() -> None:
    code = compile_router("route", {"a": "x"}, {"a": "'n' is 1"})
    assert code is not None
    with pytest.raises(ValueError, match="No route of route fits: add one for anything else"):
        choose(code, {})


@pytest.mark.parametrize(
    ("routes", "when"),
    [
        ({"a": "x", "b": "y"}, {"a": "'n' is 1"}),
        ({"a": "x"}, {"a": "'n' is 1", "b": "'n' is 2"}),
        ({"a": "x", "b": "y"}, {"a": "anything else", "b": "anything else"}),
    ],
)
def test_routes_and_sentences_that_do_not_match_give_no_code(routes: dict[str, str], when: dict[str, str]) -> None:
    assert compile_router("route", routes, when) is None


@given(st.text(max_size=30), st.text(alphabet="'\"`abc. \\isnot3", max_size=40))
def test_no_text_of_the_author_becomes_code(word: str, sentence: str) -> None:
    # Whatever stands in quotes is compared as text; nothing of it is executed.
    quoted = word.replace("\\", "\\\\").replace('"', '\\"')
    code = compile_router("route", {"yes": "a", "no": "b"}, {"yes": f"'x' is \"{quoted}\"", "no": "anything else"})
    if code is not None:
        assert choose(code, {"x": word}) == ("yes" if word or word == "" else "no")
    other = compile_router("route", {"yes": "a", "no": "b"}, {"yes": sentence, "no": "anything else"})
    if other is not None:
        choose(other, {"a": 1})
