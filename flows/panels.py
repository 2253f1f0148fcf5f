"""What property panels draw, derived from the words: every field with its input, its meaning and its limits.

The editor walks this and knows no word of the language by itself; a new kind, or a new field, is drawn at once.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict
from pydantic import Field as Declared
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from flows import kinds
from flows.kinds.base import Kind
from flows.words.answer import Schema
from flows.words.base import NOTHING, Dsl, Json, Ref, Tab, UnitKind, Word, declared
from flows.words.channel import Channel
from flows.words.document import Document
from flows.words.edge import ConditionalEdge, PlainEdge
from flows.words.fields import Field as FormField
from flows.words.label import label
from flows.words.names import GIVEN
from flows.words.tool import Tool
from flows.words.versions import NEWEST

Input = Literal[
    "line", "text", "prompt", "code", "switch", "number", "choice", "list", "map", "object",
    "channel", "node", "route", "tool", "collection", "database", "flow", "agent", "fields", "schema", "json", "color",
    "shown",
]  # fmt: skip
"""The inputs that a panel has. Each is one component in frontend/src/editor/fields."""

Type = Literal["text", "number", "integer", "boolean", "list", "map", "object", "json"]

_PICKED: dict[Ref, Input] = {
    "channel": "channel", "node": "node", "next": "node", "route": "route", "tool": "tool", "collection": "collection",
    "database": "database",
}  # fmt: skip
_INPUTS: dict[Type, Input] = {
    "text": "line", "number": "number", "integer": "number", "boolean": "switch", "list": "list", "map": "map",
    "object": "object", "json": "json",
}  # fmt: skip


LISTED = ("tools", "state", "nodes", "edges")
"""Sections of the flow whose entries have panels of their own."""


class Shape(BaseModel):
    """Camel case on the wire; what is not said is left out of it."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, extra="forbid")

    def wire(self) -> dict[str, Json]:
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


class Choice(Shape):
    """One of the values that a field may have. since: the first version that has it. offered: see Field."""

    value: str
    help: str = ""
    since: str = ""
    offered: bool = True


class Field(Shape):
    """One field of a word.

    key: its JSON key. ref: what its text names. writes: the channel named is written. unit: it names code.
    choices: the values allowed. item: the fields of the object that it holds. of: what each entry of a list or a map
    is. min, max: of a number, or of a text's characters, or of how many entries. belongs: the values of `type` beside
    which it may stand; none means any. fits: the type of a channel made for it, then a path that says it instead.
    keys: the field beside it that names a tool or a flow, whose inputs are its keys; its outputs, where it writes.
    servers: beside tools, it may name servers. whole: in place of named values it may be one template that holds them.
    short: in place of an object it may be a text, which is the value of this key. default: what it is where it is left
    out.
    adds: left out it means nothing, which an empty one does not, so that people add and remove it.
    offered: whether it is shown where a flow does not have it; false while nothing acts on it.
    """

    key: str
    label: str
    help: str
    widget: Input
    type: Type
    required: bool
    since: str
    tab: str
    ref: Ref | None = None
    topic: str = ""
    writes: bool = False
    unit: UnitKind | None = None
    choices: list[Choice] = []
    item: list[Field] = []
    of: Field | None = None
    min: float | None = None
    max: float | None = None
    placeholder: str = ""
    belongs: list[str] = []
    fits: str = ""
    keys: str = ""
    servers: bool = False
    whole: bool = False
    short: str = ""
    default: Any = None
    adds: bool = False
    offered: bool = True


class GivenShape(Shape):
    """A channel that exists by itself, and the keys of what it holds."""

    name: str
    help: str
    keys: list[str] = []


class KindShape(Shape):
    """A kind of node. blank: a new one, without its id. reads, writes: paths of what names or mentions channels.

    offered: whether it may be added, since it can be run here; one that cannot is drawn and edited where it stands.
    """

    type: str
    title: str
    group: str
    icon: str
    since: str
    offered: bool
    summary: str
    topic: str
    help: str
    fields: list[Field]
    blank: dict[str, Any]
    reads: list[str]
    writes: list[str]


class Part(Shape):
    """A part of a panel, or a group of the palette, with the words above it."""

    name: str
    title: str


class Language(Shape):
    """Everything that panels and palette know of the language."""

    version: str
    groups: list[Part]
    tabs: list[Part]
    kinds: list[KindShape]
    channel_types: list[Choice]
    given: list[GivenShape]
    channel: list[Field]
    tool: list[Field]
    flow: list[Field]
    plain_edge: list[Field]
    conditional_edge: list[Field]
    form_field: list[Field]
    answer: list[Field] = Declared(alias="schema")


NAMED = {"Language": Language, "Widget": Input, "FieldType": Type, "Ref": Ref, "UnitKind": UnitKind}
"""What the editor's types are made from."""


def language() -> Language:
    """The language as it is; groups and tabs are titled by their names, which pages say in their own words."""
    return _language(tuple(kinds.KINDS))


@cache
def _language(of: tuple[Kind, ...]) -> Language:
    shapes = [_kind(kind) for kind in of]
    channel = fields_of(Channel)
    flow = _first(("name", "description"), [field for field in fields_of(Document) if field.key not in LISTED])
    used = {field.tab for fields in (*(shape.fields for shape in shapes), flow) for field in fields}
    return Language(
        version=NEWEST,
        groups=[Part(name=name, title=label(name)) for name in dict.fromkeys(shape.group for shape in shapes)],
        tabs=[Part(name=name, title=label(name)) for name in get_args(Tab) if name in used],
        kinds=shapes,
        channel_types=next(field.choices for field in channel if field.key == "type"),
        given=[GivenShape(name=each.name, help=each.help, keys=list(each.keys)) for each in GIVEN],
        channel=channel,
        tool=fields_of(Tool),
        flow=flow,
        plain_edge=fields_of(PlainEdge),
        conditional_edge=fields_of(ConditionalEdge),
        form_field=fields_of(FormField),
        schema=fields_of(Schema),
    )


def _kind(kind: Kind) -> KindShape:
    fields = _own_first(kind.fields, fields_of(kind.fields))
    here = next(field for field in fields if field.key == "type")
    return KindShape(
        type=kind.type, title=kind.title, group=kind.group, icon=kind.icon, since=kind.since, offered=kind.runs,
        summary=kind.summary or _first_sentence(kind.fields.__doc__ or ""), topic=here.topic or kind.type,
        help=_prose(kind), fields=fields, blank=_blank(fields, kind),
        reads=[path for path, field in _mentions(fields) if not field.writes],
        writes=[path for path, field in _mentions(fields) if field.writes],
    )  # fmt: skip


def _own_first(word: type[Word], fields: list[Field]) -> list[Field]:
    """Name and description, then what the kind adds, then what every node has besides."""
    own = [declared(word)[name][0] for name in word.model_fields if name in word.__annotations__]
    return _first(("id", "description", *own), fields)


def _first(keys: Sequence[str], fields: list[Field]) -> list[Field]:
    """The fields, those of these keys first."""
    return sorted(fields, key=lambda field: keys.index(field.key) if field.key in keys else len(keys))


def _prose(kind: Kind) -> str:
    """What the kind's module says of it; without any, what its word says."""
    import sys

    module = sys.modules.get(type(kind).__module__)
    return ((module.__doc__ if module else None) or kind.fields.__doc__ or "").strip()


def _first_sentence(text: str) -> str:
    return " ".join(text.split()).partition(". ")[0].rstrip(".") + "." if text else ""


_EMPTY: dict[Type, Json] = {"text": "", "list": [], "map": {}, "object": {}, "boolean": False}


def _blank(fields: Sequence[Field], kind: Kind) -> dict[str, Json]:
    """A node of the kind with everything that it must say, still empty."""
    found: dict[str, Json] = {}
    for field in fields:
        if field.key != "id" and field.required:
            fixed = field.widget == "shown" and len(field.choices) == 1
            found[field.key] = field.choices[0].value if fixed else _EMPTY.get(field.type, field.min)
    return found


def _mentions(fields: Sequence[Field], above: str = "") -> Iterator[tuple[str, Field]]:
    """Every field that names a channel or is a template, with its path."""
    for field in fields:
        path = f"{above}{field.key}"
        inner = field.of if field.of is not None and field.ref is None else field
        if inner.ref in ("channel", "template"):
            yield path, field
        yield from _mentions(field.item, f"{path}.")


def fields_of(word: type[Word]) -> list[Field]:
    """Every field of a word, in the order of declaration."""
    found = []
    for name, info in word.model_fields.items():
        key, dsl = declared(word)[name]
        found.append(_field(key, dsl, info.annotation, info.metadata, info))
    return found


def _field(key: str, dsl: Dsl, annotation: Any, metadata: Sequence[Any], info: FieldInfo | None = None) -> Field:
    annotation, metadata = _bare(annotation, metadata)
    type, inside = _type(annotation)
    choices = [
        Choice(
            value=str(value),
            help=dsl.says.get(value, ""),
            since=dsl.values.get(value, ""),
            offered=value not in (*dsl.barred, *dsl.planned),
        )
        for value in _literals(annotation)
    ]
    widget = dsl.widget or (_PICKED.get(dsl.ref) if dsl.ref and type == "text" else None)
    if widget is None:
        widget = "choice" if choices else _INPUTS[type]
    if len(choices) == 1 and dsl.widget is None:
        widget = "shown"
    if widget == "json":
        type = "json"
    # Fields and schemas hold themselves again: their inputs know their own fields.
    nested = inside is not None and widget not in ("fields", "schema", "json")
    low, high = _bounds(metadata)
    left_out = info.get_default(call_default_factory=True) if info and not info.is_required() else None
    return Field(
        key=key, label=dsl.label or label(key), help=(info.description or "") if info else "", widget=widget,
        type=type, required=bool(info and info.is_required()), since=dsl.since, tab=dsl.tab or "step", ref=dsl.ref,
        topic=dsl.topic or "", writes=dsl.writes, unit=dsl.unit, choices=choices,
        item=fields_of(inside) if inside is not None and nested and type == "object" else [],
        of=_entry(inside, dsl) if nested and type in ("list", "map") else None,
        min=low, max=high, placeholder=dsl.placeholder, belongs=list(dsl.belongs), fits=dsl.fits,
        keys=dsl.keys, servers=dsl.servers, whole=widget == "map" and get_origin(annotation) is not dict,
        short=_short(annotation), offered=dsl.offered and dsl.runs,
        adds=left_out is None and info is not None and not info.is_required(),
        default=left_out if isinstance(left_out, str | bool) and left_out else None,
    )  # fmt: skip


def _entry(annotation: Any, around: Dsl) -> Field:
    """What each entry of a list or a map is. An entry that says nothing itself is meant as its field is."""
    bare, metadata = _bare(annotation, ())
    own = next((each for each in metadata if isinstance(each, Dsl)), NOTHING)
    meant = own if own.ref or own.widget else Dsl(ref=around.ref, fits=around.fits)
    entry = _field("", replace(meant, servers=around.servers), bare, metadata)
    return entry.model_copy(update={"label": "", "writes": around.writes, "fits": own.fits or around.fits})


def _bare(annotation: Any, metadata: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The type without Annotated and without None, and everything said about it."""
    said = list(metadata)
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *more = get_args(annotation)
            for each in more:
                said += each.metadata if isinstance(each, FieldInfo) else [each]
            continue
        if origin in (Union, types.UnionType):
            real = [each for each in get_args(annotation) if each is not type(None)]
            if len(real) == 1:
                annotation = real[0]
                continue
        return annotation, said


def _type(annotation: Any) -> tuple[Type, Any]:
    """The type of a field, and what it holds: a word, or the annotation of its entries."""
    origin = get_origin(annotation)
    if origin is list:
        return "list", get_args(annotation)[0]
    if origin is dict:
        return "map", get_args(annotation)[1]
    if origin in (Union, types.UnionType):
        # Named values, or a template naming the channel that holds them; an object, or the one thing that it must say.
        named = next((bare for each in get_args(annotation) if get_origin(bare := _bare(each, ())[0]) is dict), None)
        word = _or_text(annotation)
        return ("map", get_args(named)[1]) if named else ("object", word) if word else ("json", None)
    if isinstance(annotation, type) and issubclass(annotation, Word):
        return "object", annotation
    if origin is Literal or annotation is str:
        return ("boolean" if get_args(annotation) == (True,) else "text"), None
    plain: dict[Any, Type] = {bool: "boolean", int: "integer", float: "number"}
    return plain.get(annotation, "json"), None


def _or_text(annotation: Any) -> type[Word] | None:
    """The word, of a choice between one and a text."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return None
    members = [_bare(each, ())[0] for each in get_args(annotation)]
    words = [each for each in members if isinstance(each, type) and issubclass(each, Word)]
    return words[0] if len(members) == 2 and len(words) == 1 and str in members else None


def _short(annotation: Any) -> str:
    """The key of a word that a text in its place is the value of: the first that it must say."""
    word = _or_text(annotation)
    required = [name for name, info in word.model_fields.items() if info.is_required()] if word else []
    return declared(word)[required[0]][0] if word and required else ""


def _literals(annotation: Any) -> tuple[Any, ...]:
    found = get_args(annotation) if get_origin(annotation) is Literal else ()
    return tuple(each for each in found if isinstance(each, str))


def _bounds(metadata: Sequence[Any]) -> tuple[float | None, float | None]:
    """The least and the most: of a number, of a text's length, or of how many entries there are."""
    low = high = None
    for each in metadata:
        for name in ("ge", "min_length"):
            low = getattr(each, name, low) if getattr(each, name, None) is not None else low
        for name in ("le", "max_length"):
            high = getattr(each, name, high) if getattr(each, name, None) is not None else high
    return low, high
