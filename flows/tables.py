"""The reference's tables, read off the words: which keys there are, what each takes, what it means, since when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic.fields import FieldInfo

from flows.words.base import Dsl, Word, declared
from flows.words.versions import parse

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


def ages(roots: Mapping[type[Word], str]) -> dict[str, str]:
    """Name of a word → the first version in which it can stand somewhere. roots: the same of what others stand in."""
    found: dict[type[Word], str] = {}
    waiting = list(roots.items())
    while waiting:
        word, since = waiting.pop()
        if word in found and not _older(since, found[word]):
            continue
        found[word] = since
        for name, (_, dsl) in declared(word).items():
            inside = dsl.since if _older(since, dsl.since) else since
            waiting.extend((each, inside) for each in _inside(word.model_fields[name].annotation))
    return {word.__name__: since for word, since in found.items()}


def _older(version: str, other: str) -> bool:
    return (parse(version) or (0, 0)) < (parse(other) or (0, 0))


def _inside(annotation: Any) -> Iterator[type[Word]]:
    if isinstance(annotation, type) and issubclass(annotation, Word):
        yield annotation
    for part in get_args(annotation):
        yield from _inside(part)


def spoken(name: str) -> str:
    """A word's name as a sentence has it: `ConditionalEdge` is "conditional edge"."""
    return "the flow" if name == "Document" else " ".join(re.findall(r"[A-Z][a-z]*", name)).lower()


def field_table(
    word: type[Word], homes: Mapping[str, str], skip: Sequence[str], types: str, since: str, defaults: bool
) -> str:
    """A Markdown table of a word's fields but those skipped.

    homes: word → the page that its own table stands on. types: what its "type" may be, where its kinds say that.
    since: the first version that has the word at all. defaults: whether a field that is left out has a value.
    """
    rows = [
        (
            key,
            types if types and key == "type" else _taken(info, dsl, homes, defaults),
            _meaning(info),
            _since(dsl, since),
        )
        for name, (key, dsl) in declared(word).items()
        if name not in skip
        for info in (word.model_fields[name],)
    ]
    head = "| key | takes | meaning | since |\n|---|---|---|---|\n"
    return head + "".join(f"| `{key}` | {takes} | {means} | {since} |\n" for key, takes, means, since in rows)


def _taken(info: FieldInfo, dsl: Dsl, homes: Mapping[str, str], defaults: bool) -> str:
    """What may stand there: `required`, its type, its bounds, and what it is when it is left out."""
    parts = [_type(info.annotation, dsl, homes), *_bounds(info)]
    if info.is_required():
        parts.append("**required**")
    elif defaults and isinstance(info.default, str | bool | int | float) and info.default != "":
        exact = isinstance(info.default, str | bool | float)
        parts.append(f"else `{_literal(info.default) if exact else format(info.default, ',')}`")
    return _cell("; ".join(parts))


def _type(annotation: Any, dsl: Dsl, homes: Mapping[str, str], many: bool = False) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        own = next((each for each in inner[1:] if isinstance(each, Dsl)), dsl)
        return _type(inner[0], own, homes, many)
    if origin in (Union, UnionType):
        blocks = list(_told_apart(inner)) if many else []
        if len(blocks) > 1:
            return f"blocks: {', '.join(f'`{each}`' for each in blocks)}"
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


def _told_apart(members: Iterable[Any]) -> Iterator[str]:
    """What the `type` of each member says, where the members are words that have one."""
    for member in members:
        word = get_args(member)[0] if get_origin(member) is Annotated else member
        field = word.model_fields.get("type") if isinstance(word, type) and issubclass(word, Word) else None
        if field is not None and get_origin(field.annotation) is Literal:
            yield str(get_args(field.annotation)[0])


def _bounds(info: FieldInfo) -> Iterator[str]:
    unit = "characters" if str in _types(info.annotation) else "entries"
    metadata = [*info.metadata]
    for each in _types(info.annotation):
        for said in getattr(each, "__metadata__", ()):
            metadata += said.metadata if isinstance(said, FieldInfo) else [said]
    low = next((each.ge for each in metadata if isinstance(each, Ge)), None)
    high = next((each.le for each in metadata if isinstance(each, Le)), None)
    most = next((each.max_length for each in metadata if isinstance(each, MaxLen)), None)
    if low is not None or high is not None:
        yield (
            f"{low} to {high:,}"
            if high is not None and low is not None
            else f"from {low}"
            if high is None
            else f"up to {high}"
        )
    if any(isinstance(each, MinLen) and each.min_length for each in metadata):
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


def _since(dsl: Dsl, least: str) -> str:
    single = [(f"`{value}`", since) for value, since in dsl.values.items()]
    single += [(form, since) for form, since in dsl.shapes.items()]
    own = least if _older(dsl.since, least) else dsl.since
    return own + "".join(f", {form} {since}" for form, since in single if _older(own, since))


def _literal(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
