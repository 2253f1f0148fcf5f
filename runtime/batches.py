"""A batch of calls on one approval card: what will be sent, and the fields by which a person corrects it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.words import arguments, queue
from flows.words.fields import ROW_TYPES, Field, Fields
from flows.words.label import label
from flows.words.queue import Queued

Json = Any

ROWS = "rows"


def shown(held: Json, tools: Mapping[str, Mapping[str, Json]]) -> tuple[dict[str, Json], dict[str, str]]:
    """({name of the call as people read it: its arguments, completed}, {place of an argument: why it is refused}).

    A call that cannot be made is not among them: its error will stand in its own entry of the results.
    """
    calls: dict[str, Json] = {}
    errors: dict[str, str] = {}
    known = {name: fields_of(inputs) for name, inputs in tools.items()}
    wanted = [call for call in queue.read(held, known) if not call.wrong]
    for call in wanted:
        title = _title(call, wanted)
        args, wrong = arguments.complete(known[call.name], call.args)
        calls[title] = args
        errors |= {f"{title} · {label(name)}": words for name, words in wrong.items()}
    return calls, errors


def add_fields(edit: dict[str, Json], channel: str, held: Json, tools: Mapping[str, Mapping[str, Json]]) -> None:
    """Add the fields of a queue to a card's fields: one call as its tool's own, several to one tool as rows."""
    known = {name: fields_of(inputs) for name, inputs in tools.items()}
    calls = [call for call in queue.read(held, known) if not call.wrong and known[call.name]]
    for name in dict.fromkeys(call.name for call in calls):
        inputs, mine = known[name], [call for call in calls if call.name == name]
        if len(mine) > 1 and all(field.type in ROW_TYPES for field in inputs.values()):
            key = f"{channel}.{name}"
            edit["fields"][key] = {
                "type": "list", "label": label(name), "of": {one: each.plain() for one, each in inputs.items()},
            }  # fmt: skip
            edit["values"][key] = queue.rows(mine, inputs)
            edit["paths"][key] = [channel, {ROWS: name}]
            continue
        for call in mine:
            for one, field in inputs.items():
                key = f"{channel}.{call.place}.args.{one}"
                title = field.titled(one) if len(calls) == 1 else f"{_title(call, calls)} · {field.titled(one)}"
                edit["fields"][key] = {**field.plain(), "label": title}
                edit["values"][key] = call.args.get(one)
                edit["paths"][key] = [channel, call.place, "args", one]


def corrected(held: Json, rows: str, edit: Mapping[str, Json], value: Json) -> Json:
    """The queue in which the calls to the tool `rows` are these."""
    inputs = fields_of(edit["of"])
    return queue.with_rows(held, rows, inputs, value or [])


def fields_of(inputs: Mapping[str, Json]) -> Fields:
    return {name: Field.model_validate(field) for name, field in inputs.items()}


def _title(call: Queued, calls: list[Queued]) -> str:
    mine = [one.place for one in calls if one.name == call.name]
    return call.name if len(mine) == 1 else f"{label(call.name)} {mine.index(call.place) + 1}"
