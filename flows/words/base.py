"""Word: the base of every declared thing of the language. Dsl: what a field means beyond its type.

A field is declared once, as Annotated[type, Dsl(…)] with a description. The parser, the checks, the published
schema, the property panels and the reference all read that one declaration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, Tag, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError, core_schema

from flows.problem import Problem, at, listed, nearest, quoted

Json = Any
"""A JSON value: None, bool, int, float, str, list of Json, dict of str to Json."""

Ref = Literal["channel", "node", "next", "tool", "template", "route", "collection", "database"]
"""What a field's text names. `next` is a node id or END; `template` has {{paths}}; `requires` declares the last two."""

Widget = Literal[
    "line", "text", "prompt", "code", "switch", "number", "choice", "list", "fields", "schema", "json", "color",
    "flow", "agent", "shown",
]  # fmt: skip
"""How a panel draws a field where its type and its ref do not say it. `shown` is read and never typed."""

Tab = Literal["step", "approval", "errors", "flow", "contract", "needs", "page"]
"""The part of a panel in which a field is found."""

UnitKind = Literal["handler", "router", "tool", "service"]
"""What code is written for: a node, a conditional edge, a tool."""


@dataclass(frozen=True)
class Dsl:
    """ref: what the text names. writes: the channel named is written. widget: how a panel draws the field.

    since: the first language version that has the field; values: the same for single values of it.
    topic: the page of the reference that explains it.
    label: the words above the input, where the key itself does not say it. tab: the part of the panel that has it.
    placeholder: what an empty input shows. says: what single values mean.
    belongs: the types beside which the field may stand; none means any.
    unit: the text names code of this kind. fits: the type of a channel that is made for this field; a path of the
    same word after a comma (`string,schema.type`) says it where it is set.
    keys: the field beside it that names a tool or a flow, whose inputs (or outputs, where channels are written) are
    the keys of this one.
    servers: beside tools, the text may name an MCP server.
    shapes: the first version of values of one shape, `{"text": "0.17"}`, where others may be older.
    planned: values that are words already, and refused until they are built.
    offered: whether panels propose the field; one that pages do not draw is shown where a flow has it already.
    runs: whether this installation does what the field says; a flow that needs it stays a draft. barred: the same of
    single values.
    """

    ref: Ref | None = None
    widget: Widget | None = None
    since: str = "0.1"
    topic: str | None = None
    writes: bool = False
    values: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    tab: Tab | None = None
    placeholder: str = ""
    says: Mapping[str, str] = field(default_factory=dict)
    belongs: tuple[str, ...] = ()
    unit: UnitKind | None = None
    fits: str = ""
    keys: str = ""
    servers: bool = False
    shapes: Mapping[str, str] = field(default_factory=dict)
    planned: tuple[str, ...] = ()
    offered: bool = True
    runs: bool = True
    barred: tuple[str, ...] = ()

    def __get_pydantic_json_schema__(
        self, core: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Json]:
        schema = dict(handler(core))
        for key, value in (("ref", self.ref), ("widget", self.widget), ("topic", self.topic)):
            if value:
                schema[f"x-{key}"] = value
        if self.since != "0.1":
            schema["x-since"] = self.since
        if self.values:
            schema["x-values-since"] = dict(self.values)
        return schema


class Word(BaseModel):
    """Frozen, and refuses keys it does not know, some with a reason of their own (refuses: key → why it has no place,
    and what to do instead). Keys are camelCase in JSON and snake_case here."""

    refuses: ClassVar[Mapping[str, str]] = {}

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, alias_generator=to_camel, populate_by_name=False
    )

    def plain(self) -> dict[str, Json]:
        """The word as its author wrote it: JSON keys, nothing that was left out."""
        return self.model_dump(by_alias=True, exclude_unset=True)


class Said(NamedTuple):
    """One field that a flow sets: its declaration, JSON key, value and path."""

    dsl: Dsl
    key: str
    value: Json
    path: str


def _only_true(value: Json) -> Json:
    if value is not True:
        raise PydanticCustomError("only_true", "It can only be true.")
    return value


OnlyTrue = Annotated[Literal[True], BeforeValidator(_only_true)]
"""true, or left out: there is nothing else to say."""

MOST_SAID = 500
"""How much of what is wrong with one word is said; nobody reads more."""

NOTHING = Dsl()
W = TypeVar("W", bound=Word)


@cache
def declared(word: type[Word]) -> dict[str, tuple[str, Dsl]]:
    """Python name → (JSON key, Dsl) of every field of a word."""
    return {
        name: (info.alias or name, next((each for each in info.metadata if isinstance(each, Dsl)), NOTHING))
        for name, info in word.model_fields.items()
    }


def keys(word: type[Word]) -> list[str]:
    """The JSON keys that a word may have, in the order of declaration."""
    return [key for key, _ in declared(word).values()]


def said(word: Word, path: str, skip: Collection[str] = ()) -> Iterator[Said]:
    """Every field that the word and the words inside it set, but those skipped at the top."""
    names = declared(type(word))
    for name in word.model_fields_set:
        if name not in names or name in skip:
            continue
        key, dsl = names[name]
        value = getattr(word, name)
        here = at(path, key)
        yield Said(dsl, key, value, here)
        yield from _inside(value, here)


def _inside(value: Json, path: str) -> Iterator[Said]:
    if isinstance(value, Word):
        yield from said(value, path)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            if isinstance(each, Word):
                yield from said(each, at(path, index))
    elif isinstance(value, dict):
        for key, each in value.items():
            if isinstance(each, Word):
                yield from said(each, at(path, key))


CODES = (
    "UNKNOWN_KEY", "MISSING_KEY", "WRONG_TYPE", "NOT_ONE_OF", "TOO_LONG", "TOO_SHORT", "OUT_OF_RANGE", "COLOR_INVALID",
)  # fmt: skip
"""What reading a word can find. The checks add the rest."""

_TYPES = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a number",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}


_TYPED = 'Write { "type": "…", … }.'


def read(word: type[W], raw: Json, path: str, owner: str) -> tuple[W | None, list[Problem]]:
    """Read one word. Returns it, or None and everything wrong with it.

    owner: how messages name the thing, `llm node "reply"`.
    """
    try:
        return word.model_validate(raw), []
    except ValidationError as refused:
        errors = refused.errors(include_url=False)[:MOST_SAID]
        return None, [_problem(word, raw, dict(error), path, owner) for error in errors]


def wrong(word: type[Word], raw: Json) -> list[str]:
    """The path of everything in a word that is wrong, however much it is; for what would be said of it, read()."""
    try:
        word.model_validate(raw)
    except ValidationError as refused:
        return [
            at("", *[step for step in error["loc"] if not _is_tag(step)][: -1 if error["type"] == "missing" else None])
            for error in refused.errors(include_url=False, include_input=False)
        ]
    return []


def _problem(word: type[Word], raw: Json, error: dict[str, Any], path: str, owner: str) -> Problem:
    loc = list(error["loc"])
    while loc and _is_tag(loc[-1]):
        loc.pop()
    steps = [step for step in loc if not _is_tag(step)]
    here = at(path, *steps)
    kind, context, value = error["type"], error.get("ctx", {}), error["input"]
    name = steps[-1] if steps else None
    named = f"{quoted(at('', *steps))} of {owner}" if steps else owner[:1].upper() + owner[1:]
    if kind == "extra_forbidden":
        inner = _descend(word, loc[:-1])
        if inner and name in inner.refuses:
            message = f"{quoted(name)} may not stand in {_inner(steps, owner)}."
            return Problem("UNKNOWN_KEY", "error", here, message, f"Remove it. {inner.refuses[str(name)]}")
        known = keys(inner) if inner else []
        near = nearest(str(name), known)
        hint = f"Did you mean {quoted(near)}?" if near else f"Remove it. What may stand here: {listed(known)}."
        return Problem("UNKNOWN_KEY", "error", here, f"{quoted(name)} is not a word of {_inner(steps, owner)}.", hint)
    if kind == "missing":
        hint = _meaning(word, loc)
        message = f"{_inner(steps, owner, capital=True)} does not say {quoted(name)}."
        return Problem("MISSING_KEY", "error", at(path, *steps[:-1]), message, f"Add {quoted(name)}: {hint}")
    if kind in _TYPES:
        message = f"{named} must be {_TYPES[kind]}, and it is {shape(value)}."
        meaning = _meaning(word, loc)
        plain = "Write { … }." if _TYPES[kind] == "an object" else f"Write {_TYPES[kind]}."
        hint = f"What belongs there: {meaning}" if meaning else plain
        return Problem("WRONG_TYPE", "error", here, message, hint)
    if kind == "only_true":
        message = f"{named} is {_shown(value)}, and it can only be true."
        return Problem("NOT_ONE_OF", "error", here, message, f"Write true, or remove it. {_meaning(word, loc)}".strip())
    if kind == "string_pattern_mismatch":
        message = f"{named} is {_shown(value)}, which is no colour."
        return Problem("COLOR_INVALID", "error", here, message, 'Write it as "#rgb" or "#rrggbb", such as "#1f4fbf".')
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _no_member(context, value, here, named)
    if kind == "literal_error":
        choices = _choices(context.get("expected", ""))
        if len(choices) == 1:
            message = f"{named} is {_shown(value)}, and it can only be {quoted(choices[0])}."
            return Problem("NOT_ONE_OF", "error", here, message, f"Write {quoted(choices[0])}, or remove it.")
        message = f"{named} is {_shown(value)}, which is not one of {listed(choices)}."
        near = nearest(value, choices) if isinstance(value, str) else None
        return Problem(
            "NOT_ONE_OF", "error", here, message, f"Did you mean {quoted(near)}?" if near else "Use one of those words."
        )
    if kind in ("string_too_long", "too_long"):
        unit = "characters" if kind == "string_too_long" else "entries"
        many = len(value) if isinstance(value, str | list | dict) else context.get("actual_length", "more")
        message = f"{named} has {many} {unit}; at most {context['max_length']} are allowed."
        hint = "Make it shorter." if unit == "characters" else "Remove some."
        return Problem("TOO_LONG", "error", here, message, hint)
    if kind in ("string_too_short", "too_short"):
        least = context["min_length"]
        message = f"{named} is empty." if least == 1 else f"{named} needs at least {least} entries."
        meaning = _meaning(word, loc)
        hint = f"What belongs there: {meaning}" if meaning else "Write something there, or remove it."
        return Problem("TOO_SHORT", "error", here, message, hint)
    if kind in ("greater_than_equal", "less_than_equal", "greater_than", "less_than"):
        bound = next(iter(context.values()))
        side = "at least" if kind.startswith("greater") else "at most"
        hint = f"Write {bound} or {'more' if side == 'at least' else 'less'}. {_meaning(word, loc)}".strip()
        return Problem("OUT_OF_RANGE", "error", here, f"{named} is {value}; it must be {side} {bound}.", hint)
    raise AssertionError(f"A word of the language raises {kind}, which has no sentence: {error}")


def _is_tag(step: str | int) -> bool:
    """Is this step the name of a union's member, which no path of the JSON has?"""
    return isinstance(step, str) and step.startswith("<")


def _no_member(context: Mapping[str, Any], value: Json, here: str, named: str) -> Problem:
    """A block whose "type" chooses nothing that may stand there."""
    choices = [each.strip("<>") for each in _choices(str(context.get("expected_tags", "")))]
    if not isinstance(value, dict):
        return Problem("WRONG_TYPE", "error", here, f"{named} must be an object, and it is {shape(value)}.", _TYPED)
    if "type" not in value:
        return Problem("MISSING_KEY", "error", here, f'{named} does not say "type".', _TYPED)
    type = value["type"]
    if not isinstance(type, str):
        message = f'"type" of {named} must be text, and it is {shape(type)}.'
        return Problem("WRONG_TYPE", "error", at(here, "type"), message, _TYPED)
    message = f'"type" of {named} is {quoted(type)}, which is not one of {listed(choices)}.'
    near = nearest(type, choices)
    hint = f"Did you mean {quoted(near)}?" if near else "Use one of those words."
    return Problem("NOT_ONE_OF", "error", at(here, "type"), message, hint)


def shape(value: Json) -> str:
    """What a value is, for a sentence: `a number`, `a list`, `nothing (null)`."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "text"
    if isinstance(value, int | float):
        return "a number"
    return "a list" if isinstance(value, list) else "an object"


def _shown(value: Json) -> str:
    return quoted(value) if isinstance(value, str) else shape(value)


def _choices(expected: str) -> list[str]:
    """The words of pydantic's `'a', 'b' or 'c'`."""
    return list(expected.split("'")[1::2])


def _inner(steps: list[str | int], owner: str, capital: bool = False) -> str:
    """Which part of the owner a key belongs to: `"approval" of node "place"`."""
    if len(steps) > 1:
        return f"{quoted(at('', *steps[:-1]))} of {owner}"
    return owner[:1].upper() + owner[1:] if capital else owner


def _meaning(word: type[Word], steps: list[str | int]) -> str:
    """The description of the field at the end of steps, as a hint."""
    inner = _descend(word, steps[:-1])
    if inner and steps:
        for name, (key, _) in declared(inner).items():
            if key == steps[-1]:
                return inner.model_fields[name].description or ""
    return ""


def _descend(word: type[Word], steps: list[str | int]) -> type[Word] | None:
    """The word that stands at the end of steps, found in the declarations."""
    here: Any = word
    for step in steps:
        if _is_tag(step):
            here = _member(here, str(step)) or here
            continue
        here = (_as_word(here) or here) if isinstance(step, str) else here
        if isinstance(here, type) and issubclass(here, Word):
            found = next((name for name, (key, _) in declared(here).items() if key == step), None)
            if found is None:
                return None
            here = here.model_fields[found].annotation
        else:
            here = _element(here)
        if here is None:
            return None
    return _as_word(here)


def _member(annotation: Any, tag: str) -> Any:
    """The member of a union that has the tag."""
    for part in getattr(annotation, "__args__", ()):
        if Tag(tag) in getattr(part, "__metadata__", ()):
            return part
        found = _member(part, tag)
        if found is not None:
            return found
    return None


def _as_word(annotation: Any) -> type[Word] | None:
    if isinstance(annotation, type) and issubclass(annotation, Word):
        return annotation
    for part in getattr(annotation, "__args__", ()):
        found = _as_word(part)
        if found and getattr(annotation, "__origin__", None) not in (list, dict):
            return found
    return None


def _element(annotation: Any) -> Any:
    """What a list or a mapping in the annotation holds; looks through unions and Annotated."""
    if getattr(annotation, "__origin__", None) in (list, dict):
        return annotation.__args__[-1]
    for part in getattr(annotation, "__args__", ()):
        found = _element(part)
        if found is not None:
            return found
    return None
