"""The fields by which a person corrects a card before approving it. Nobody is asked to type JSON.

A channel becomes one field, or, when it holds a record, a field for each of the record's values; a list of like
records becomes rows. A field's name is the path of its value: `note`, `order.customerId`, `order.items`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from flows.words.form import Field, check_values
from flows.words.label import label
from runtime import batches
from runtime.canonical import for_page

Json = Any
DEPTH = 4
PLAIN = {"string": "string", "number": "number", "boolean": "boolean"}


def fields(
    channels: Mapping[str, tuple[str, Json]], reads: Mapping[str, str], inputs: Mapping[str, Json]
) -> dict[str, Json]:
    """{"fields": {name: field}, "values": {name: value now}, "paths": {name: [channel, key…]}}.

    channels: type and value by name. reads: which argument each dotted path fills. inputs: the tool's declared fields,
    whose labels, choices and lengths are used where a value is exactly one argument.
    """
    made: dict[str, Json] = {"fields": {}, "values": {}, "paths": {}}
    for channel, (type, value) in channels.items():
        for path, field in _fields([channel], type, value):
            name = ".".join(path)
            declared = inputs.get(reads.get(name, ""))
            made["fields"][name] = _declared(field, declared) if isinstance(declared, Mapping) else field
            made["values"][name] = _at(channels[channel][1], path[1:])
            made["paths"][name] = path
    return made


def corrected(edit: Mapping[str, Json], submitted: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, str]]:
    """What a submission changes: ({name: checked value}, {path: what is wrong}).

    A value that comes back as it was shown is left as it is, to the last blank.
    """
    values: dict[str, Json] = {}
    errors: dict[str, str] = {}
    for name, given in submitted.items():
        if name not in edit["fields"]:
            errors[name] = "This card does not offer that for correction."
        elif not _same(given, edit["values"].get(name)):
            field = Field.model_validate(edit["fields"][name])
            # Under a name of its own: the field's name has dots in it, which paths of rows have too.
            checked, wrong = check_values({"it": field}, {"it": given})
            values[name] = checked.get("it", "" if field.type in ("string", "text", "date") else None)
            errors |= {name + path.removeprefix("it"): message for path, message in wrong.items()}
    return values, errors


def channels(edit: Mapping[str, Json], state: Mapping[str, Json], values: Mapping[str, Json]) -> dict[str, Json]:
    """{channel: its value with the corrections in it}, only for channels that changed. state is left untouched."""
    made: dict[str, Json] = {}
    for name, value in values.items():
        channel, *keys = edit["paths"][name]
        if not keys:
            made[channel] = value
            continue
        whole = made.setdefault(channel, copy.deepcopy(state[channel]))
        if isinstance(keys[0], dict):
            made[channel] = batches.corrected(whole, keys[0][batches.ROWS], edit["fields"][name], value)
            continue
        for key in keys[:-1]:
            whole = whole.setdefault(key, {}) if isinstance(whole, dict) else whole[key]
        whole[keys[-1]] = value
    return made


def _fields(path: list[str], type: str, value: Json) -> Iterator[tuple[list[str], Json]]:
    if isinstance(value, dict):
        if len(path) <= DEPTH:
            for key, one in value.items():
                yield from _fields([*path, key], "any", one)
    elif isinstance(value, list):
        columns = _columns(value)
        if columns:
            yield path, {"type": "list", "label": _label(path), "required": True, "of": columns}
    else:
        kind = _plain(value) or PLAIN.get(type) or ("string" if len(path) > 1 else None)
        if kind:
            # An emptied number or answer would change the value's type under the code that reads it.
            required = {"required": True} if kind in ("number", "boolean") and value is not None else {}
            yield path, {"type": kind, "label": _label(path), **required}


def _plain(value: Json) -> str | None:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        # A field of one line would hand lines back as one.
        return "text" if "\n" in value or "\r" in value else "string"
    return None


def _columns(rows: list[Json]) -> dict[str, Json]:
    """The columns of a list of like records, in order of first appearance; {} when the entries are not alike."""
    if not rows or not all(isinstance(row, dict) for row in rows):
        return {}
    columns: dict[str, Json] = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        kinds = {_plain(row[key]) for row in rows if row.get(key) is not None}
        if None in kinds:
            return {}
        kind = "text" if kinds == {"text", "string"} else (kinds.pop() if len(kinds) == 1 else None)
        if kind is None:
            return {}
        everywhere = all(row.get(key) not in (None, "") for row in rows)
        columns[key] = {"type": kind, "label": label(key), **({"required": True} if everywhere else {})}
    return columns


def _declared(field: dict[str, Json], declared: Mapping[str, Json]) -> dict[str, Json]:
    """The derived field with what the tool says of it; a column it does not declare stays, or its values were lost."""
    if field["type"] != "list":
        return {**field, **declared, "type": "text" if field["type"] == "text" else declared.get("type", field["type"])}
    of = declared.get("of")
    return {**field, **declared, "of": {**field["of"], **of}} if isinstance(of, Mapping) else field


def _at(value: Json, keys: list[str]) -> Json:
    for key in keys:
        value = value[key]
    return value


def _label(path: list[str]) -> str:
    return " · ".join(label(key) for key in (path[1:] or path))


def _same(submitted: Json, current: Json) -> bool:
    if submitted in (None, "") and current in (None, ""):
        return True
    return isinstance(submitted, bool) == isinstance(current, bool) and submitted in (current, for_page(current))
