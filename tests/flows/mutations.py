"""Changes that chance makes to JSON: what people, models and broken programs hand in."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

Json = Any
Place = tuple[Any, Any]
"""The list or object that holds a value, and its index or key."""

WORDS = (
    "", " ", "END", "START", "SKIP", "__error", "__visits", "history", "class", "reply", "question", "answer", "llm",
    "fanout", "0.9", "0.33", "1.0", "99.99", "{{question}}", "{{a.b.c.0}}", "{{a|b}}", "{{", "}}", "{{ {{x}} }}",
    "'x' is \"y\"", "anything else", "'a' is at least 3 and `b.c` is empty or", "../../flow.json", "https://a.example",
    "C:\\flows", "\u202e\u200b", "🏳️‍🌈" * 3, "é" * 300, "x" * 5000, "<img src=x>", "a\r\nb", "^(a+)+$", "{{" * 400,
)  # fmt: skip
VALUES: tuple[Json, ...] = (
    None, True, False, 0, -1, 1, 3.5, -0.0, 1e300, 2**53 - 1, 10**9, [], {}, [[]], [None], {"": {}}, [1, "a", {}],
    {"type": "string"}, {"type": "list"}, {"a": {"b": {"c": {"d": []}}}}, {"{{x}}": "{{y}}"}, ["question", "question"],
    {"max": 0, "then": "on"}, {"id": "END"}, {"from": "START", "to": "END"}, {"then": [1]}, {"notEmpty": True},
)  # fmt: skip


def places(value: Json) -> list[Place]:
    """Every place in a JSON value."""
    found: list[Place] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        steps: Any = list(here) if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()
        for step in steps:
            found.append((here, step))
            waiting.append(here[step])
    return found


def mutated(chance: Random, value: Json, others: list[Json], most: int = 5) -> Json:
    """The value with a few changes: parts dropped, doubled, renamed, moved, replaced, or taken from other values."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, most)):
        found = places(value)
        if not found:
            return chance.choice(VALUES)
        here, step = chance.choice(found)
        how = chance.random()
        if how < 0.2:
            del here[step]
        elif how < 0.35:
            here[step] = chance.choice(WORDS)
        elif how < 0.5:
            here[step] = copy.deepcopy(chance.choice(VALUES))
        elif how < 0.65:
            _take(chance, here, step, chance.choice(others))
        elif how < 0.75:
            _swap(chance, found, here, step)
        elif isinstance(here, list):
            here.insert(chance.randint(0, len(here)), copy.deepcopy(here[step]))
        elif how < 0.9:
            here[chance.choice([*WORDS[:12], str(step)[:-1], str(step) + "s", str(step).upper()])] = here.pop(step)
        else:
            here[chance.choice(WORDS)] = copy.deepcopy(chance.choice(VALUES))
    return value


def _take(chance: Random, here: Json, step: Any, other: Json) -> None:
    """A part of another value, from a place of the same name where there is one."""
    found = places(other)
    alike = [place for place in found if place[1] == step] or found
    if alike:
        there, at = chance.choice(alike)
        here[step] = copy.deepcopy(there[at])


def _swap(chance: Random, found: list[Place], here: Json, step: Any) -> None:
    there, at = chance.choice(found)
    here[step], there[at] = copy.deepcopy(there[at]), copy.deepcopy(here[step])


def garbled(chance: Random, value: Json) -> str | bytes:
    """The text of a value, cut, doubled or with other characters in it."""
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5, indent=chance.choice([None, 1]))
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(text))
        until = min(len(text), at + chance.randint(0, 8))
        put = chance.choice(["", '"', "{", "[", "}", "]", ",", ":", "\\", "\x00", "\ud800", "1e999", "NaN", "9" * 30])
        text = text[:at] + put + text[until:]
    if chance.random() < 0.1:
        return text.encode("utf-16", "surrogatepass")
    return text.encode("utf-8", "surrogatepass") if chance.random() < 0.3 else text


def shuffled(chance: Random, value: Json) -> Json:
    """The same JSON with the keys of every object in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(chance, value[key]) for key in keys}
    return [shuffled(chance, each) for each in value] if isinstance(value, list) else value
