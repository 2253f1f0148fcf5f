"""Is a value as a test expects it? Either the value itself is written, or a matcher says what it is like."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from flows.words.base import Json
from flows.words.matcher import Matcher, is_matcher
from runtime.testing import patterns

LONGEST = 200
_EMPTY: tuple[Json, ...] = (None, "", [], {})

_IS: Mapping[str, Callable[[Json], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}

_MUST_BE = {
    "string": "a text",
    "number": "a number",
    "boolean": "true or false",
    "list": "a list",
    "object": "an object",
}


def same(wanted: Json, got: Json) -> bool:
    """Are two JSON values equal? true is not 1, and 1 is 1.0."""
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, dict) and isinstance(got, dict):
        return wanted.keys() == got.keys() and all(same(each, got[key]) for key, each in wanted.items())
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(same(one, two) for one, two in zip(wanted, got, strict=True))
    return wanted == got


def complaint(what: str, wanted: Json, got: Json) -> str:
    """What is wrong with a value, as a sentence that names it; "" when it is as expected.

    what: how the sentence calls it (`"category"`). got: None where there is no value.
    """
    if not is_matcher(wanted):
        return "" if same(wanted, got) else f"{what} is {told(got)}, and {told(wanted)} is expected."
    found = list(_faults(Matcher.model_validate(wanted), got))
    return f"{what} {'. It '.join(found)}." if found else ""


def told(value: Json) -> str:
    """A value as a sentence shows it: in full when it is short."""
    if value is None:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"


def _faults(matcher: Matcher, got: Json) -> Iterator[str]:
    """What is not so, each as the rest of a sentence: `is empty, and must not be`."""
    for says, fault in _WORDS:
        if matcher.says(says):
            found = fault(matcher, got)
            if found:
                yield found


def _contains(matcher: Matcher, got: Json) -> str:
    part = matcher.contains
    if isinstance(got, str):
        # A number is looked for as it is written: { "contains": 3 } in "3 of 5".
        text = part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
        return "" if text in got else f"is {told(got)}, which has no {told(part)} in it"
    if isinstance(got, list):
        return "" if any(same(part, each) for each in got) else f"is {told(got)}, which has no entry {told(part)}"
    if isinstance(got, dict) and isinstance(part, dict):
        other = [key for key in part if key not in got or not same(part[key], got[key])]
        return f"is {told(got)}, whose {told(other[0])} is not {told(part[other[0]])}" if other else ""
    if isinstance(got, dict):
        return "" if isinstance(part, str) and part in got else f"is {told(got)}, which has no key {told(part)}"
    return f"is {told(got)}, in which nothing can be"


def _number(got: Json, holds: Callable[[float], bool], must: str) -> str:
    if not _IS["number"](got):
        return f"is {told(got)}, which is no number"
    return "" if holds(got) else f"is {told(got)}, and must be {must}"


def _length(matcher: Matcher, got: Json) -> str:
    if not isinstance(got, str | list | dict):
        return f"is {told(got)}, which has no length"
    return (
        "" if len(got) == matcher.length else f"has the length {len(got)}, and must have {matcher.length}: {told(got)}"
    )


def _matches(matcher: Matcher, got: Json) -> str:
    if not isinstance(got, str):
        return f"is {told(got)}, which is no text"
    try:
        well = patterns.found(matcher.matches, got)
    except patterns.TakesTooLong:
        return (
            f"is {told(got)}, in which {told(matcher.matches)} was looked for during {patterns.LONGEST_SECONDS:g} s "
            "without an end. Write the expression more simply: no repeated part inside a repeated part"
        )
    return "" if well else f"is {told(got)}, in which {told(matcher.matches)} is not found"


def _one_of(matcher: Matcher, got: Json) -> str:
    if any(same(each, got) for each in matcher.one_of):
        return ""
    return f"is {told(got)}, which is none of {', '.join(told(each) for each in matcher.one_of)}"


def _plain(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(value)


_WORDS: tuple[tuple[str, Callable[[Matcher, Json], str]], ...] = (
    ("absent", lambda _, got: "" if got is None else f"is {told(got)}, and must not be there"),
    ("not_empty", lambda _, got: "is empty, and must not be" if _is_empty(got) else ""),
    ("empty", lambda _, got: "" if _is_empty(got) else f"is {told(got)}, and must be empty"),
    (
        "type",
        lambda matcher, got: "" if _IS[matcher.type](got) else f"is {told(got)}, and must be {_MUST_BE[matcher.type]}",
    ),
    ("contains", _contains),
    ("matches", _matches),
    ("one_of", _one_of),
    ("length", _length),
    ("min", lambda matcher, got: _number(got, lambda number: number >= matcher.min, f"at least {_plain(matcher.min)}")),
    ("max", lambda matcher, got: _number(got, lambda number: number <= matcher.max, f"at most {_plain(matcher.max)}")),
)


def _is_empty(value: Json) -> bool:
    return any(value is each or (type(value) is type(each) and value == each) for each in _EMPTY)
