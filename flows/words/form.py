"""What a person submitted, checked against the fields they were asked for. Used on every submission."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import cast

from flows.problem import nearest, quoted
from flows.words.base import Json, shape
from flows.words.fields import Field, Fields, holds
from flows.words.outside import FieldsRefused, from_json_schema
from flows.words.strictjson import JsonRefused, judge, loads

__all__ = ["Field", "Fields", "FieldsRefused", "check_values", "from_json_schema", "missing_or_refused", "prefilled"]

MAX_TEXT = 100_000
MAX_ROWS = 500

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_MUST_BE = {"list": "a list", "object": "an object", "file": "a file"}
_YES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class _Refused(Exception):
    """One value is refused; the text is the sentence that stands beside its box."""


def check_values(fields: Fields, submitted: Json) -> tuple[dict[str, Json], dict[str, str]]:
    """Check a submission. Returns the values as the field types give them, and what is wrong by path.

    Paths are `name`, `items[2].quantity` or, for what belongs to no field, "". Text for a number, a yes or no or an
    object is read as one, as a browser's form sends it. Fields left empty are left out of the values; empty rows are
    dropped. The values are complete only when there are no errors.
    """
    if not isinstance(submitted, dict):
        return {}, {"": f"The answers must be an object of fields, not {shape(submitted)}."}
    values: dict[str, Json] = {}
    errors: dict[str, str] = {}
    for name, field in fields.items():
        _check(field, field.titled(name), submitted.get(name), name, values, errors)
    for name in submitted:
        if name not in fields:
            near = nearest(name, fields)
            errors[str(name)[:80]] = f"This form has no field {quoted(name)}." + (
                f" Did you mean {quoted(near)}?" if near else ""
            )
    return values, errors


def missing_or_refused(fields: Fields, args: Mapping[str, Json]) -> bool:
    """Is a required argument absent, or one refused by its field? Arguments that no field declares pass."""
    declared = {name: args[name] for name in fields if name in args}
    return bool(check_values(fields, declared)[1])


def prefilled(fields: Fields, known: Mapping[str, Json]) -> dict[str, Json]:
    """What the boxes of a form begin with: what is known, else the field's default."""
    values = {name: known.get(name) for name in fields}
    for name, field in fields.items():
        if _is_empty(values[name]) and field.default is not None:
            values[name] = field.default
    return {name: value for name, value in values.items() if value is not None}


def _check(field: Field, title: str, given: Json, path: str, values: dict[str, Json], errors: dict[str, str]) -> None:
    """Check one value; put it into values under the last name of its path, or the reason into errors."""
    name = path.rpartition(".")[2]
    if field.of and isinstance(given, list):
        rows = _rows(field.of, given, path, errors)
        if not rows and field.required and not any(each.startswith(f"{path}[") for each in errors):
            errors[path] = f"Add at least one row to {quoted(title)}."
        if rows:
            values[name] = rows
        return
    if _is_empty(given):
        if field.required:
            errors[path] = _ask_for(field, title)
        return
    try:
        value = _taken(field, given)
        _judge(field, value)
    except _Refused as refused:
        errors[path] = f"{quoted(title)} {refused}"
        return
    values[name] = value


def _ask_for(field: Field, title: str) -> str:
    if field.type == "file":
        return f"Choose a file for {quoted(title)}."
    if field.options:
        return f"Choose one for {quoted(title)}."
    if field.type == "list" and field.of:
        return f"Add at least one row to {quoted(title)}."
    return f"Answer yes or no to {quoted(title)}." if field.type == "boolean" else f"Fill in {quoted(title)}."


def _rows(of: Fields, given: Sequence[Json], path: str, errors: dict[str, str]) -> list[Json]:
    if len(given) > MAX_ROWS:
        errors[path] = f"There are {len(given)} rows; at most {MAX_ROWS} are taken."
        return []
    rows: list[Json] = []
    for index, row in enumerate(given):
        here = f"{path}[{index}]"
        if row is None or (isinstance(row, dict) and _is_untouched(of, row)):
            continue
        if not isinstance(row, dict):
            errors[here] = f"Row {index + 1} must be an object of fields, not {shape(row)}."
            continue
        wrong: dict[str, str] = {}
        values: dict[str, Json] = {}
        for name, field in of.items():
            _check(field, field.titled(name), row.get(name), f"{here}.{name}", values, wrong)
        for name in row:
            if name not in of:
                wrong[f"{here}.{name}"[:160]] = f"A row has no field {quoted(name)}."
        errors.update({where: f"Row {index + 1}: {reason}" for where, reason in wrong.items()})
        rows.append(values)
    return rows


def _is_untouched(of: Fields, row: Mapping[str, Json]) -> bool:
    """Did nobody enter anything here? A box that still holds its default, and a switch left off, are untouched."""
    return all(
        _is_empty(value) or (name in of and (value == of[name].default or (of[name].type == "boolean" and not value)))
        for name, value in row.items()
    )


def _is_empty(value: Json) -> bool:
    """Was the box left alone? false and 0 are answers."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    return isinstance(value, list | dict) and not value


def _taken(field: Field, given: Json) -> Json:
    """The value as the field's type gives it. Raises _Refused."""
    type = field.type
    if type == "number":
        return _number(given)
    if type == "boolean":
        word = given.strip().lower() if isinstance(given, str) else given
        if not isinstance(word, bool) and word not in _YES:
            raise _Refused("must be yes or no.")
        return word if isinstance(word, bool) else _YES[cast(str, word)]
    if type == "date":
        if not isinstance(given, str) or not holds("date", given.strip()):
            raise _Refused("must be a day, written as year-month-day: 2026-03-31.")
        return given.strip()
    if type == "string":
        if not isinstance(given, str):
            raise _Refused(f"must be text, not {shape(given)}.")
        if "\n" in given.strip() or "\r" in given.strip():
            raise _Refused("must be on one line.")
        return given.strip()
    if type == "text":
        if not isinstance(given, str):
            raise _Refused(f"must be text, not {shape(given)}.")
        return given.replace("\r\n", "\n")
    if type in ("list", "object") and isinstance(given, str):
        return _parsed(type, given)
    if not holds(type, given):
        raise _Refused(f"must be {_MUST_BE[type]}, not {shape(given)}.")
    return given


def _number(given: Json) -> Json:
    if isinstance(given, str):
        text = given.strip()
        if not _NUMBER.fullmatch(text) or len(text) > 40:
            raise _Refused("must be a number, such as 12 or 3.5.")
        value = float(text)
        given = int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _Refused(f"must be a number, not {shape(given)}.")
    if not math.isfinite(given) or (abs(given) >= 2**53 and isinstance(given, int)):
        raise _Refused("is too large a number.")
    return given


def _parsed(type: str, text: str) -> Json:
    """A list typed as text is one entry per line; an object typed as text is JSON."""
    if text.strip()[:1] in ("[", "{"):
        try:
            value = loads(text)
        except JsonRefused as refused:
            # Lines may begin with a bracket; an object that is none and JSON that nobody may send are refused.
            if type == "object" or refused.code != "JSON_INVALID":
                raise _Refused(f"cannot be taken. {refused.message}") from refused
            value = None
        if value is not None and holds(type, value):
            return value
    if type == "object":
        raise _Refused("must be an object.")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _judge(field: Field, value: Json) -> None:
    """Refuse what the field's other words do not allow."""
    if field.options is not None and not any(_same(value, option) for option in field.options):
        raise _Refused(f"must be one of: {', '.join(str(option) for option in field.options[:20])}.")
    if isinstance(value, str):
        most = field.max_length or MAX_TEXT
        if len(value) > most:
            raise _Refused(f"may have at most {most:,} characters, and this has {len(value):,}.")
        if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise _Refused("holds a character that cannot be stored.")
    elif isinstance(value, list | dict):
        try:
            judge(value)
        except JsonRefused as refused:
            raise _Refused(f"cannot be taken. {refused.message}") from refused


def _same(value: Json, option: Json) -> bool:
    """Equal, and of one type: true is not 1."""
    return value == option and isinstance(value, bool) == isinstance(option, bool)
