"""JSON out of a model's prose: fences, a sentence around it, and quotes that the writer meant."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from flows.words.strictjson import JsonRefused, judge

Json = Any

MAX_STARTS = 200
"""How many opening brackets are tried before the reply is given up."""

_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)```", re.DOTALL)
_START = re.compile(r"[\[{]")
_AFTER_VALUE = re.compile(r"\s*(?:[}\]]|,\s*(?:[\"\[{\d\-]|true|false|null|[}\]])|$)")
_AFTER_MEMBER = re.compile(r"\s*(?:\}|,\s*(?:\"(?:[^\"\\\n]|\\.)*\"\s*:|\})|$)")
_AFTER_KEY = re.compile(r"\s*:")
_SHAPES: dict[str, type] = {"object": dict, "list": list}


class NoJson(ValueError):
    """The reply holds no JSON of the shape asked for. The message is a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def extract_json(text: str, kind: Literal["object", "list"]) -> Json:
    """The JSON object or list in a model's reply. Raises NoJson.

    Of several, the longest is taken; one in a code fence before any outside. A bare quote inside a text (Hebrew
    abbreviates with one) is read as part of the text.
    """
    wanted = _SHAPES[kind]
    for part in (*_FENCE.findall(text), text):
        found = [(end - start, value) for start, end, value in _values(part) if isinstance(value, wanted)]
        if found:
            return max(found, key=lambda each: each[0])[1]
    raise NoJson(f"The reply holds no JSON {kind}. It begins: {_beginning(text)}")


def _beginning(text: str) -> str:
    words = " ".join(text.split())
    return f"“{words[:120]}{'…' if len(words) > 120 else ''}”" if words else "nothing at all."


def _values(text: str) -> list[tuple[int, int, Json]]:
    """Every JSON object and list that stands in the text by itself, as (start, end, value)."""
    found: list[tuple[int, int, Json]] = []
    position = 0
    for _ in range(MAX_STARTS):
        start = _START.search(text, position)
        if start is None:
            break
        read = _read(text, start.start())
        if read is None:
            position = start.end()
            continue
        value, position = read
        found.append((start.start(), position, value))
    return found


def _read(text: str, start: int) -> tuple[Json, int] | None:
    """The value that begins at start and where it ends; None when none does."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        judge(value)
        return value, end
    except (ValueError, RecursionError):
        pass
    mended = _mended(text, start)
    if mended is None:
        return None
    source, end = mended
    try:
        value = _DECODER.decode(source)
        judge(value)
        return value, end
    except (ValueError, RecursionError):
        return None


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise JsonRefused("JSON_DUPLICATE_KEY", "A key stands twice in one object.")
    return found


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_pairs)


def _mended(text: str, start: int) -> tuple[str, int] | None:
    """The bracketed text at start with its inner quotes escaped, and where it ends.

    A quote closes a string only when what follows could follow a string there: a colon after a key, and after a
    value a closing bracket, or a comma and the next key or entry.
    """
    written: list[str] = []
    open_brackets: list[str] = []
    is_key = False
    position = start
    while position < len(text):
        letter = text[position]
        if letter == '"':
            after = _AFTER_KEY if is_key else _AFTER_MEMBER if open_brackets[-1] == "{" else _AFTER_VALUE
            string, position = _string(text, position + 1, after)
            if string is None:
                return None
            written.append(string)
            continue
        if letter in "[{":
            open_brackets.append(letter)
        is_key = (letter in "{," and open_brackets[-1:] == ["{"]) or (is_key and letter.isspace())
        written.append(letter)
        position += 1
        if letter in "]}":
            open_brackets.pop()
            if not open_brackets:
                return "".join(written), position
    return None


def _string(text: str, position: int, after: re.Pattern[str]) -> tuple[str | None, int]:
    """One string from behind its opening quote: as JSON, and where it ends. None when it never does."""
    written = ['"']
    while position < len(text):
        letter = text[position]
        if letter == "\\":
            written.append(text[position : position + 2])
            position += 2
        elif letter == '"' and after.match(text, position + 1):
            return "".join([*written, '"']), position + 1
        else:
            written.append('\\"' if letter == '"' else letter)
            position += 1
    return None, position
