"""Fields: how a flow asks. A tool's inputs, a form's fields and an approval's editable channels all are fields."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field as Declared

from flows.problem import Finding, at, listed, quoted, rule
from flows.words.base import Dsl, Json, Word, shape
from flows.words.label import label
from flows.words.names import is_name

FieldType = Literal["string", "text", "number", "boolean", "date", "list", "object", "any", "file"]
RowType = Literal["string", "text", "number", "boolean", "date"]
ROW_TYPES: tuple[str, ...] = ("string", "text", "number", "boolean", "date")
_CHOSEN = ("string", "text", "number", "boolean", "date", "any")
_ASKS = {
    "string": "One line of text.",
    "text": "Several lines of text.",
    "number": "A number.",
    "boolean": "Yes or no.",
    "date": "A day.",
    "list": "Entries, or rows of boxes.",
    "object": "Named values.",
    "any": "Whatever is typed.",
    "file": "A file that is chosen or dropped.",
}


class Field(Word):
    """One thing a person may enter."""

    type: Annotated[FieldType, Dsl(widget="choice", topic="forms", says=_ASKS)] = Declared(
        description="string, text (several lines), number, boolean, date (YYYY-MM-DD), list, object, any or file."
    )
    required: Annotated[bool, Dsl(widget="switch")] = Declared(
        False, description="Whether the form refuses to go on without it."
    )
    label: Annotated[str, Declared(max_length=120), Dsl(widget="line")] = Declared(
        "", description="The words above the box; the field's name when left out."
    )
    description: Annotated[str, Declared(max_length=1000), Dsl(widget="text", label="Help")] = Declared(
        "", description="The words under the box."
    )
    options: Annotated[list[Json] | None, Declared(max_length=200), Dsl(widget="list", belongs=_CHOSEN)] = Declared(
        None, description="The values allowed, shown as a choice."
    )
    default: Annotated[Json, Dsl(widget="json")] = Declared(None, description="What the box begins with.")
    accept: Annotated[
        str | None,
        Declared(max_length=200),
        Dsl(widget="line", belongs=("file",), placeholder=".pdf,.docx", label="Which files"),
    ] = Declared(None, description='On a file: what a person may choose, such as "image/*" or ".pdf,.docx".')
    max_length: Annotated[
        int | None, Declared(ge=1, le=100_000), Dsl(widget="number", belongs=("string", "text"), label="Longest")
    ] = Declared(None, description="How many characters a text may have.")
    of: Annotated[
        dict[str, Field] | None, Declared(max_length=20), Dsl(widget="fields", belongs=("list",), label="One row")
    ] = Declared(None, description="On a list: the fields of one row.")

    def titled(self, name: str) -> str:
        """What a person knows the field as."""
        return self.label or label(name)


Fields = Mapping[str, Field]
"""Name → field, in the order in which they are drawn."""


def holds(type: str, value: Json) -> bool:
    """Is a value what a field of this type gives?"""
    if type in ("string", "text"):
        return isinstance(value, str)
    if type == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if type == "boolean":
        return isinstance(value, bool)
    if type == "date":
        return isinstance(value, str) and is_date(value)
    if type == "list":
        return isinstance(value, list)
    return isinstance(value, dict) if type in ("object", "file") else True


def is_date(text: str) -> bool:
    """Is this a day of the calendar, written YYYY-MM-DD?"""
    try:
        return len(text) == 10 and datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _shown(value: Json) -> str:
    return quoted(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else shape(value)


def mentioned(fields: Fields, path: str) -> Iterator[tuple[str, Field, str, bool]]:
    """(name, field, path, whether it stands in a row) of every field, rows included."""
    for name, field in fields.items():
        here = at(path, name)
        yield name, field, here, False
        for inner, row in (field.of or {}).items():
            yield inner, row, at(here, "of", inner), True


@rule("FIELDS_EMPTY")
def something_is_asked(fields: Fields, path: str) -> Iterator[Finding]:
    """A form without fields would open empty, and rows without fields cannot be filled in."""
    if not fields:
        yield (
            path,
            f"{quoted(path)} names no fields, so there is nothing to ask for.",
            'Add at least one: { "name": { "type": "string" } }.',
        )
    for name, field in fields.items():
        if field.of is not None and not field.of:
            yield at(path, name, "of"), f"The rows of {quoted(name)} have no fields.", "Say what one row holds."


@rule("FIELD_NAME_INVALID")
def field_names(fields: Fields, path: str) -> Iterator[Finding]:
    """A field's name is a key that templates and code read."""
    for name, _, here, _ in mentioned(fields, path):
        if not is_name(name):
            yield (
                here,
                f"The field name {quoted(name)} cannot be used.",
                "Use letters, digits, _ and -, begin with a letter, and put the words people see in the label.",
            )


@rule("FIELD_ROW_TYPE")
def rows_are_plain(fields: Fields, path: str) -> Iterator[Finding]:
    """A row is one line of boxes: it holds plain values, and only a list has rows."""
    for name, field, here, in_row in mentioned(fields, path):
        if in_row and field.type not in ROW_TYPES:
            yield (
                at(here, "type"),
                f"The row field {quoted(name)} has the type {quoted(field.type)}; a row holds plain values.",
                f"Use {listed(ROW_TYPES)}.",
            )
        if field.of is not None and field.type != "list":
            yield (
                at(here, "of"),
                f'The field {quoted(name)} has "of" and the type {quoted(field.type)}; only a list has rows.',
                'Make its type "list", or remove "of".',
            )


@rule("FIELD_OPTIONS")
def options_fit(fields: Fields, path: str) -> Iterator[Finding]:
    """Options are the values allowed, so each has the field's type, and there is more than none."""
    for name, field, here, _ in mentioned(fields, path):
        if field.options is None:
            continue
        if not field.options:
            yield at(here, "options"), f"The field {quoted(name)} has no options to choose from.", "Name some."
        if field.type in ("list", "object", "file"):
            yield (
                at(here, "options"),
                f"The field {quoted(name)} has options and the type {quoted(field.type)}.",
                "Options belong to string, text, number, boolean, date and any.",
            )
            continue
        for index, option in enumerate(field.options):
            if isinstance(option, dict | list) or option is None or not holds(field.type, option):
                yield (
                    at(here, "options", index),
                    f"An option of the field {quoted(name)} is {_shown(option)}, which is no {field.type}.",
                    "Write options of the field's own type.",
                )


@rule("FIELD_DEFAULT")
def defaults_fit(fields: Fields, path: str) -> Iterator[Finding]:
    """The default stands in the box, so it must be something the box could give."""
    for name, field, here, _ in mentioned(fields, path):
        wrong = field.default is not None and not holds(field.type, field.default)
        if wrong or (field.default is not None and field.options and field.default not in field.options):
            what = f"which no {quoted(field.type)} field can give" if wrong else "which is none of its options"
            yield (
                at(here, "default"),
                f"The default of the field {quoted(name)} is {_shown(field.default)}, {what}.",
                "Write a default that the field itself would take" + (": 2026-03-31." if field.type == "date" else "."),
            )


@rule("FIELD_MAX_LENGTH")
def lengths_are_of_texts(fields: Fields, path: str) -> Iterator[Finding]:
    """maxLength counts characters; only a text has them."""
    for name, field, here, _ in mentioned(fields, path):
        if field.max_length is not None and field.type not in ("string", "text"):
            yield (
                at(here, "maxLength"),
                f'The field {quoted(name)} has "maxLength" and the type {quoted(field.type)}; only text has a length.',
                'Remove "maxLength".',
            )


@rule("ACCEPT_NOT_FILE")
def accept_is_of_files(fields: Fields, path: str) -> Iterator[Finding]:
    """accept says which files a person may choose; no other field has a choice of files to limit."""
    for name, field, here, _ in mentioned(fields, path):
        if field.accept is not None and field.type != "file":
            yield (
                at(here, "accept"),
                f'The field {quoted(name)} has "accept" and the type {quoted(field.type)}; only a file has it.',
                'Remove "accept", or make the type "file".',
            )


RULES = (
    something_is_asked,
    field_names,
    rows_are_plain,
    options_fit,
    defaults_fit,
    lengths_are_of_texts,
    accept_is_of_files,
)
"""Called with (fields, path). A tool may have inputs {} and then asks for nothing: skip something_is_asked there."""
