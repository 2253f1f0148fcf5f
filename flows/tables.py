"""The reference's tables, read off the words: which keys there are, what each takes, what it means, since when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from flows.words.base import Dsl, Word, declared
from flows.words.node import Node

_NAMES = {
    "channel": ("channel name", "channel names"),
    "node": ("node id", "node ids"),
    "next": ("node id or `END`", "node ids or `END`"),
    "tool": ("tool name", "tool names"),
    "route": ("route name", "route names"),
    "collection": ("collection name", "collection names"),
    "database": ("database name", "database names"),
    "template": ("template", "templates"),
}
_PLAIN = {
    str: ("text", "texts"),
    bool: ("true or false", "true or false"),
    int: ("whole number", "whole numbers"),
    float: ("number", "numbers"),
}


def words_in(roots: Iterable[type[Word]]) -> dict[str, type[Word]]:
    """Every word that can stand in these, themselves included, by its name."""
    found: dict[str, type[Word]] = {}
    waiting = list(roots)
    while waiting:
        word = waiting.pop()
        if word.__name__ not in found:
            found[word.__name__] = word
            for each in word.model_fields.values():
                waiting.extend(_inside(each.annotation))
    return found


def _inside(annotation: Any) -> Iterator[type[Word]]:
    if isinstance(annotation, type) and issubclass(annotation, Word):
        yield annotation
    for part in get_args(annotation):
        yield from _inside(part)


def spoken(name: str) -> str:
    """A word's name as a sentence has it: `ConditionalEdge` is "conditional edge"."""
    return "the flow" if name == "Document" else " ".join(re.findall(r"[A-Z][a-z]*", name)).lower()


def field_table(word: type[Word], homes: Mapping[str, str], skip: Sequence[str], kinds: str) -> str:
    """A Markdown table of a word's fields but those skipped.

    homes: word → the page that its own table stands on. kinds: what the type of a node may be.
    """
    rows = [
        (key, _taken(info, dsl, homes) if word is not Node or key != "type" else kinds, _meaning(info), _since(dsl))
        for name, (key, dsl) in declared(word).items()
        if name not in skip
        for info in (word.model_fields[name],)
    ]
    head = "| key | takes | meaning | since |\n|---|---|---|---|\n"
    return head + "".join(f"| `{key}` | {takes} | {means} | {since} |\n" for key, takes, means, since in rows)


def _taken(info: FieldInfo, dsl: Dsl, homes: Mapping[str, str]) -> str:
    """What may stand there: `required`, its type, its bounds, and what it is when it is left out."""
    parts = [_type(info.annotation, dsl, homes), *_bounds(info)]
    if info.is_required():
        parts.append("**required**")
    elif info.default not in (None, "", PydanticUndefined) and info.default_factory is None:
        parts.append(f"else `{_literal(info.default)}`")
    return _cell("; ".join(parts))


def _type(annotation: Any, dsl: Dsl, homes: Mapping[str, str], many: bool = False) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        own = next((each for each in inner[1:] if isinstance(each, Dsl)), dsl)
        return _type(inner[0], own, homes, many)
    if origin in (Union, UnionType):
        kinds = [_type(each, dsl, homes, many) for each in inner if each is not NoneType]
        return " or ".join(dict.fromkeys(kinds))
    if origin is Literal:
        return ", ".join(f"`{_literal(each)}`" for each in inner)
    if origin is list:
        return f"list of {_type(inner[0], dsl, homes, many=True)}"
    if origin is dict:
        return f"name → {_type(inner[1], dsl, homes)}"
    if isinstance(annotation, type) and issubclass(annotation, Word):
        home = homes.get(annotation.__name__)
        name = spoken(annotation.__name__) + ("s" if many else "")
        return f"[{name}]({home})" if home else name
    if annotation is str and dsl.ref:
        return _NAMES[dsl.ref][many]
    return _PLAIN.get(annotation, ("any JSON value", "any JSON values"))[many]


def _bounds(info: FieldInfo) -> Iterator[str]:
    unit = "characters" if str in _types(info.annotation) else "entries"
    low = next((each.ge for each in info.metadata if isinstance(each, Ge)), None)
    high = next((each.le for each in info.metadata if isinstance(each, Le)), None)
    most = next((each.max_length for each in info.metadata if isinstance(each, MaxLen)), None)
    if low is not None or high is not None:
        yield (
            f"{low} to {high:,}"
            if high is not None and low is not None
            else f"from {low}"
            if high is None
            else f"up to {high}"
        )
    if any(isinstance(each, MinLen) and each.min_length for each in info.metadata):
        yield "not empty"
    if most:
        yield f"at most {most:,} {unit}"


def _types(annotation: Any) -> tuple[Any, ...]:
    """The annotation, or the members of its union."""
    if get_origin(annotation) in (Union, UnionType):
        return get_args(annotation)
    return (annotation,)


def _meaning(info: FieldInfo) -> str:
    return _cell(info.description or "")


def _since(dsl: Dsl) -> str:
    values = "".join(f", `{value}` {since}" for value, since in dsl.values.items())
    values += "".join(f", {form} {since}" for form, since in dsl.shapes.items())
    return dsl.since + values


def _literal(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
