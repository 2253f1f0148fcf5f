"""Templates: {{channel}} and {{channel.path.0}}, a look-up in plain JSON and never an expression.

What is filled in is inert: it is not searched for templates again. Text in double braces that does not begin with
a letter or an underscore (`{{7*7}}`, `{{"a": 1}}`) is text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

Json = Any

MAX_PARTS = 16
MAX_LENGTH = 300

_BRACES = re.compile(r"\{\{([^{}]*)\}\}")
_MEANT = re.compile(r"[A-Za-z_]")
_PART = r"[\w$@-]+(?: +[\w$@-]+)*"
_PATH = re.compile(rf"[A-Za-z_][A-Za-z0-9_]*(?:\.{_PART})*")


@lru_cache(maxsize=4096)
def paths(text: str) -> tuple[str, ...]:
    """The paths that the template reads, in order, as written."""
    return tuple(found for found in map(str.strip, _BRACES.findall(text)) if is_path(found))


@lru_cache(maxsize=4096)
def mistakes(text: str) -> tuple[str, ...]:
    """What stands in double braces and looks like a template, but is no path: `facts | upper`, `a[0]`."""
    inner = map(str.strip, _BRACES.findall(text))
    return tuple(found for found in inner if _MEANT.match(found) and not is_path(found))


def is_fixed(text: str) -> bool:
    """Does the text read nothing, and try to read nothing?"""
    return not paths(text) and not mistakes(text)


def is_path(text: str) -> bool:
    """Is this a channel, optionally followed by keys and list positions, at most 16 parts?"""
    return text.count(".") < MAX_PARTS and len(text) <= MAX_LENGTH and _PATH.fullmatch(text) is not None


def reads(template: Json) -> set[str]:
    """The channels that a template reads; in a list or an object, those that any text inside it reads."""
    if isinstance(template, str):
        return {path.partition(".")[0] for path in paths(template)}
    if isinstance(template, dict):
        return {name for each in template.values() for name in reads(each)}
    if isinstance(template, list):
        return {name for each in template for name in reads(each)}
    return set()


def only(template: Json) -> str | None:
    """The path, when the template is exactly one {{path}} and nothing else."""
    if not isinstance(template, str):
        return None
    found = _BRACES.fullmatch(template.strip())
    path = found.group(1).strip() if found else ""
    return path if is_path(path) else None


def renamed(text: str, old: str, new: str) -> str:
    """The template with the channel `old` read as `new`; everything else stays as it is."""

    def follow(match: re.Match[str]) -> str:
        inside = match.group(1)
        path = inside.strip()
        if not is_path(path) or path.partition(".")[0] != old:
            return match.group(0)
        return match.group(0).replace(path, new + path[len(old) :], 1)

    return _BRACES.sub(follow, text) if old in text else text


def look_up(path: str, state: Mapping[str, Json]) -> Json:
    """The value at a path: keys of objects, positions in lists, and how many entries a list has (`length`).

    None when there is nothing.
    """
    first, *rest = path.split(".")
    here: Json = state.get(first)
    for part in rest:
        if isinstance(here, Mapping):
            here = here.get(part)
        elif isinstance(here, list) and part.isascii() and part.isdigit() and len(part) <= 9:
            here = here[int(part)] if int(part) < len(here) else None
        elif isinstance(here, list) and part == "length":
            here = len(here)
        else:
            return None
    return here


def fill(template: str, state: Mapping[str, Json]) -> str:
    """The template with every {{path}} replaced by its value as text; nothing where there is no value."""

    def text_of(match: re.Match[str]) -> str:
        path = match.group(1).strip()
        return as_text(look_up(path, state)) if is_path(path) else match.group(0)

    return _BRACES.sub(text_of, template)


def value(template: Json, state: Mapping[str, Json]) -> Json:
    """As fill, but a text that is exactly one {{path}} gives the value itself; lists and objects are filled within."""
    if isinstance(template, str):
        path = only(template)
        return look_up(path, state) if path else fill(template, state)
    if isinstance(template, Mapping):
        return {key: value(each, state) for key, each in template.items()}
    if isinstance(template, list):
        return [value(each, state) for each in template]
    return template


def as_text(given: Json) -> str:
    """A value as a prompt shows it: text as it is, objects and lists as JSON, nothing as nothing."""
    if given is None:
        return ""
    if isinstance(given, str):
        return given
    if isinstance(given, float) and given.is_integer() and abs(given) < 2**53:
        return str(int(given))
    return json.dumps(given, ensure_ascii=False)
