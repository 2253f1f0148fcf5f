"""A queue of calls, as a channel holds it: [{ "name", "args", "id"? }], completed before any of them is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flows.problem import quoted
from flows.words import arguments
from flows.words.base import Json, shape
from flows.words.fields import Fields
from flows.words.form import check_values

MOST = 500
"""So many calls in one queue."""
_KEYS = ("name", "args", "id")


@dataclass(frozen=True)
class Queued:
    """One entry. place: its position. wrong: a sentence when it is no call of a known tool, and never will be."""

    place: int
    name: str
    args: Mapping[str, Json]
    id: Json = None
    wrong: str = ""


class QueueRefused(ValueError):
    """What the channel holds is no queue. The message is the end of a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def read(held: Json, known: Mapping[str, Fields]) -> list[Queued]:
    """The calls of a queue. known: every tool that may be called, with its fields. Raises QueueRefused."""
    if held is None:
        return []
    if not isinstance(held, list):
        raise QueueRefused(f"it holds {shape(held)} and no list of calls")
    if len(held) > MOST:
        raise QueueRefused(f"it holds {len(held)} calls, and at most {MOST} are made at once")
    return [_entry(place, entry, known) for place, entry in enumerate(held)]


def errors(call: Queued, inputs: Fields) -> dict[str, str]:
    """What is missing or refused of the call's declared arguments, by name."""
    return arguments.complete(inputs, call.args)[1]


def completed(held: Json, place: int, inputs: Fields, given: Mapping[str, Json]) -> list[Json]:
    """The queue with the call at this place completed by what a person typed into its form."""
    queue = list(held)
    call = dict(queue[place])
    call["args"] = arguments.complete(inputs, call.get("args") or {}, given)[0]
    queue[place] = call
    return queue


def rows(calls: list[Queued], inputs: Fields) -> list[dict[str, Json]]:
    """The declared arguments of several calls to one tool, a row for each."""
    return [{name: call.args[name] for name in inputs if call.args.get(name) is not None} for call in calls]


def with_rows(held: Json, tool: str, inputs: Fields, changed: list[Json]) -> list[Json]:
    """The queue in which the calls to one tool are these rows. What a call holds beside its fields stays with it.

    A row that was left as it was is the call that it was; the others take the rest of the calls in their order; a row
    more is a call more, and one less is a call less.
    """
    mine = [entry for entry in held if isinstance(entry, dict) and entry.get("name") == tool]
    left = list(mine)
    taken: list[Json | None] = [None] * len(changed)
    for index, row in enumerate(changed):
        for entry in left:
            before = {name: value for name, value in (entry.get("args") or {}).items() if name in inputs}
            if check_values(inputs, before)[0] == check_values(inputs, row)[0]:
                taken[index] = entry
                left.remove(entry)
                break
    for index, found in enumerate(taken):
        if found is None and left:
            taken[index] = left.pop(0)
    made: list[Json] = []
    for row, entry in zip(changed, taken, strict=True):
        rest = {name: value for name, value in ((entry or {}).get("args") or {}).items() if name not in inputs}
        made.append({**(entry or {"name": tool}), "args": {**rest, **row}})
    kept = iter([new for new, entry in zip(made, taken, strict=True) if entry is not None])
    queue: list[Json] = []
    for entry in held:
        if not (isinstance(entry, dict) and entry.get("name") == tool):
            queue.append(entry)
        elif (following := next(kept, None)) is not None:
            queue.append(following)
    return [*queue, *(new for new, entry in zip(made, taken, strict=True) if entry is None)]


def _entry(place: int, entry: Json, known: Mapping[str, Fields]) -> Queued:
    nth = f"Call {place + 1} of the queue"
    if not isinstance(entry, dict):
        return Queued(place, "", {}, wrong=f"{nth} is {shape(entry)} and no call.")
    name, args, id = entry.get("name"), entry.get("args"), entry.get("id")
    if not isinstance(name, str) or not name:
        return Queued(place, "", {}, id, f"{nth} does not name a tool.")
    if args is not None and not isinstance(args, dict):
        return Queued(place, name, {}, id, f'{nth} has "args" that are {shape(args)} and no object.')
    unknown = next((key for key in entry if key not in _KEYS), None)
    if unknown is not None:
        words = f'{nth} has {quoted(unknown)} beside "name", "args" and "id"; its arguments belong in "args".'
        return Queued(place, name, args or {}, id, words)
    if name not in known:
        return Queued(place, name, args or {}, id, f"The flow has no tool {quoted(name)}.")
    return Queued(place, name, args or {}, id)
