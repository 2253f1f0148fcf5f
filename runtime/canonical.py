"""Bytes that stand for one JSON value and no other, so that a digest over them names exactly what was shown."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import rfc8785

SAFE = 2**53 - 1
# A value that RFC 8785 would round, or write like another one, is tagged with its kind and kept as text.
NUMBER, OBJECT = "$number", "$object"


class NotCanonical(ValueError):
    """The value is no JSON (NaN, a lone surrogate, a key that is no string …), so nothing can be signed for it."""


def encode(value: Any) -> bytes:
    """Canonical bytes of a JSON value. Different values give different bytes, 1 and 1.0 included."""
    try:
        return rfc8785.dumps(_tag(value))
    except (ValueError, RecursionError) as error:
        raise NotCanonical(str(error)) from error


def keep(value: Any) -> bytes:
    """Bytes that give the value back with its keys in their order, which is how people are shown them.

    `encode` sorts keys, so the digest does not depend on that order: storage may change it.
    """
    try:
        return json.dumps(_tag(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise NotCanonical(str(error)) from error


def decode(stored: bytes) -> Any:
    """The value of `keep` or `encode`."""
    return _untag(json.loads(stored))


def for_page(value: Any) -> Any:
    """A value as JavaScript can hold it: whole numbers beyond 2^53 and decimals become text."""
    if isinstance(value, Decimal) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) > SAFE):
        return str(value)
    if isinstance(value, list):
        return [for_page(one) for one in value]
    if isinstance(value, dict):
        return {key: for_page(one) for key, one in value.items()}
    return value


def _tag(value: Any) -> Any:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -SAFE <= value <= SAFE else {NUMBER: str(value)}
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotCanonical("Not a number")
        # Whole floats: RFC 8785 writes 1.0 as 1, and -0.0 as 0.
        return {NUMBER: repr(value)} if value.is_integer() else value
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise NotCanonical("Not a number")
        return {NUMBER: f"{value}d"}
    if isinstance(value, list | tuple):
        return [_tag(one) for one in value]
    if isinstance(value, dict):
        if any(not isinstance(key, str) for key in value):
            raise NotCanonical("A key is no text")
        inner = {key: _tag(one) for key, one in value.items()}
        return {OBJECT: inner} if inner.keys() & {NUMBER, OBJECT} else inner
    raise NotCanonical(f"{type(value).__name__} is no JSON")


def _untag(value: Any) -> Any:
    if isinstance(value, list):
        return [_untag(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {NUMBER}:
        return _number(value[NUMBER])
    if value.keys() == {OBJECT}:
        value = value[OBJECT]
    return {key: _untag(one) for key, one in value.items()}


def _number(text: str) -> int | float | Decimal:
    if text.endswith("d"):
        return Decimal(text[:-1])
    try:
        return int(text)
    except ValueError:
        return float(text)
