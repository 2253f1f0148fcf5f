"""JSON as every entrance reads it: no duplicate keys, no NaN, no depth bomb, nothing that storage cannot hold."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

Json = Any

MAX_BYTES = 1_000_000
MAX_DEPTH = 64
MAX_INTEGER = 2**53 - 1

CODES = (
    "JSON_INVALID",
    "JSON_NOT_UTF8",
    "JSON_TOO_LARGE",
    "JSON_TOO_DEEP",
    "JSON_DUPLICATE_KEY",
    "JSON_NOT_A_NUMBER",
    "JSON_NUMBER_TOO_LARGE",
    "JSON_SURROGATE",
    "JSON_NUL",
)

_MISTAKES = (
    ("Expecting ',' delimiter", "a comma or a closing bracket is missing before this"),
    ("Expecting ':' delimiter", "a colon is missing before this"),
    ("Expecting property name", "a key in double quotes is missing, or there is a comma too many"),
    ("Illegal trailing comma", "there is a comma too many"),
    ("Expecting value", "a value is missing, or it is no JSON value"),
    ("Extra data", "something stands after the end"),
    ("Unterminated string", "this text has no closing quote"),
    ("Invalid control character", "a text holds a raw line break or tab; write \\n or \\t"),
    ("Invalid \\", "a text holds a backslash that begins nothing; write \\\\ for a backslash"),
)

# Texts, with or without their end, and whatever else is no bracket.
_BETWEEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[^"\[\]{}]+', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonRefused(ValueError):
    """The text is no JSON that this product takes. code: one of CODES; message: a sentence for the person."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def loads(raw: str | bytes, max_bytes: int = MAX_BYTES) -> Json:
    """Read JSON text. Raises JsonRefused and nothing else.

    A byte order mark in front is taken. Whole numbers beyond ±(2^53 - 1) are refused, since a browser would
    round them; the NUL character is, since PostgreSQL cannot store it.
    """
    text = _text(raw, max_bytes)
    _judge_depth(text)
    try:
        value = json.loads(
            text, object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float, parse_int=_integer
        )
    except json.JSONDecodeError as wrong:
        words = next((said for began, said in _MISTAKES if wrong.msg.startswith(began)), wrong.msg)
        place = f"line {wrong.lineno}, column {wrong.colno}"
        raise JsonRefused("JSON_INVALID", f"This is no JSON. At {place}: {words}.") from None
    if "\\u" in text or _SURROGATE.search(text):
        _judge_text(value)
    return value


def judge(value: Json, depth: int = 1) -> None:
    """The same refusals for a value that is parsed already; depth: how deep it stands. Raises JsonRefused."""
    stack: list[tuple[Json, int]] = [(value, depth)]
    while stack:
        here, depth = stack.pop()
        if isinstance(here, dict | list):
            if depth > MAX_DEPTH:
                _refuse_depth()
            if isinstance(here, dict):
                for key in here:
                    if not isinstance(key, str):
                        raise JsonRefused("JSON_INVALID", f"This is no JSON: the key {key!r} is not text.")
                    _judge_string(key)
            stack.extend((each, depth + 1) for each in (here.values() if isinstance(here, dict) else here))
        elif isinstance(here, str):
            _judge_string(here)
        elif isinstance(here, bool) or here is None:
            continue
        elif isinstance(here, int):
            _integer(here)
        elif isinstance(here, float):
            if not math.isfinite(here):
                _constant(str(here))
        else:
            raise JsonRefused("JSON_INVALID", f"This is no JSON: it holds a {type(here).__name__}.")


def _text(raw: str | bytes, max_bytes: int) -> str:
    size = len(raw) if isinstance(raw, bytes) else len(raw.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise JsonRefused(
            "JSON_TOO_LARGE", f"This JSON is {size:,} bytes; at most {max_bytes:,} are taken. Make it shorter."
        )
    if isinstance(raw, bytes):
        try:
            raw = raw.decode("utf-8")
        except UnicodeDecodeError as wrong:
            raise JsonRefused(
                "JSON_NOT_UTF8", f"Byte {wrong.start + 1} of this file is not UTF-8. Save it as UTF-8 and try again."
            ) from None
    return raw.removeprefix("\ufeff")


def _judge_depth(text: str) -> None:
    """Counts brackets before anything is parsed, so that a bomb costs nothing."""
    depth = 0
    for bracket in _BETWEEN.sub("", text):
        if bracket in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                _refuse_depth()
        else:
            depth -= 1


def _refuse_depth() -> NoReturn:
    raise JsonRefused(
        "JSON_TOO_DEEP", f"This JSON is nested more than {MAX_DEPTH} levels deep. Write it with fewer levels."
    )


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonRefused(
                    "JSON_DUPLICATE_KEY", f'The key "{key[:80]}" stands twice in one object. Keep one of them.'
                )
            seen.add(key)
    return found


def _constant(word: str) -> NoReturn:
    raise JsonRefused("JSON_NOT_A_NUMBER", f"{word} is not a number that JSON can hold. Write a number or null.")


def _float(word: str) -> float:
    value = float(word)
    if not math.isfinite(value):
        raise JsonRefused("JSON_NUMBER_TOO_LARGE", f"The number {word[:40]} is too large. Write it as text, in quotes.")
    return value


def _integer(word: str | int) -> int:
    # A long row of digits is judged by its length: int() of a megabyte of digits is refused by Python itself.
    if (isinstance(word, str) and len(word) > 17) or abs(int(word)) > MAX_INTEGER:
        raise JsonRefused(
            "JSON_NUMBER_TOO_LARGE",
            f"The number {str(word)[:40]} is beyond ±{MAX_INTEGER:,}, where whole numbers lose digits. "
            "Write it as text, in quotes.",
        )
    return int(word)


def _judge_text(value: Json) -> None:
    stack = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, str):
            _judge_string(here)
        elif isinstance(here, dict):
            for key in here:
                _judge_string(key)
            stack.extend(here.values())
        elif isinstance(here, list):
            stack.extend(here)


def _judge_string(text: str) -> None:
    if _SURROGATE.search(text):
        raise JsonRefused(
            "JSON_SURROGATE", "A text holds half of a character (a lone surrogate). Remove it, or type it again."
        )
    if "\x00" in text:
        raise JsonRefused("JSON_NUL", "A text holds the NUL character, which cannot be stored. Remove it.")
