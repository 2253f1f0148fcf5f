"""Scripted answers depend on the prompt: `${name}` is replaced by what the rule found there.

    ${name}  ${order.total}  ${orders.0.id}     a named group of the rule's regex, or JSON read from the prompt
    ${name|number}                              changed on its way: see CHANGES
    ${#orders}- ${id}${/orders}                 once for each item of a list, or once when the value is something
    ${^orders}None yet.${/orders}               only when the value is missing, empty or false

A string that is exactly one placeholder becomes the value itself, so an answer can hold numbers and lists. A property
whose placeholders found nothing is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = Any

TAG = re.compile(r"\$\{([#^/]?)([A-Za-z_.][\w.]*)((?:\|[a-z]+)*)\}")


class FillRefused(ValueError):
    """The answer's placeholders do not parse. The message says which one and why."""


class _Missing:
    """What a placeholder that found nothing stands for."""

    def __bool__(self) -> bool:
        return False


MISSING = _Missing()


def _number(value: Json) -> Json:
    text = str(value).replace(",", "").strip()
    try:
        number = float(text)
    except ValueError:
        return MISSING
    return int(number) if number.is_integer() else number


def _money(value: Json) -> str:
    return f"{float(value):,.2f}"


def _line(value: Json) -> str:
    return " ".join(str(value).split())


CHANGES: Mapping[str, Callable[[Json], Json]] = {
    "number": _number,
    "money": _money,
    "line": _line,
    "lower": lambda value: str(value).lower(),
    "upper": lambda value: str(value).upper(),
    "title": lambda value: str(value).title(),
    "count": len,
}


@dataclass
class _Spot:
    path: str
    changes: tuple[str, ...]


@dataclass
class _Section:
    path: str
    inverted: bool
    parts: list[str | _Spot | _Section] = field(default_factory=list)


Parts = list[str | _Spot | _Section]


def parse(text: str) -> Parts:
    """The text cut into words, spots and sections. Raises FillRefused when a section is not closed or not opened."""
    top: Parts = []
    open_sections: list[_Section] = []
    here, at = top, 0
    for tag in TAG.finditer(text):
        if tag.start() > at:
            here.append(text[at : tag.start()])
        at = tag.end()
        mark, path, changes = tag.group(1), tag.group(2), tuple(tag.group(3).split("|")[1:])
        unknown = [name for name in changes if name not in CHANGES]
        if unknown:
            raise FillRefused(f"${{{path}}} names an unknown change: {unknown[0]}")
        if mark == "/":
            if not open_sections or open_sections[-1].path != path:
                raise FillRefused(f"${{/{path}}} closes a section that is not open")
            open_sections.pop()
            here = open_sections[-1].parts if open_sections else top
        elif mark:
            section = _Section(path, inverted=mark == "^")
            here.append(section)
            open_sections.append(section)
            here = section.parts
        else:
            here.append(_Spot(path, changes))
    if open_sections:
        raise FillRefused(f"${{#{open_sections[-1].path}}} is never closed")
    if at < len(text):
        here.append(text[at:])
    return top


def _look(path: str, scopes: Sequence[Json]) -> Json:
    if path == ".":
        return scopes[-1]
    first, *rest = path.split(".")
    found: Json = MISSING
    for scope in reversed(scopes):
        if isinstance(scope, Mapping) and first in scope:
            found = scope[first]
            break
    for step in rest:
        if isinstance(found, Mapping) and step in found:
            found = found[step]
        elif isinstance(found, list) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
        else:
            return MISSING
    return MISSING if found is None else found


def _changed(spot: _Spot, scopes: Sequence[Json]) -> Json:
    value = _look(spot.path, scopes)
    for name in spot.changes:
        if value is MISSING:
            return MISSING
        try:
            value = CHANGES[name](value)
        except (TypeError, ValueError):
            return MISSING
    return value


def _said(value: Json) -> str:
    if value is MISSING:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _spoken(parts: Parts, scopes: list[Json]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, _Spot):
            yield _said(_changed(part, scopes))
        else:
            value = _look(part.path, scopes)
            if part.inverted:
                if not value:
                    yield from _spoken(part.parts, scopes)
            elif isinstance(value, list):
                for item in value:
                    yield from _spoken(part.parts, [*scopes, item])
            elif value:
                yield from _spoken(part.parts, [*scopes, value])


def fill(answer: Json, names: Mapping[str, Json]) -> Json:
    """The answer with its placeholders replaced. A string that is one placeholder gives the value, or MISSING."""
    if isinstance(answer, str):
        if "${" not in answer:
            return answer
        parts = parse(answer)
        if len(parts) == 1 and isinstance(parts[0], _Spot):
            return _changed(parts[0], [names])
        return "".join(_spoken(parts, [names])) or MISSING
    if isinstance(answer, Mapping):
        filled = {key: fill(value, names) for key, value in answer.items()}
        return {key: value for key, value in filled.items() if value is not MISSING}
    if isinstance(answer, list):
        return [value for value in (fill(item, names) for item in answer) if value is not MISSING]
    return answer


def check(answer: Json) -> None:
    """Raise FillRefused when a placeholder anywhere in the answer does not parse."""
    if isinstance(answer, str):
        parse(answer)
    elif isinstance(answer, Mapping):
        for value in answer.values():
            check(value)
    elif isinstance(answer, list):
        for item in answer:
            check(item)
